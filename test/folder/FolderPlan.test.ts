import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Base } from "../../src/clients/folder/FileMatches.ts"
import { areMany, planned, type Sides } from "../../src/clients/folder/FolderPlan.ts"
import type { FoundFile } from "../../src/clients/folder/FolderScan.ts"
import type { NoteContent } from "../../src/clients/folder/FileText.ts"

const noteOf = (id: string, title: string, body: string): NoteContent => ({
  id,
  title,
  body,
  tags: [],
  pinned: false,
  archived: false,
  notebook_id: "nb",
  created_at: "2026-01-01",
  updated_at: "2026-01-01"
})
const fileOf = (path: string, identity: string, hash: string): FoundFile => ({ path, identity, hash, stat: hash })

/** What happened to one note and its file since both were equal. */
const fate = fc.record({
  hasBase: fc.boolean(),
  file: fc.constantFrom("same", "changed", "gone", "moved", "replaced"),
  note: fc.constantFrom("same", "changed", "gone", "renamed"),
  wasSeen: fc.boolean(),
  wasAbsent: fc.boolean()
})
type Fate = typeof fate extends fc.Arbitrary<infer A> ? A : never

const sidesOf = (fates: ReadonlyArray<Fate>, more: Partial<Sides>): Sides => {
  const bases = new Map<string, Base>()
  const files = new Map<string, FoundFile>()
  const notes = new Map<string, NoteContent>()
  fates.forEach(({ file, hasBase, note }, at) => {
    const [id, path, identity, hash] = [`nt_${at}`, `n${at}.md`, `i${at}`, `h${at}`]
    const base = noteOf(id, `n${at}`, `text ${at}`)
    if (hasBase) bases.set(id, { path, identity, hash, stat: hash, note: base })
    if (file === "same") files.set(path, fileOf(path, identity, hash))
    if (file === "changed") files.set(path, fileOf(path, identity, `${hash}+`))
    if (file === "replaced") files.set(path, fileOf(path, `${identity}+`, `${hash}+`))
    if (file === "moved") files.set(`moved${at}.md`, fileOf(`moved${at}.md`, identity, hash))
    if (note === "same") notes.set(id, base)
    if (note === "changed") notes.set(id, { ...base, body: `other ${at}` })
    if (note === "renamed") notes.set(id, { ...base, title: `renamed${at}` })
  })
  const idsWith = (isSo: (each: Fate) => boolean) =>
    new Set(fates.flatMap((each, at) => (isSo(each) ? [`nt_${at}`] : [])))
  return {
    bases,
    folderBases: new Map(),
    links: { inFile: ({ body }) => ({ text: body, targets: {} }) },
    scan: {
      files,
      assets: new Map(),
      folders: new Map(),
      otherNames: new Map(),
      unreadable: [],
      isIgnored: () => false
    },
    notes,
    notebooks: new Map([["nb", { id: "nb", name: "Inbox", parent_id: null, created_at: "2026-01-01" }]]),
    home: "nb",
    seen: idsWith(({ wasSeen }) => wasSeen),
    absent: idsWith(({ wasAbsent }) => wasAbsent),
    direction: "both",
    missing: undefined,
    ...more
  }
}

const fates = fc.array(fate, { maxLength: 30 })

describe("a plan", () => {
  it("deletes nothing that has changed on the other side, or that was not seen to go", () => {
    fc.assert(
      fc.property(fates, (all) => {
        const { actions, held } = planned(sidesOf(all, {}))
        for (const action of [...actions, ...held]) {
          if (action.kind === "trashNote") {
            const { file, hasBase, note, wasAbsent, wasSeen } = all[Number(action.id.slice(3))]!
            expect({ file, hasBase, note, wasAbsent, wasSeen }).toEqual({
              file: "gone",
              hasBase: true,
              note: "same",
              wasAbsent: true,
              wasSeen: true
            })
          }
          if (action.kind === "trashFile") {
            const { file, note } = all[Number(action.id.slice(3))]!
            expect([note, ["same", "moved"].includes(file)]).toEqual(["gone", true])
          }
        }
      })
    )
  })

  it("has no more deletions on a side than are believed at once", () => {
    fc.assert(
      fc.property(fates, (all) => {
        const sides = sidesOf(all, {})
        const { actions, held } = planned(sides)
        for (const kind of ["trashNote", "trashFile"]) {
          const count = actions.filter((each) => each.kind === kind).length
          expect(areMany(count, sides.bases.size)).toBe(false)
          expect(count > 0 && held.some((each) => each.kind === kind)).toBe(false)
        }
      })
    )
  })

  it("gives each file one name, and takes none of another note", () => {
    fc.assert(
      fc.property(fates, (all) => {
        const sides = sidesOf(all, {})
        const { actions } = planned(sides)
        const paths = actions.flatMap((each) => (each.kind === "write" || each.kind === "move" ? [each.path] : []))
        expect(new Set(paths).size).toBe(paths.length)
        const leaving = new Set(actions.flatMap((each) => (each.kind === "move" ? [each.from] : [])))
        for (const { id = "", kind, path } of actions.map((each) => ({ id: "", ...each }))) {
          if (kind !== "write" || !sides.scan.files.has(path) || leaving.has(path)) continue
          expect(sides.scan.files.get(path)!.identity.replace("+", "")).toBe(id.replace("nt_", "i"))
        }
      })
    )
  })

  it("for one side changes the other one only", () => {
    fc.assert(
      fc.property(fates, (all) => {
        const kindsOf = (direction: "pull" | "push") =>
          planned(sidesOf(all, { direction })).actions.map(({ kind }) => kind)
        const ofNotes = ["send", "create", "retitle", "trashNote", "renameNotebook"]
        expect(kindsOf("pull").filter((kind) => ofNotes.includes(kind))).toEqual([])
        expect(kindsOf("push").filter((kind) => !["meet", "forget", ...ofNotes].includes(kind))).toEqual([])
      })
    )
  })

  it("for equal sides has no action", () => {
    fc.assert(
      fc.property(fates, (all) => {
        const equal = all.map((each) => ({ ...each, hasBase: true, file: "same", note: "same" }) as const)
        expect(planned(sidesOf(equal, {})).actions).toEqual([])
      })
    )
  })
})
