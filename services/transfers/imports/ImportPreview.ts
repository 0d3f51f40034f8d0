import { Effect } from "effect"
import type { Staged } from "../../files/Blobs.ts"
import { blobs } from "../../files/BlobTable.ts"
import { type CommentRow, comments } from "../../notes/comments/Comment.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { noteParts } from "../../notes/NoteParts.ts"
import { type NoteRow, notes, noteVersions } from "../../notes/NoteTable.ts"
import { tags } from "../../notes/tags/Tag.ts"
import { counters, noCounts } from "../../tables/Counters.ts"
import { keyText, type Table } from "../../tables/Table.ts"
import { Draft, type DraftOptions } from "../../writer/Draft.ts"
import { type RecordRow, records } from "../../writer/LogEntry.ts"
import type { ReadRows } from "../../writer/RowReads.ts"
import { noteSources } from "./Import.ts"

/** Tables of which drafts read all rows. */
const wholeTables: ReadonlyArray<Table<any>> = [notebooks, tags]
const partTables: ReadonlyArray<Table<any>> = noteParts.map(({ table }) => table)

/** What later batches do not read of the note, the record and the comment of an earlier one. */
const note: Omit<NoteRow, "id" | "notebook_id"> = {
  title: "",
  body: "",
  tags: [],
  pinned: false,
  archived: false,
  version: 1,
  word_count: 0,
  created_at: "",
  updated_at: "",
  deleted_at: null,
  author_id: null,
  restored_from: null,
  deleted_with: null
}
const record: Omit<RecordRow, "type" | "id" | "deleted"> = {
  seq: 0,
  revision: 1,
  bytes: 0,
  changed_at: "",
  actor_id: null,
  device_id: null
}
const comment: Omit<CommentRow, "id" | "note_id" | "parent_id"> = {
  revision: 1,
  body: "",
  author_id: null,
  resolved: false,
  deleted: false,
  trashed: false,
  created_at: "",
  updated_at: ""
}

/**
 * What the batches of a preview would have stored until now: as much of it as later batches read, some hundred bytes for
 * each note. Each batch runs on a draft of its own, which is added here and never stored.
 */
export class ImportPreview {
  readonly #import_id: string
  /** The counters that the batches have added to. */
  readonly #head = { ...noCounts, seq: 0 }
  readonly #whole = new Map(wholeTables.map((table) => [table, new Map<string, object | null>()]))
  /** The notebooks of written notes, by note. */
  readonly #notes = new Map<string, string>()
  /** Other records, by id, and whether they are deleted. */
  readonly #records = new Map<string, boolean>()
  /** Numbers of new records that belong to notes, by table and note. */
  readonly #parts = new Map(partTables.map((table) => [table, new Map<string, number>()]))
  readonly #comments = new Map<string, Pick<CommentRow, "id" | "note_id" | "parent_id">>()
  /** The versions of the last note with a history: its versions follow each other. */
  #history: { readonly note_id: string; readonly keys: Set<string> } = { note_id: "", keys: new Set() }
  /** Bytes of the files that were read, by hash, and whether a record uses them. */
  readonly #files = new Map<string, { readonly size: number; isUsed: boolean }>()
  #fileBytes = 0

  constructor(import_id: string) {
    this.#import_id = import_id
  }

  /** The draft of the next batch: of the workspace as it is, with what the earlier batches would have stored. */
  readonly draftOf = ({ actor, options }: Draft): Draft => {
    const draft = new PreviewDraft(options, this)
    draft.actor = actor
    for (const counter of [...counters, "seq"] as const) draft.head[counter] += this.#head[counter]
    for (const [table, rows] of this.#whole) {
      for (const [key, row] of rows) row === null ? draft.remove(table, key) : draft.put(table, row)
    }
    return draft
  }

  /** Adds the draft of a batch. */
  add(draft: Draft): void {
    const { head } = draft.options.base
    for (const counter of [...counters, "seq"] as const) this.#head[counter] = draft.head[counter] - head[counter]
    const written = <Row extends object>(table: Table<Row>): ReadonlyMap<string, Row | null> =>
      draft.contents.get(table) ?? new Map()
    const present = <Row extends object>(table: Table<Row>): ReadonlyArray<Row> =>
      [...written(table).values()].filter((row) => row !== null)
    for (const [table, rows] of this.#whole) for (const [key, row] of written(table)) rows.set(key, row)
    for (const { id, notebook_id } of present(notes)) this.#notes.set(id, notebook_id)
    for (const { deleted, id, type } of present(records)) if (type !== "note") this.#records.set(id, deleted)
    for (const [table, counts] of this.#parts) {
      for (const { note_id } of present(table)) counts.set(note_id, (counts.get(note_id) ?? 0) + 1)
    }
    for (const { id, note_id, parent_id } of present(comments)) this.#comments.set(id, { id, note_id, parent_id })
    for (const row of present(noteVersions)) {
      if (row.note_id !== this.#history.note_id) this.#history = { note_id: row.note_id, keys: new Set() }
      this.#history.keys.add(noteVersions.keyOf(row))
    }
    for (const { sha256, size } of present(blobs)) this.#files.set(sha256, { size, isUsed: true })
  }

  /** Counts the bytes of a file. `isHere`: the workspace has them already. */
  count({ sha256, size }: Staged, isHere: boolean): void {
    if (this.#files.has(sha256)) return
    this.#files.set(sha256, { size, isUsed: false })
    if (!isHere) this.#fileBytes += size
  }

  /** Bytes that the workspace would keep in addition. */
  get keptBytes(): number {
    return this.#head.text_bytes + this.#fileBytes
  }

  has(id: string): boolean {
    return this.#records.has(id)
  }

  /** The bytes of this hash, if a record would use them. */
  used(sha256: string): Staged | undefined {
    const file = this.#files.get(sha256)
    return file?.isUsed === true ? { sha256, size: file.size } : undefined
  }

  /** The number of records of this table that the note would have in addition. */
  countOf(table: Table<any>, note_id: string): number {
    return this.#parts.get(table)?.get(note_id) ?? 0
  }

  /** The row of this key, if a batch would have written it. */
  #rowOf(table: Table<any>, key: ReadonlyArray<string>): object | undefined {
    const [first = "", id = ""] = key
    if (table === records) {
      const deleted = first === "note" ? (this.#notes.has(id) ? false : undefined) : this.#records.get(id)
      return deleted === undefined ? undefined : ({ ...record, type: first, id, deleted } satisfies RecordRow)
    }
    if (table === notes || table.partOf === notes) {
      const notebook_id = this.#notes.get(first)
      return notebook_id === undefined ? undefined : ({ ...note, id: first, notebook_id } satisfies NoteRow)
    }
    if (table === noteSources && this.#notes.has(first)) {
      return { note_id: first, import_id: this.#import_id, key: "", content: "", version: 0 }
    }
    if (table === comments) {
      const known = this.#comments.get(first)
      return known === undefined ? undefined : ({ ...comment, ...known } satisfies CommentRow)
    }
    if (table === noteVersions && this.#history.keys.has(keyText(key))) return { note_id: first, version: Number(id) }
    if (table === blobs) {
      const file = this.#files.get(first)
      return file && { sha256: first, size: file.size, refs: 0, unused_since: null, released: false }
    }
    return undefined
  }

  /** Reads rows as the earlier batches would have left them. */
  readonly over =
    (read: ReadRows): ReadRows =>
    (table, workspace_id, keys) =>
      Effect.map(read(table, workspace_id, keys), (rows) => {
        const found = new Map(rows.map((row) => [table.keyOf(row), row]))
        for (const key of keys) {
          const row = this.#rowOf(table, key)
          if (row !== undefined) found.set(keyText(key), row as (typeof rows)[number])
        }
        return [...found.values()]
      })
}

class PreviewDraft extends Draft {
  readonly #preview: ImportPreview

  constructor(options: DraftOptions, preview: ImportPreview) {
    super({ ...options, readRows: preview.over(options.readRows) })
    this.#preview = preview
    this.isDry = true
  }

  override countHaving<Row extends object>(table: Table<Row>, column: keyof Row & string, value: string) {
    const more = column === "note_id" ? this.#preview.countOf(table, value) : 0
    return Effect.map(super.countHaving(table, column, value), (count) => count + more)
  }
}
