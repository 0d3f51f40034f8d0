import { liveShape, notes, noteVersions } from "../../notes/NoteTable.ts"
import { exportedParts } from "../../notes/NoteParts.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { tags } from "../../notes/tags/Tag.ts"
import { templates } from "../../notes/templates/Template.ts"
import { rowJson } from "../../tables/RowJson.ts"
import type { NamedNote, NoteHead, SourceFile, SourceNotebook, WrittenNote } from "./ExportRows.ts"
import { noteLinks } from "./NoteLink.ts"
import type { ExportParameters } from "./ExportMessages.ts"
import type { ExportReads } from "./ExportReads.ts"
import type { ZipWriter } from "../formats/zip/ZipWriter.ts"

/** The output of an export. */
export interface Output {
  readonly zip: ZipWriter
  /** Returns the bytes of a file, by their SHA-256. */
  readonly file: (sha256: string) => AsyncIterable<Uint8Array>
  /** Reports the progress, from 0 to 1. */
  readonly progress: (share: number) => void
  /** Reports how many files were left out. */
  readonly leftOut: (files: number) => void
}

export class NoNotebook extends Error {}

const heads = 1_000
const noteShape = { ...liveShape, author_id: notes.columns.author_id, restored_from: notes.columns.restored_from }
const { note_id: _, ...versionShape } = noteVersions.columns

const list = (json: string, from: string, order: string) =>
  `coalesce((SELECT string_agg(${json}, ',' ORDER BY ${order}) FROM ${from}), '')`

const ofNote = (table: string, letter: string) =>
  `${table} ${letter} WHERE ${letter}.workspace_id = n.workspace_id AND ${letter}.note_id = n.id`

const versionsOf = list(rowJson("v", versionShape), ofNote("note_versions", "v"), "v.version")

/** The records that belong to notes: their member in the file, JSON, condition and order. */
const parts = exportedParts.map(({ exported: { condition }, member, table }) => ({
  member,
  json: rowJson("x", table.shape),
  from: table.name,
  where: condition === undefined ? "NOT x.trashed" : `NOT x.trashed AND ${condition}`
}))
const partsJson = parts.map(
  ({ from, json, member, where }) =>
    `',"${member}":[' || ${list(json, `${ofNote(from, "x")} AND ${where}`, "x.created_at, x.id")} || ']'`
)

/** Estimated bytes of the rows of a note in a table with texts. */
const bytesIn = (table: string, texts: ReadonlyArray<string>) => {
  const bytes = texts.map((text) => `coalesce(octet_length(x.${text}), 0) + `).join("")
  return `(SELECT coalesce(sum(${bytes}400), 0) FROM ${ofNote(table, "x")})`
}
const versionBytes = bytesIn("note_versions", ["body"])
const partBytes = exportedParts
  .filter(({ exported }) => exported.texts.length > 0)
  .map(({ exported, table }) => bytesIn(table.name, exported.texts))
  .join(" + ")

/** Estimated bytes of the history of a note and of the records that belong to it. */
export const bytesAroundNote = `${versionBytes} + ${partBytes}`

/** A note with its history and the records that belong to it, as the file of a JSON export. */
export const noteJson = `'{"note":' || ${rowJson("n", noteShape)} || ',"versions":[' || ${versionsOf} || ']'
        || ${partsJson.join("\n        || ")} || '}'`

const headText = (columns: string) => `SELECT id, updated_at, ${columns}
  FROM notes n WHERE workspace_id = $1 AND notebook_id = $2 AND deleted_at IS NULL AND (updated_at, id) > ($3, $4)
  ORDER BY updated_at, id LIMIT ${heads}`

/** A column of `note_originals`. */
const originalOf = (column: string) =>
  `(SELECT ${column} FROM note_originals o WHERE o.workspace_id = n.workspace_id AND o.note_id = n.id)`

const namedText = `SELECT id, title, ${originalOf("o.path")} AS original,
  CASE WHEN n.version = 1 THEN n.title
    ELSE (SELECT v.title FROM ${ofNote("note_versions", "v")} AND v.version = 1) END AS first_title
  FROM notes n WHERE workspace_id = $1 AND notebook_id = $2 AND deleted_at IS NULL ORDER BY created_at, id`
const markdownText = headText(
  `octet_length(body) + 500 + coalesce(${originalOf("octet_length(o.links::text)")}, 0) AS bytes, 0 AS more`
)
/** Notes with one version have no history, and most notes have no comments: most look-ups read only an index. */
const weighedText = headText(
  `octet_length(body) + 500 AS bytes,
    (CASE WHEN n.version > 1 THEN ${versionBytes} ELSE 0 END + ${partBytes})::float8 AS more`
)

/** Reads the rows of an export, a few at a time, from one snapshot of the workspace. */
export class ExportSource {
  readonly #reads: ExportReads
  readonly parameters: ExportParameters
  readonly workspace: {
    readonly name: string
    readonly seq: number
    readonly epoch: string
    readonly created_at: string
  }
  /** Each notebook comes after its parent. */
  readonly notebooks: ReadonlyArray<SourceNotebook>

  private constructor(
    reads: ExportReads,
    parameters: ExportParameters,
    workspace: ExportSource["workspace"],
    notebooks: ReadonlyArray<SourceNotebook>
  ) {
    this.#reads = reads
    this.parameters = parameters
    this.workspace = workspace
    this.notebooks = notebooks
  }

  static async open(reads: ExportReads, parameters: ExportParameters): Promise<ExportSource> {
    const { query } = reads
    const [workspace] = await query<ExportSource["workspace"]>(
      `SELECT w.name, h.seq::float8 AS seq, h.epoch, w.created_at FROM workspaces w JOIN heads h USING (workspace_id)
      WHERE workspace_id = $1`,
      [parameters.workspace_id]
    )
    if (workspace === undefined) throw new Error("the workspace does not exist")
    const rows = await query<Omit<SourceNotebook, "level">>(
      `SELECT id, name, parent_id, note_count, created_at, updated_at, ${rowJson("b", notebooks.synced)} AS json
      FROM notebooks b WHERE workspace_id = $1 ORDER BY created_at, id`,
      [parameters.workspace_id]
    )
    const inside = Map.groupBy(rows, ({ parent_id }) => parent_id)
    const ordered: Array<SourceNotebook> = []
    const visit = (row: Omit<SourceNotebook, "level">, level: number): void => {
      ordered.push({ ...row, level })
      for (const child of inside.get(row.id) ?? []) visit(child, level + 1)
    }
    const tops =
      parameters.notebook_id === null ? inside.get(null) : rows.filter(({ id }) => id === parameters.notebook_id)
    for (const top of tops ?? []) visit(top, 1)
    if (parameters.notebook_id !== null && ordered.length === 0) throw new NoNotebook("the notebook does not exist")
    return new ExportSource(reads, parameters, workspace, ordered)
  }

  get noteCount(): number {
    return this.notebooks.reduce((sum, { note_count }) => sum + note_count, 0)
  }

  /** Pages of the notes of a notebook outside the trash, in the order of their last change. */
  async *#pages<Row extends { readonly id: string; readonly updated_at: string }>(
    text: string,
    notebook_id: string
  ): AsyncGenerator<ReadonlyArray<Row>> {
    let after = { updated_at: "", id: "" }
    while (true) {
      const page = await this.#reads.query<Row>(text, [
        this.parameters.workspace_id,
        notebook_id,
        after.updated_at,
        after.id
      ])
      if (page.length > 0) yield page
      if (page.length < heads) return
      const { id, updated_at } = page.at(-1)!
      after = { id, updated_at }
    }
  }

  /** The names of the notes of a notebook, the oldest first. */
  named(notebook_id: string) {
    return this.#reads.pages<NamedNote>(namedText, [this.parameters.workspace_id, notebook_id], heads)
  }

  heads(notebook_id: string) {
    return this.#pages<NoteHead>(this.parameters.format === "json" ? weighedText : markdownText, notebook_id)
  }

  /** Returns columns of notes, in the order of `ids`. */
  async notes<Row extends { readonly id: string }>(
    columns: string,
    ids: ReadonlyArray<string>
  ): Promise<ReadonlyArray<Row>> {
    const rows = await this.#reads.query<Row>(
      `SELECT n.id, ${columns} FROM notes n WHERE n.workspace_id = $1 AND n.id = ANY($2::text[])`,
      [this.parameters.workspace_id, ids]
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  /** Returns the columns of notes that Markdown files contain. */
  writtenNotes(ids: ReadonlyArray<string>) {
    return this.notes<WrittenNote>(
      `n.title, n.body, n.tags, n.pinned, n.archived, n.created_at, n.updated_at, ${originalOf("o.links")} AS original_links,
        ${noteLinks} AS note_links`,
      ids
    )
  }

  /** Returns notes as JSON, each with its history and the records that belong to it. */
  wholeNotes(ids: ReadonlyArray<string>) {
    return this.notes<{ readonly id: string; readonly updated_at: string; readonly json: string }>(
      `n.updated_at, ${noteJson} AS json`,
      ids
    )
  }

  /** Yields the file of a note with a long history in pieces. */
  async *pieces(id: string): AsyncGenerator<string> {
    const [note] = await this.notes<{ readonly id: string; readonly json: string }>(
      `${rowJson("n", noteShape)} AS json`,
      [id]
    )
    yield `{"note":${note!.json},"versions":[`
    yield* this.#rows(
      `SELECT lpad(v.version::text, 10, '0') AS place, ${rowJson("v", versionShape)} AS json FROM note_versions v
      WHERE v.workspace_id = $1 AND v.note_id = $2 AND v.version > $3::int ORDER BY v.version LIMIT 4`,
      id,
      "0"
    )
    yield "]"
    for (const { from, json, member, where } of parts) {
      yield `,"${member}":[`
      yield* this.#rows(
        `SELECT x.created_at || ' ' || x.id AS place, ${json} AS json FROM ${from} x
        WHERE x.workspace_id = $1 AND x.note_id = $2 AND ${where}
          AND (x.created_at, x.id) > (split_part($3, ' ', 1), split_part($3, ' ', 2))
        ORDER BY x.created_at, x.id LIMIT 50`,
        id,
        " "
      )
      yield "]"
    }
    yield "}"
  }

  async *#rows(text: string, id: string, from: string): AsyncGenerator<string> {
    let place = from
    let comma = ""
    while (true) {
      const rows = await this.#reads.query<{ readonly place: string; readonly json: string }>(text, [
        this.parameters.workspace_id,
        id,
        place
      ])
      if (rows.length === 0) return
      for (const row of rows) {
        yield comma + row.json
        comma = ","
      }
      place = rows.at(-1)!.place
    }
  }

  /** Pages of the ready files of exported notes, the oldest first. */
  async *files(): AsyncGenerator<ReadonlyArray<SourceFile>> {
    const ids = this.notebooks.map(({ id }) => id)
    let after: Pick<SourceFile, "created_at" | "id"> = { created_at: "", id: "" }
    while (true) {
      const page: ReadonlyArray<SourceFile> = await this.#reads.query<SourceFile>(
        `SELECT a.id, a.note_id, a.filename, a.sha256, a.size::float8 AS size, a.created_at FROM attachments a
        JOIN notes n ON n.workspace_id = a.workspace_id AND n.id = a.note_id AND n.notebook_id = ANY($4::text[])
        WHERE a.workspace_id = $1 AND NOT a.trashed AND a.status = 'ready' AND (a.created_at, a.id) > ($2, $3)
        ORDER BY a.created_at, a.id LIMIT ${heads}`,
        [this.parameters.workspace_id, after.created_at, after.id, ids]
      )
      if (page.length > 0) yield page
      if (page.length < heads) return
      after = page.at(-1)!
    }
  }

  /** Returns all tags; in the export of a notebook, only tags of its notes. */
  tags() {
    const isCarried = `EXISTS (SELECT FROM note_tags l
      JOIN notes n ON n.workspace_id = l.workspace_id AND n.id = l.note_id AND n.notebook_id = ANY($2::text[])
      WHERE l.workspace_id = t.workspace_id AND l.tag_id = t.id)`
    return this.#reads.query<{ readonly json: string }>(
      `SELECT ${rowJson("t", tags.synced)} AS json FROM tags t
      WHERE workspace_id = $1 AND ($2::text[] IS NULL OR ${isCarried}) ORDER BY created_at, id`,
      [this.parameters.workspace_id, this.parameters.notebook_id === null ? null : this.notebooks.map(({ id }) => id)]
    )
  }

  /** Reads templates four at a time, because one can have a megabyte. */
  async *templates(): AsyncGenerator<{ readonly id: string; readonly updated_at: string; readonly json: string }> {
    let after = ""
    while (true) {
      const rows = await this.#reads.query<{ readonly id: string; readonly updated_at: string; readonly json: string }>(
        `SELECT id, updated_at, ${rowJson("t", templates.shape)} AS json FROM templates t
        WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT 4`,
        [this.parameters.workspace_id, after]
      )
      if (rows.length === 0) return
      yield* rows
      after = rows.at(-1)!.id
    }
  }
}
