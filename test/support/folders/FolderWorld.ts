import assert from "node:assert/strict"
import { vi } from "vitest"
import type { Sheaf } from "../../../src/program/testing/Sheaf.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { statedBy } from "../../../src/clients/folder/FileText.ts"
import { SyncedFolder } from "./SyncedFolder.ts"

const titles = ["Vienna", "vienna", "List", "Ideas 1", "Zürich", "a/b?", "Notes"]
const places = ["", "", "Journeys/", "Journeys/Far/", "Work/"]
const offline = () => Promise.reject(new TypeError("the network is gone"))

/** A notebook, two folders that are synced with it, and clients of the API, which all change at random. */
export class FolderWorld implements AsyncDisposable {
  readonly #sheaf: Sheaf
  readonly #random: Random
  readonly #folders: ReadonlyArray<SyncedFolder>
  readonly #seed: number
  #notebook = ""
  #words = 0
  readonly #written = new Set<string>()
  /** Words that an edit or a deletion took away. */
  readonly #removed = new Set<string>()
  /** Notes whose deletion was asked for. */
  readonly #deleted = new Set<string>()
  readonly history: Array<string> = []

  constructor(sheaf: Sheaf, seed: number) {
    this.#sheaf = sheaf
    this.#seed = seed
    this.#random = new Random(seed)
    this.#folders = [new SyncedFolder(sheaf), new SyncedFolder(sheaf)]
  }

  #below(count: number): number {
    return this.#random.between(0, count - 1)
  }

  #pick<A>(all: ReadonlyArray<A>): A {
    return this.#random.pick(all)
  }

  #word(): string {
    const word = `w${this.#seed}x${this.#words++}`
    this.#written.add(word)
    return word
  }

  #options() {
    return { notebooks: [this.#notebook], missing: "restore", settling: 0 } as const
  }

  #wordsOf(text: string): ReadonlyArray<string> {
    return text.match(/w\d+x\d+/g) ?? []
  }

  /** A text after an edit by a user. An empty file is left to the program: new words would replace all earlier ones. */
  #edited(text: string): string {
    if (text === "") return text
    const lines = text.split("\n")
    const at = this.#below(lines.length + 1)
    const line = `${this.#word()} ${this.#word()}`
    if (at === lines.length || this.#random.next() < 0.6) lines.splice(at, 0, line)
    else {
      for (const word of this.#wordsOf(lines[at]!)) this.#removed.add(word)
      lines[at] = line
    }
    return lines.join("\n")
  }

  readonly #inFolder: Readonly<
    Record<string, (folder: SyncedFolder, path: string | undefined) => Promise<void> | void>
  > = {
    create: (folder) => {
      const path = `${this.#pick(places)}${this.#pick(titles).replaceAll(/[/?]/g, "-")}.md`
      if (folder.files()[path] === undefined) folder.write(path, `${this.#word()}\n${this.#word()}\n`)
    },
    edit: (folder, path) => (path === undefined ? undefined : folder.write(path, this.#edited(folder.read(path)))),
    saveAs: (folder, path) => {
      // A file that was renamed and replaced between two scans is another one.
      if (path === undefined || folder.noteAt(path) === undefined) return
      // As editors do that write another file and rename it.
      folder.write(`${path}.tmp`, this.#edited(folder.read(path)))
      folder.move(`${path}.tmp`, path)
    },
    rename: (folder, path) => {
      const to = `${this.#pick(places)}${this.#pick(titles).replaceAll(/[/?]/g, "-")}.md`
      if (path !== undefined && folder.files()[to] === undefined) folder.move(path, to)
    },
    changeCase: (folder, path) => {
      const to = path?.replace(/[^/]*$/, (name) => name.toUpperCase().replace(/\.MD$/, ".md"))
      if (path !== undefined && folder.files()[to!] === undefined) folder.move(path, to!)
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
      const text = folder.read(path)
      for (const word of this.#wordsOf(text)) this.#removed.add(word)
      const id = folder.noteAt(path)
      if (id !== undefined) this.#deleted.add(id)
      folder.remove(path)
    },
    empty: async (folder, path) => {
      if (path === undefined) return
      // Words that were never synced would be gone by the user's own doing.
      await this.#run(folder, "sync")
      if (folder.noteAt(path) !== undefined) folder.write(path, "")
    },
    loseState: (folder) => (this.#random.next() < 0.3 ? folder.loseState() : undefined)
  }

  readonly #byApi: Readonly<Record<string, () => Promise<void>>> = {
    createNote: async () => {
      const input = { notebook_id: this.#notebook, title: this.#pick(titles), body: `${this.#word()}\n` }
      await this.#sheaf.client.createNote(input)
    },
    editNote: async () => {
      const note = await this.#note()
      if (note)
        await this.#sheaf.client.updateNote({ id: note.id, version: note.version, body: this.#edited(note.body) })
    },
    renameNote: async () => {
      const note = await this.#note()
      if (note) await this.#sheaf.client.updateNote({ id: note.id, version: note.version, title: this.#pick(titles) })
    },
    tagNote: async () => {
      const note = await this.#note()
      if (note)
        await this.#sheaf.client.updateNote({ id: note.id, version: note.version, tags: [this.#pick(["red", "blue"])] })
    },
    deleteNote: async () => {
      const note = await this.#note()
      if (note === undefined) return
      for (const word of this.#wordsOf(note.body)) this.#removed.add(word)
      this.#deleted.add(note.id)
      await this.#sheaf.client.deleteNote({ id: note.id })
    }
  }

  async #notes(filter?: string) {
    const { data: notebooks } = await this.#sheaf.client.listNotebooks({ limit: 100 })
    const inside = new Set([this.#notebook])
    for (let size = 0; size < inside.size;) {
      size = inside.size
      for (const { id, parent_id } of notebooks) if (parent_id && inside.has(parent_id)) inside.add(id)
    }
    const notes = []
    for await (const note of this.#sheaf.client.listNotes({ limit: 100, ...(filter === undefined ? {} : { filter }) }))
      if (inside.has(note.notebook_id)) notes.push(note)
    return notes
  }

  async #note() {
    const listed = (await this.#notes()).toSorted((one, other) =>
      one.created_at + one.id < other.created_at + other.id ? -1 : 1
    )
    return listed.length === 0 ? undefined : this.#sheaf.client.getNote({ id: this.#pick(listed).id })
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
    } else await folder.sync(this.#options())
    folder.network = undefined
  }

  async run(steps: number): Promise<void> {
    this.#notebook = (await this.#sheaf.client.createNotebook({ name: `World ${this.#seed}` })).id
    for (let step = 0; step < steps; step++) {
      const folder = this.#pick(this.#folders)
      const name = `folder ${this.#folders.indexOf(folder)}`
      const which = this.#random.next()
      if (which < 0.45) {
        const [what, act] = this.#pick(Object.entries(this.#inFolder))
        const paths = Object.keys(folder.files())
        const path = paths.length === 0 ? undefined : this.#pick(paths)
        this.history.push(`${name}: ${what} ${path}`)
        await act(folder, path)
      } else if (which < 0.65) {
        const [what, act] = this.#pick(Object.entries(this.#byApi))
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

  /** Heals everything, syncs until nothing changes, and compares all sides. */
  async check(): Promise<void> {
    vi.restoreAllMocks()
    let later = Date.now()
    vi.spyOn(Date, "now").mockImplementation(() => (later += 1))
    for (const folder of this.#folders) await folder.stop()
    for (let round = 0; ; round++) {
      later += 10_000
      const done = []
      for (const folder of this.#folders) done.push(...(await folder.sync(this.#options())).actions)
      this.history.push(`round ${round}: ${JSON.stringify(done)}`)
      if (done.length === 0) break
      assert(round < 8, "the folders do not come to rest")
    }
    const notes = await Promise.all((await this.#notes()).map(({ id }) => this.#sheaf.client.getNote({ id })))
    for (const folder of this.#folders) {
      const report = await folder.sync(this.#options())
      assert.deepEqual({ ...report }, { actions: [], held: [], problems: [], waiting: 0 })
      assert.equal(Object.keys(folder.files()).length, notes.length)
      for (const { body, id } of notes) assert.equal(statedBy(folder.textOf(id)).body, body, id)
    }
    const all = new Set(notes.flatMap(({ body }) => this.#wordsOf(body)))
    const lost = [...this.#written].filter((word) => !all.has(word) && !this.#removed.has(word))
    assert.deepEqual(lost, [])
    const trashed = await this.#notes("deleted_at != null")
    const unasked = trashed.filter(({ id }) => !this.#deleted.has(id))
    assert.deepEqual(unasked, [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    vi.restoreAllMocks()
    for (const folder of this.#folders) await folder[Symbol.asyncDispose]()
  }
}
