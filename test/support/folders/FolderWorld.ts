import assert from "node:assert/strict"
import { vi } from "vitest"
import type { Sheaf } from "../../../src/program/testing/Sheaf.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { contentOf, isFileOf, statedBy } from "../../../src/clients/folder/FileText.ts"
import { isNoteFile } from "../../../src/clients/folder/FolderScan.ts"
import { GitFolder, hasGit } from "./GitFolder.ts"
import { SyncedFolder } from "./SyncedFolder.ts"
import { titles, WorldApi } from "./WorldApi.ts"
import { sha256, WorldWords } from "./WorldWords.ts"

const filenames = ["f1.txt", "f2.txt", "f3.txt"]
const places = ["", "", "Journeys/", "Journeys/Far/", "Work/"]
/** A text without the targets of its links, which differ between a note and its file. */
const withoutTargets = (text: string) => text.replaceAll(/\]\([^)\n]*\)/g, "]()")
const offline = () => Promise.reject(new TypeError("the network is gone"))

/** A notebook, two folders that are synced with it, and clients of the API, which all change at random. */
export class FolderWorld implements AsyncDisposable {
  readonly #sheaf: Sheaf
  readonly #random: Random
  readonly #folders: ReadonlyArray<SyncedFolder>
  readonly #seed: number
  readonly #words: WorldWords
  /** The first folder is a Git repository. */
  readonly #git: GitFolder | undefined
  readonly #api: WorldApi
  /** The inodes of files that have replaced others, until the next whole sync. */
  readonly #replaced: ReadonlyMap<SyncedFolder, Set<number>>
  readonly history: Array<string> = []

  constructor(sheaf: Sheaf, seed: number) {
    this.#sheaf = sheaf
    this.#seed = seed
    this.#random = new Random(seed)
    this.#words = new WorldWords(seed, this.#random)
    this.#api = new WorldApi(sheaf, this.#random, this.#words)
    this.#folders = [new SyncedFolder(sheaf), new SyncedFolder(sheaf)]
    this.#replaced = new Map(this.#folders.map((folder) => [folder, new Set()]))
    this.#git = hasGit ? new GitFolder(this.#folders[0]!.folder) : undefined
  }

  /** Whether the file at a path has replaced another one since the last whole sync. */
  #isReplaced(folder: SyncedFolder, path: string): boolean {
    return this.#replaced.get(folder)!.has(folder.inode(path))
  }

  #below(count: number): number {
    return this.#random.between(0, count - 1)
  }

  #pick<A>(all: ReadonlyArray<A>): A {
    return this.#random.pick(all)
  }

  #options() {
    return { notebooks: [this.#api.notebook], missing: "restore", settling: 0 } as const
  }

  readonly #inFolder: Readonly<
    Record<string, (folder: SyncedFolder, path: string | undefined) => Promise<void> | void>
  > = {
    create: (folder) => {
      const path = `${this.#pick(places)}${this.#pick(titles).replaceAll(/[/?]/g, "-")}.md`
      if (folder.files()[path] === undefined) folder.write(path, `${this.#words.next()}\n${this.#words.next()}\n`)
    },
    edit: (folder, path) =>
      path === undefined ? undefined : folder.write(path, this.#words.edited(folder.read(path))),
    saveAs: (folder, path) => {
      // A file that was renamed and replaced between two scans is another one: see `rename` too.
      if (path === undefined || folder.noteAt(path) === undefined) return
      // As editors do that write another file and rename it.
      folder.write(`${path}.tmp`, this.#words.edited(folder.read(path)))
      folder.move(`${path}.tmp`, path)
      this.#replaced.get(folder)!.add(folder.inode(path))
    },
    rename: (folder, path) => {
      const to = `${this.#pick(places)}${this.#pick(titles).replaceAll(/[/?]/g, "-")}.md`
      if (path === undefined || folder.files()[to] !== undefined || this.#isReplaced(folder, path)) return
      folder.move(path, to)
    },
    changeCase: (folder, path) => {
      const to = path?.replace(/[^/]*$/, (name) => name.toUpperCase().replace(/\.MD$/, ".md"))
      if (path !== undefined && folder.files()[to!] === undefined) folder.move(path, to!)
    },
    changeForm: (folder, path) => {
      const to = path?.normalize(path === path.normalize("NFC") ? "NFD" : "NFC")
      if (path !== undefined && to !== path && folder.files()[to!] === undefined) folder.move(path, to!)
    },
    renameFolder: (folder) => {
      const to = `Moved ${this.#below(3)}`
      const has = (name: string) => Object.keys(folder.files()).some((path) => path.startsWith(`${name}/`))
      if (has("Work") && !has(to)) folder.move("Work", to)
    },
    remove: async (folder, path) => {
      if (path === undefined) return
      await this.#run(folder, "sync")
      if (folder.files()[path] === undefined) return
      this.#words.take(await this.#textOf(folder, path))
      await this.#api.delete(folder.noteAt(path))
      folder.remove(path)
    },
    empty: async (folder, path) => {
      if (path === undefined) return
      // Words that were never synced would be gone by the user's own doing.
      await this.#run(folder, "sync")
      if (folder.noteAt(path) !== undefined) folder.write(path, "")
    },
    linkFile: (folder, path) => {
      const text = path === undefined ? "" : folder.read(path)
      if (text === "") return
      const name = this.#pick(filenames)
      const file = path!.replace(/[^/]*$/, name)
      if (folder.files()[file] === undefined) folder.write(file, this.#words.nextFile())
      folder.write(path!, `${text}\n![](${name})\n`)
    },
    changeFile: (folder) => {
      const file = this.#assetIn(folder)
      if (file === undefined) return
      this.#words.take(folder.read(file))
      folder.write(file, this.#words.nextFile())
    },
    removeFile: async (folder) => {
      await this.#run(folder, "sync")
      const file = this.#assetIn(folder)
      if (file === undefined) return
      this.#words.take(folder.read(file))
      folder.remove(file)
    },
    checkOut: async (folder) => {
      if (this.#git === undefined || folder !== this.#folders[0]) return
      // Words that were never synced would be gone by the user's own doing.
      await this.#run(folder, "sync")
      const before = folder.files()
      const ids = new Map(Object.keys(before).map((path) => [path, folder.noteAt(path)]))
      const texts = await Promise.all(Object.keys(before).map((path) => this.#textOf(folder, path)))
      this.#git.commit()
      this.#git.checkOut(this.#pick(this.#git.commits.slice(0, -1)))
      const after = folder.files()
      this.#words.take(texts.join(" "), Object.values(after).join(" "))
      for (const [path, id] of ids) if (after[path] === undefined) await this.#api.delete(id)
      for (const path of Object.keys(after))
        if (before[path] !== after[path]) this.#replaced.get(folder)!.add(folder.inode(path))
    },
    loseState: (folder) => (this.#random.next() < 0.3 ? folder.loseState() : undefined)
  }

  /** The text that goes with a file. That of an empty one is still in its note. */
  async #textOf(folder: SyncedFolder, path: string): Promise<string> {
    const text = folder.read(path)
    const id = text === "" ? folder.noteAt(path) : undefined
    return id === undefined ? text : ((await this.#api.note(id))?.body ?? "")
  }

  #assetIn(folder: SyncedFolder): string | undefined {
    const paths = Object.keys(folder.files()).filter((path) => !isNoteFile(path))
    return paths.length === 0 ? undefined : this.#pick(paths)
  }

  async #run(folder: SyncedFolder, how: string): Promise<void> {
    if (how === "kill") await folder.syncAndKill(this.#below(8), this.#options())
    else if (how === "restart") await folder.stop()
    else if (how === "offline") {
      folder.network = offline
      await folder.sync(this.#options())
    } else if (how === "lost") {
      folder.network = (send) => send().then(offline)
      await folder.sync(this.#options())
    } else {
      await folder.sync(this.#options())
      this.#replaced.get(folder)!.clear()
    }
    folder.network = undefined
  }

  async run(steps: number): Promise<void> {
    this.#api.notebook = (await this.#sheaf.client.createNotebook({ name: `World ${this.#seed}` })).id
    const [first] = this.#folders as [SyncedFolder]
    for (const path of ["Vienna.md", "Journeys/List.md", "Work/Notes.md"]) {
      first.write(path, `${this.#words.next()}\n${this.#words.next()}\n`)
      await this.#inFolder["linkFile"]!(first, path)
    }
    this.#git?.commit()
    for (const folder of this.#folders) await this.#run(folder, "sync")
    for (let step = 0; step < steps; step++) {
      const folder = this.#pick(this.#folders)
      const name = `folder ${this.#folders.indexOf(folder)}`
      const which = this.#random.next()
      if (which < 0.45) {
        const [what, act] = this.#pick(Object.entries(this.#inFolder))
        const paths = Object.keys(folder.files()).filter(isNoteFile)
        const path = paths.length === 0 ? undefined : this.#pick(paths)
        this.history.push(`${name}: ${what} ${path}`)
        await act(folder, path)
      } else if (which < 0.65) {
        const [what, act] = this.#pick(Object.entries(this.#api.acts))
        this.history.push(`api: ${what}`)
        await act()
      } else if (which < 0.7) {
        const jump = (this.#below(3) - 1) * 3_600_000 + 5_000
        this.history.push(`clock: ${jump}`)
        const now = Date.now() + jump
        vi.spyOn(Date, "now").mockImplementation(() => now)
      } else {
        const how = this.#pick(["sync", "sync", "kill", "kill", "restart", "offline", "lost"])
        this.history.push(`${name}: ${how}`)
        await this.#run(folder, how)
      }
    }
  }

  /** Syncs until nothing changes. */
  async #rest(missing: "delete-many" | "restore", pass: () => void): Promise<void> {
    for (let round = 0; ; round++) {
      pass()
      const done = []
      for (const folder of this.#folders) done.push(...(await folder.sync({ ...this.#options(), missing })).actions)
      this.history.push(`${missing}, round ${round}: ${JSON.stringify(done)}`)
      if (done.length === 0) break
      assert(round < 8, "the folders do not come to rest")
    }
  }

  /** Heals everything, syncs until nothing changes, and compares all sides. */
  async check(): Promise<void> {
    vi.restoreAllMocks()
    let later = Date.now()
    vi.spyOn(Date, "now").mockImplementation(() => (later += 1))
    for (const folder of this.#folders) await folder.stop()
    await this.#rest("restore", () => (later += 10_000))
    // All files are back. What is still missing on the server was deleted there.
    for (const folder of this.#folders) await folder.stop()
    await this.#rest("delete-many", () => (later += 10_000))
    const notes = await Promise.all((await this.#api.notes()).map(({ id }) => this.#sheaf.client.getNote({ id })))
    const attachments = (await Promise.all(notes.map(({ id }) => this.#api.attachments(id)))).flat()
    let all = notes.map(({ body }) => body).join(" ")
    for (const folder of this.#folders) {
      const report = await folder.sync(this.#options())
      const { waiting, ...rest } = report
      assert.deepEqual(rest, { actions: [], held: [], problems: [] })
      // The bytes of a note in the trash wait, since it may come back: those that the server never got.
      const kept = folder.keptFiles().map((hash) => this.#words.ofHash(hash))
      assert.equal(waiting, kept.length)
      for (const word of kept) assert(this.#words.removed.has(word), `${word} was not sent`)
      const files = Object.entries(folder.files())
      assert.equal(files.filter(([path]) => isNoteFile(path)).length, notes.length)
      for (const { body, id, ...note } of notes) {
        const stated = statedBy(withoutTargets(folder.textOf(id)))
        const content = contentOf(id, { ...note, body: withoutTargets(body) })
        assert(
          isFileOf(stated, content),
          `folder ${this.#folders.indexOf(folder)}: ${JSON.stringify([stated, content])}`
        )
      }
      const assets = new Set(files.flatMap(([path, text]) => (isNoteFile(path) ? [] : [sha256(text)])))
      for (const { filename, id, sha256: hash, status } of attachments) {
        assert.equal(status, "ready")
        const word = this.#words.ofHash(hash)
        assert(this.#words.removed.has(word) || assets.has(hash!), `${id} ${filename} ${word} is in no file`)
      }
      for (const [path, text] of files.filter(([each]) => isNoteFile(each))) {
        for (const [, name] of text.matchAll(/!\[\]\((f\d\.txt)\)/g)) {
          const bytes = folder.files()[path.replace(/[^/]*$/, name!)]
          const own = attachments.filter(({ note_id }) => note_id === folder.noteAt(path))
          const isAttached = own.some(({ sha256: hash }) => bytes !== undefined && hash === sha256(bytes))
          assert(bytes === undefined || isAttached, `${path} links ${name}, which is no file of its note`)
        }
      }
      all += files.flatMap(([path, text]) => (isNoteFile(path) ? [] : [` ${text}`])).join("")
    }
    const found = new Set(this.#words.in(all))
    const lost = [...this.#words.written].filter((word) => !found.has(word) && !this.#words.removed.has(word))
    assert.deepEqual(lost, [])
    const trashed = await this.#api.notes("deleted_at != null")
    const unasked = trashed.filter(({ id }) => !this.#api.deleted.has(id))
    assert.deepEqual(unasked, [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    vi.restoreAllMocks()
    for (const folder of this.#folders) await folder[Symbol.asyncDispose]()
  }
}
