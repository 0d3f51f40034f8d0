import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { type FolderOptions, type FolderReport, FolderSync } from "../../../src/clients/folder/SheafFolder.ts"
import { fileStore } from "../../../src/clients/sync/FileSyncStore.ts"
import type { SyncStore } from "../../../src/clients/sync/SyncStore.ts"

type Options = Partial<Omit<FolderOptions, "client" | "folder" | "store">>

/** What happens to a request. */
type Network = (send: () => Promise<Response>) => Promise<Response>

/** The process was killed. */
class Killed extends Error {}

/** A folder on disk with its state next to it, and the program that syncs it. */
export class SyncedFolder implements AsyncDisposable {
  readonly place = mkdtempSync(join(tmpdir(), "sheaf-folder-"))
  readonly folder = join(this.place, "notes")
  readonly state = join(this.place, "state")
  readonly #server: { readonly url: string; readonly key: string }
  network: Network | undefined
  #running: FolderSync | undefined
  #life = { left: Infinity }
  #store: SyncStore | undefined

  constructor(server: { readonly url: string; readonly key: string }) {
    this.#server = server
    mkdirSync(this.folder)
  }

  /** The program, which is started if it does not run. */
  async program(options: Options = {}): Promise<FolderSync> {
    if (this.#running !== undefined) return this.#running
    const life = (this.#life = { left: Infinity })
    const step = () => {
      if (life.left-- <= 0) throw new Killed("killed")
    }
    const inner = (this.#store = fileStore(this.state))
    const store: SyncStore = {
      ...inner,
      write: async (entries) => {
        step()
        await inner.write(entries)
      }
    }
    const send: typeof fetch = (url, init) => {
      if (life.left <= 0) throw new Killed("killed")
      return (this.network ?? ((send) => send()))(() => fetch(url, init))
    }
    const client = createClient({ ...this.#server, retries: 0, fetch: send })
    this.#running = await FolderSync.open({ client, store, folder: this.folder, onStep: step, ...options })
    return this.#running
  }

  /** Runs a sync that is killed before a change of a file or of the state, and starts nothing after it. */
  async syncAndKill(steps: number, options: Options = {}): Promise<void> {
    const program = await this.program(options)
    this.#life.left = steps
    await program.sync().catch(() => {})
    this.#life.left = 0
    this.#running = undefined
    await program.engine.stop()
    // The system closes the files of the process.
    await this.#store!.close()
  }

  async sync(options: Options = {}): Promise<FolderReport> {
    return (await this.program(options)).sync()
  }

  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.close()
  }

  /** Ends the program, and forgets its state. */
  async loseState(): Promise<void> {
    await this.stop()
    rmSync(this.state, { recursive: true, force: true })
  }

  at(path: string): string {
    return join(this.folder, path)
  }

  write(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), text)
  }

  read(path: string): string {
    return readFileSync(this.at(path), "utf8")
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(this.at(to)), { recursive: true })
    renameSync(this.at(from), this.at(to))
  }

  remove(path: string): void {
    rmSync(this.at(path), { recursive: true })
  }

  inode(path: string): number {
    return statSync(this.at(path)).ino
  }

  /** The files outside of the trash and of Git, by their paths. */
  files(): Record<string, string> {
    const all = readdirSync(this.folder, { recursive: true, withFileTypes: true })
    const paths = all
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name).slice(this.folder.length + 1))
      .filter((path) => !/^\.(?:git|trash)\//.test(path) && !/(?:^|\/)\.sheaf-/.test(path))
    return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(this.at(path), "latin1")]))
  }

  /** The hashes of the files that the state keeps until the server has them. */
  keptFiles(): ReadonlyArray<string> {
    return readdirSync(join(this.state, "files"))
  }

  /** The note of a file. */
  noteAt(path: string): string | undefined {
    return this.#running?.paths.get(path)
  }

  /** The text of the file of a note. */
  textOf(id: string): string {
    const found = [...(this.#running?.paths ?? [])].find(([, note]) => note === id)
    return found === undefined ? "there is no file" : this.read(found[0])
  }

  /** The hash of all bytes and names, and of the times of files. */
  fingerprint(): string {
    const all = Object.entries(this.files()).map(([path, text]) => [path, text, statSync(this.at(path)).mtimeMs])
    return createHash("sha256").update(JSON.stringify(all)).digest("hex")
  }

  /** The texts in the trash, by their paths in it. */
  trash(): Record<string, string> {
    try {
      const all = readdirSync(this.at(".trash"), { recursive: true, withFileTypes: true })
      const paths = all.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
      return Object.fromEntries(
        paths.map((path) => [path.slice(this.at(".trash/").length), readFileSync(path, "utf8")])
      )
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {}
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.place, { recursive: true, force: true })
  }
}
