import assert from "node:assert/strict"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type FileBase, type FileSides, foundBases, plannedFiles } from "../../src/clients/folder/files/FilePlan.ts"
import type { Attachment } from "../../src/clients/folder/files/LinkPaths.ts"
import type { Base } from "../../src/clients/folder/FileMatches.ts"
import type { Asset } from "../../src/clients/folder/FolderScan.ts"
import type { NoteContent } from "../../src/clients/folder/FileText.ts"

const noteIds = ["nt_0", "nt_1"]

/** What happened to a file and its attachment since both were equal. */
const fate = fc.record({
  note: fc.constantFrom(...noteIds),
  name: fc.constantFrom("a.png", "b.png", "c.png"),
  hasBase: fc.boolean(),
  file: fc.constantFrom("same", "changed", "gone", "moved", "foreign"),
  attachment: fc.constantFrom("same", "gone", "pending"),
  wasSeen: fc.boolean(),
  wasAbsent: fc.boolean()
})
type Fate = typeof fate extends fc.Arbitrary<infer A> ? A : never
type Links = ReadonlyArray<readonly [note: string, path: string]>
const links = fc.array(
  fc.tuple(fc.constantFrom(...noteIds), fc.constantFrom("0/a.png", "1/b.png", "2/c.png", "0/b.png"))
)

/** Both sides, on which plans are carried out. */
class Model {
  readonly attachments = new Map<string, Attachment>()
  readonly assets = new Map<string, Asset>()
  readonly bases = new Map<string, FileBase>()
  readonly trash = new Set<string>()
  readonly #seen = new Set<string>()
  #absent: ReadonlySet<string> = new Set()
  readonly #links: Links
  #made = 0

  constructor(fates: ReadonlyArray<Fate>, wanted: Links) {
    this.#links = wanted
    fates.forEach(({ attachment, file, hasBase, name, note, wasSeen }, at) => {
      const [id, path, hash] = [`at_${at}`, `${at}/${name}`, `hash ${at}`]
      if (attachment !== "gone" || !hasBase)
        this.#attach(id, note, name, hash, attachment === "pending" ? "pending" : "ready")
      if (hasBase) this.bases.set(id, { path, identity: id, stat: hash, hash, note_id: note })
      if (file === "same" && hasBase) this.#write(path, hash, id)
      if (file === "changed") this.#write(path, `${hash}+`, id)
      if (file === "moved" && hasBase) this.#write(`moved/${at}/${name}`, hash, id)
      if (file === "foreign") this.#write(path, `foreign ${at}`, `foreign ${at}`)
      if (wasSeen) this.#seen.add(id)
    })
    this.#absent = new Set(fates.flatMap(({ wasAbsent }, at) => (wasAbsent ? [`at_${at}`] : [])))
  }

  #attach(id: string, note_id: string, filename: string, sha256: string, status: string): void {
    this.attachments.set(id, { id, note_id, filename, sha256, size: sha256.length, status, created_at: "2026" })
  }

  #write(path: string, hash: string, identity: string): void {
    this.assets.set(path, { path, hash, identity, stat: hash, size: hash.length })
  }

  #sides(more: Partial<FileSides>): FileSides {
    const notes = new Map(noteIds.map((id) => [id, { id } as NoteContent]))
    const bases = new Map(noteIds.map((id) => [id, { path: `${id}.md`, note: notes.get(id)! } as Base]))
    const linkedBy = (note: string) =>
      this.#links.flatMap(([id, path]) => (id === note && this.assets.has(path) ? [path] : []))
    const inside = Map.groupBy(this.assets.keys(), (path) => path.slice(0, path.lastIndexOf("/")))
    return {
      attachments: this.attachments,
      fileBases: this.bases,
      scan: {
        assets: this.assets,
        folders: new Map(),
        otherNames: new Map(
          [...inside].map(([folder, paths]) => [folder, paths.map((path) => path.slice(folder.length + 1))])
        ),
        isIgnored: () => false
      },
      bases,
      notes,
      links: { linked: ({ note }) => new Set(linkedBy(note.id)), statedPath: () => undefined },
      seen: this.#seen,
      absent: this.#absent,
      direction: "both",
      missing: "delete-many",
      maxFetched: Infinity,
      ...more
    }
  }

  plan(more: Partial<FileSides> = {}) {
    for (const [id, base] of foundBases(this.#sides(more))) this.bases.set(id, base)
    return plannedFiles(this.#sides(more))
  }

  /** Carries out a plan, and returns the number of its actions. */
  run(more: Partial<FileSides> = {}): number {
    const { actions, missing, present } = this.plan(more)
    for (const action of actions) {
      const { path } = action
      const file = this.assets.get(path)
      if (action.kind === "attachFile") {
        const id = `at_new${this.#made++}`
        this.#attach(id, action.note_id, path.slice(path.lastIndexOf("/") + 1), file!.hash!, "ready")
        this.bases.set(id, {
          path,
          identity: file!.identity,
          stat: file!.stat,
          hash: file!.hash!,
          note_id: action.note_id
        })
        continue
      }
      const { id } = action
      const base = this.bases.get(id)
      if (action.kind === "fetchFile") {
        const { note_id, sha256 } = this.attachments.get(id)!
        if (file === undefined) this.#write(path, sha256!, `new ${id}`)
        const { hash, identity, stat } = this.assets.get(path)!
        assert.equal(hash, sha256)
        this.bases.set(id, { path, hash: hash!, identity, stat, note_id })
      } else if (action.kind === "leaveFile") this.bases.set(id, { ...base!, isRemoved: true })
      else {
        if (action.kind === "trashAsset") {
          assert.equal(file!.hash, base!.hash)
          this.trash.add(file!.hash!)
          this.assets.delete(path)
        }
        if (action.kind === "removeAttachment") this.attachments.delete(id)
        this.bases.delete(id)
      }
    }
    for (const id of present) this.#seen.add(id)
    this.#absent = missing
    return actions.length
  }

  get hashes(): ReadonlySet<string> {
    return new Set([...this.assets.values()].map(({ hash }) => hash!))
  }
}

const world = fc.tuple(fc.array(fate, { minLength: 1, maxLength: 3 }), links)

describe("a plan for files", () => {
  it("ends, with all files of notes in the folder and all linked files with their notes", () => {
    fc.assert(
      fc.property(world, ([fates, wanted]) => {
        const model = new Model(fates, wanted)
        const before = model.hashes
        let rounds = 0
        while (model.run() + model.run() > 0) expect(rounds++).toBeLessThan(6)
        for (const { id, sha256, status } of model.attachments.values()) {
          const base = model.bases.get(id)
          if (status !== "ready" || base?.isRemoved === true) continue
          expect(model.assets.get(base!.path)?.hash).toBe(sha256)
        }
        for (const [note_id, path] of wanted) {
          const file = model.assets.get(path)
          if (file === undefined) continue
          const own = [...model.attachments.values()].filter((each) => each.note_id === note_id)
          expect(own.map(({ sha256 }) => sha256)).toContain(file.hash)
        }
        // No bytes of a user are gone.
        for (const hash of before) expect(model.hashes.has(hash) || model.trash.has(hash)).toBe(true)
      }),
      { numRuns: 500 }
    )
  })

  it("removes an attachment only if its note has the present bytes of the file", () => {
    fc.assert(
      fc.property(world, ([fates, wanted]) => {
        const model = new Model(fates, wanted)
        for (let round = 0; round < 4; round++) {
          for (const action of model.plan().actions) {
            if (action.kind !== "removeAttachment") continue
            const { note_id } = model.attachments.get(action.id)!
            const present = model.assets.get(action.path)!.hash
            const others = [...model.attachments.values()].filter(({ id }) => id !== action.id)
            expect(others).toContainEqual(expect.objectContaining({ note_id, sha256: present, status: "ready" }))
          }
          model.run()
        }
      })
    )
  })

  it("changes one side alone if the user says so", () => {
    const kindsOf = (fates: ReadonlyArray<Fate>, wanted: Links, direction: "pull" | "push") =>
      new Model(fates, wanted).plan({ direction }).actions.map(({ kind }) => kind)
    fc.assert(
      fc.property(world, ([fates, wanted]) => {
        for (const kind of kindsOf(fates, wanted, "pull"))
          expect(["fetchFile", "trashAsset", "forgetFile"]).toContain(kind)
        for (const kind of kindsOf(fates, wanted, "push"))
          expect(["attachFile", "removeAttachment", "leaveFile", "forgetFile"]).toContain(kind)
      })
    )
  })
})
