import type { Entry, SyncStore } from "../sync/SyncStore.ts"
import type { Base, FolderBase } from "./FileMatches.ts"
import type { FileBase } from "./files/FilePlan.ts"
import type { NoteContent } from "./FileText.ts"

/** The stored state of a record, as far as this store reads it. */
interface StoredRecord {
  readonly known: { readonly data: { readonly body?: unknown } | null }
}

/** A base as it is stored. Without a body, it has that of the record, as nearly all have: each text is stored once. */
interface StoredBase extends Omit<Base, "note"> {
  readonly note: Omit<NoteContent, "body"> & { readonly body?: string }
}

const bodyOf = (record: unknown): unknown => (record as StoredRecord | undefined)?.known.data?.body

/**
 * The store of the engine, with the bases of files in it: a base and the edit of the note that belongs to it are written
 * together or not at all.
 */
export class FolderStore implements SyncStore {
  readonly bases = new Map<string, Base>()
  readonly folderBases = new Map<string, FolderBase>()
  readonly fileBases = new Map<string, FileBase>()
  readonly #inner: SyncStore
  /** The bodies of the stored records of notes with bases. */
  readonly #bodies = new Map<string, unknown>()
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
      if (kind === "base") {
        const base = value as StoredBase
        const recorded = bodyOf(entries.get(`record/${id}`))
        const body = base.note.body ?? recorded
        if (typeof body === "string") this.bases.set(id, { ...base, note: { ...base.note, body } })
        this.#bodies.set(id, recorded)
      } else if (kind === "place") this.folderBases.set(id, value as FolderBase)
      else if (kind === "asset") this.fileBases.set(id, value as FileBase)
      else continue
      entries.delete(key)
    }
    return entries
  }

  /** Sets a base, which is stored with the next write. */
  setBase(id: string, base: Base | undefined): void {
    if (base === undefined) this.bases.delete(id)
    else this.bases.set(id, base)
    this.#staged.set(`base/${id}`, undefined)
  }

  setFolder(id: string, base: FolderBase | undefined): void {
    if (base === undefined) this.folderBases.delete(id)
    else this.folderBases.set(id, base)
    this.#staged.set(`place/${id}`, base)
  }

  setFile(id: string, base: FileBase | undefined): void {
    if (base === undefined) this.fileBases.delete(id)
    else this.fileBases.set(id, base)
    this.#staged.set(`asset/${id}`, base)
  }

  /** The bases to store with entries: those that were set, and those whose body an entry takes away or brings. */
  #basesWith(entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> {
    const keys = new Set(this.#staged.keys())
    for (const [key, value] of entries) {
      if (!key.startsWith("record/nt_")) continue
      const id = key.slice("record/".length)
      const body = this.bases.get(id)?.note.body
      const now = bodyOf(value)
      if (body !== undefined && (body === now) !== (body === this.#bodies.get(id))) keys.add(`base/${id}`)
      this.#bodies.set(id, now)
    }
    return [...keys].map((key): Entry => {
      const id = key.slice("base/".length)
      const base = key.startsWith("base/") ? this.bases.get(id) : undefined
      if (base === undefined) return [key, key.startsWith("base/") ? undefined : this.#staged.get(key)]
      const { body, ...note } = base.note
      return [key, { ...base, note: body === this.#bodies.get(id) ? note : base.note } satisfies StoredBase]
    })
  }

  write(entries: ReadonlyArray<Entry>): Promise<void> {
    // The bases that are set at this moment belong to these entries.
    const bases = this.#basesWith(entries)
    const staged = this.#staged
    this.#staged = new Map()
    const writing = this.#writing.then(async () => {
      try {
        await this.#inner.write([...entries, ...bases])
      } catch (error) {
        this.#staged = new Map([...staged, ...bases, ...this.#staged])
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
