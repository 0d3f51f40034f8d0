import { hash } from "node:crypto"
import { isClientMade } from "../../Ids.ts"
import type { Names, SourceNote } from "./Item.ts"

/** The ways to treat a note of the file that an earlier import wrote to the workspace (contract 7). */
export const onExisting = ["skip", "update", "duplicate"] as const
export type OnExisting = (typeof onExisting)[number]

/** A note of the workspace that an import wrote, and its source. */
export interface EarlierNote {
  readonly note_id: string
  readonly key: string
  readonly content: string
  /** An earlier attempt of this import wrote it. Notes of other imports are outside the trash. */
  readonly is_own: boolean
  /** All its files were imported with it. */
  readonly is_whole: boolean
  /** It was not edited since, and is outside the trash. */
  readonly is_unedited: boolean
  /** Its files, if it may be updated. */
  readonly files: ReadonlyArray<EarlierFile>
}

interface EarlierFile {
  readonly id: string
  readonly filename: string
  readonly sha256: string
}

/** Finds the earlier notes of these keys, the newest first for each key. */
export type FindEarlier = (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<EarlierNote>>

/** Keys per query: one key may have a thousand notes. */
const keysAtOnce = 100

/** A note of the file. */
export interface Sought {
  /** The key that the reader and its links use. */
  readonly key: string
  readonly source: string
}

/** A file of a note. */
export interface OwnFile {
  /** The key that the reader and its links use. */
  readonly key: string
  readonly filename: string
  readonly sha256: () => Promise<string>
}

const sha256 = (text: string | Uint8Array): string => hash("sha256", text)

/** The key of a note, from values that stay the same between files: a path, or an id of the other program. */
export const sourceKey = (...parts: ReadonlyArray<string>): string => sha256(JSON.stringify(parts))

const recordKey = "json:"

/** The key of a note of a JSON export. It contains the id, because the id may be that of a note of the workspace. */
export const keyOfRecord = (id: string): string => (isClientMade("nt", id) ? recordKey + id : sourceKey("json", id))
export const recordOf = (key: string): string | undefined =>
  key.startsWith(recordKey) ? key.slice(recordKey.length) : undefined

/** The hash of the content of a note: of all values whose change makes an update necessary. */
export const contentOf = (...parts: ReadonlyArray<unknown>): string => sha256(JSON.stringify(parts))

export const bytesHash = (bytes: Uint8Array): string => sha256(bytes)

type Decision = { readonly kind: "skip" | "update"; readonly note: EarlierNote }

/**
 * The ids of notes and files, some of which the workspace has already: links to a skipped or updated note lead to the
 * note of the workspace. Notes are decided on before the first text that may link to them is converted.
 */
export class EarlierNotes implements Names {
  readonly #names: Names
  readonly #find: FindEarlier | undefined
  readonly #isUpdating: boolean
  /** By source key; each row matches at most one note of the file. */
  readonly #rows = new Map<string, Array<EarlierNote>>()
  readonly #decisions = new Map<string, Decision>()
  /** Notes of the file whose earlier note would be updated, but was edited. */
  readonly #edited = new Set<string>()
  readonly #files = new Map<string, string>()

  /** Without `find`, the workspace has no notes of earlier imports, or every note is imported as a new one. */
  constructor(names: Names, find?: FindEarlier, onExisting: OnExisting = "skip") {
    this.#names = names
    this.#find = find
    this.#isUpdating = onExisting === "update"
  }

  readonly note = (key: string): string => this.#decisions.get(key)?.note.note_id ?? this.#names.note(key)
  readonly file = (key: string): string => this.#files.get(key) ?? this.#names.file(key)

  /** Whether the earlier note has that file already. */
  hasFile(key: string): boolean {
    return this.#files.has(key)
  }

  /** The id of the earlier note that a note of the file is written into. */
  updatedBy(key: string): string | undefined {
    const decision = this.#decisions.get(key)
    return decision?.kind === "update" ? decision.note.note_id : undefined
  }

  isSkipped(key: string): boolean {
    return this.#decisions.get(key)?.kind === "skip"
  }

  /** The source of a note of the file, and the earlier note that it is written into. */
  sourceOf(key: string, source: string, content: string, files: ReadonlyArray<string>): SourceNote {
    const note_id = this.updatedBy(key)
    if (note_id === undefined)
      return { key: source, content, ...(this.#edited.has(key) ? { earlierWasEdited: true } : {}) }
    return { key: source, content, update: { note_id, reused: files.flatMap((file) => this.#files.get(file) ?? []) } }
  }

  /**
   * Decides on notes of the file, all at once: `content` returns the hash of a note that has earlier notes, or
   * undefined if the note cannot be read. Equal notes are matched with different earlier notes.
   */
  async decide<Note extends Sought>(
    notes: ReadonlyArray<Note>,
    content: (note: Note) => Promise<string | undefined>
  ): Promise<void> {
    if (this.#find === undefined) return
    const left = new Map<Sought, string>()
    for (let at = 0; at < notes.length; at += keysAtOnce) {
      const some = notes.slice(at, at + keysAtOnce)
      await this.#look(some, this.#find)
      for (const note of some) {
        const known = this.#rows.has(note.source) ? await content(note) : undefined
        if (known !== undefined) left.set(note, known)
      }
    }
    const take = (
      kind: Decision["kind"] | undefined,
      isIt: (row: EarlierNote, key: string, content: string) => boolean
    ) => {
      for (const [note, content] of left) {
        const rows = this.#rows.get(note.source)!
        const at = rows.findIndex((row) => isIt(row, note.key, content))
        if (at < 0) continue
        const [row] = rows.splice(at, 1)
        left.delete(note)
        if (kind !== undefined) this.#decisions.set(note.key, { kind, note: row! })
      }
    }
    const all = [...left.keys()]
    // A note that an earlier attempt of this import wrote is written again, and then found to be complete.
    take(undefined, (row, key) => row.is_own && row.note_id === this.#names.note(key))
    take("update", (row, _, content) => row.is_own && row.content === content)
    take("skip", (row, _, content) => row.is_whole && row.content === content)
    take("update", (row) => row.is_unedited && (this.#isUpdating || !row.is_whole))
    take("skip", (row, _, content) => row.content === content)
    // Includes notes that an earlier attempt wrote, so that each attempt reports the same.
    for (const note of all) {
      if (this.#decisions.has(note.key)) continue
      const rows = this.#rows.get(note.source)!
      const at = rows.findIndex((row) => !row.is_own && !row.is_unedited && (this.#isUpdating || !row.is_whole))
      if (at < 0) continue
      rows.splice(at, 1)
      this.#edited.add(note.key)
    }
  }

  async #look(notes: ReadonlyArray<Sought>, find: FindEarlier): Promise<void> {
    const asked = new Set(notes.map(({ source }) => source).filter((source) => !this.#rows.has(source)))
    for (const row of asked.size === 0 ? [] : await find([...asked])) {
      const rows = this.#rows.get(row.key)
      if (rows === undefined) this.#rows.set(row.key, [row])
      else rows.push(row)
    }
  }

  /** Keeps the files that an updated note has already, with the same name and bytes; called before its conversion. */
  async reuse(key: string, files: ReadonlyArray<OwnFile>): Promise<void> {
    const decision = this.#decisions.get(key)
    if (decision?.kind !== "update") return
    const left = [...decision.note.files]
    for (const file of files) {
      if (!left.some(({ filename }) => filename === file.filename)) continue
      const sha256 = await file.sha256()
      const at = left.findIndex((each) => each.filename === file.filename && each.sha256 === sha256)
      if (at < 0) continue
      this.#files.set(file.key, left[at]!.id)
      left.splice(at, 1)
    }
  }
}
