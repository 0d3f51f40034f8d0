import type { Entry, SyncStore } from "../sync/SyncStore.ts"
import type { Base, FolderBase } from "./FileMatches.ts"

/**
 * The store of the engine, with the bases of files in it: a base and the edit of the note that belongs to it are written
 * together or not at all.
 */
export class FolderStore implements SyncStore {
  readonly bases = new Map<string, Base>()
  readonly folderBases = new Map<string, FolderBase>()
  readonly #inner: SyncStore
  #staged = new Map<string, unknown>()
  #writing: Promise<unknown> = Promise.resolve()

  constructor(inner: SyncStore) {
    this.#inner = inner
  }

  async load(): Promise<Map<string, unknown>> {
    const entries = await this.#inner.load()
    for (const [key, value] of entries) {
      const [kind, id = ""] = key.split("/")
      // This store has written the values.
      if (kind === "base") this.bases.set(id, value as Base)
      else if (kind === "place") this.folderBases.set(id, value as FolderBase)
      else continue
      entries.delete(key)
    }
    for (const [id, { note }] of this.bases) {
      const record = entries.get(`record/${id}`) as { readonly known: { readonly data: object | null } } | undefined
      const body = (record?.known.data as { readonly body?: unknown } | undefined)?.body
      // Most texts are those of the server: one copy of each is in memory.
      if (body === note.body) Object.assign(note, { body })
    }
    return entries
  }

  /** Sets a base, which is stored with the next write. */
  setBase(id: string, base: Base | undefined): void {
    if (base === undefined) this.bases.delete(id)
    else this.bases.set(id, base)
    this.#staged.set(`base/${id}`, base)
  }

  setFolder(id: string, base: FolderBase | undefined): void {
    if (base === undefined) this.folderBases.delete(id)
    else this.folderBases.set(id, base)
    this.#staged.set(`place/${id}`, base)
  }

  write(entries: ReadonlyArray<Entry>): Promise<void> {
    // The bases that are set at this moment belong to these entries.
    const staged = this.#staged
    this.#staged = new Map()
    const writing = this.#writing.then(async () => {
      try {
        await this.#inner.write([...entries, ...staged])
      } catch (error) {
        this.#staged = new Map([...staged, ...this.#staged])
        throw error
      }
    })
    // The caller gets the failure, and the next write runs all the same.
    this.#writing = writing.catch(() => {})
    return writing
  }

  /** Stores the bases that no edit belongs to. */
  async flush(): Promise<void> {
    if (this.#staged.size > 0) await this.write([])
  }

  files(): Promise<ReadonlyArray<string>> {
    return this.#inner.files()
  }

  writeFile(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#inner.writeFile(name, bytes)
  }

  readFile(name: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#inner.readFile(name)
  }

  removeFile(name: string): Promise<void> {
    return this.#inner.removeFile(name)
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#inner.close()
  }
}
