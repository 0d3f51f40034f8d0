import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { BadRequest } from "../Errors.ts"
import { limitOf, type Page, type PageQuery } from "../lists/Page.ts"
import { shapeOf } from "../tables/Column.ts"
import { LockedDraft } from "../writer/LockedDraft.ts"
import { runSql } from "../database/Database.ts"
import type { Draft } from "../writer/Draft.ts"
import { maxPageBytes } from "../lists/ListSql.ts"
import type { PageCursors } from "../lists/PageCursors.ts"
import { rowJson } from "../tables/RowJson.ts"
import { NoteVersion } from "./Note.ts"
import { type NoteRow, notes, type NoteVersionRow, noteVersions } from "./NoteTable.ts"

/**
 * The history of a note: its superseded versions, and the note itself as the current one. A version without a body has
 * the body of the next version that has one, or of the note. Queries limit the rows before they look up bodies, and
 * find each body by one look-up in the index `note_versions_bodies`: the cost of a page does not grow with the history.
 */

const shape = shapeOf(NoteVersion)
const members = Object.keys(shape)
const { body: _, ...briefShape } = shape

/** A version with all that the history keeps. */
export interface KeptState extends NoteVersion {
  readonly pinned: boolean
  readonly archived: boolean
}
const kept = [...members, "pinned", "archived"]

/** SQL for the members of a version that have other names in `notes`. */
const ofNote: Readonly<Record<string, string>> = {
  note_id: "n.id AS note_id",
  created_at: "n.updated_at AS created_at"
}

type Members = ReadonlyArray<string>
const fromNote = (members: Members) => members.map((member) => ofNote[member] ?? `n.${member}`).join(", ")
const fromHistory = (members: Members) => members.map((member) => `v.${member}`).join(", ")
const whole = (members: Members) =>
  members.map((member) => (member === "body" ? "coalesce(h.body, b.body, n.body) AS body" : `h.${member}`)).join(", ")

/** The largest version that the database can store. A larger number is an unknown version, like any other. */
const maxVersion = 2_147_483_647

/** The number of a version in a path. */
export const parseVersion = (text: string) =>
  /^[1-9][0-9]*$/.test(text)
    ? Effect.succeed(Math.min(Number(text), maxVersion))
    : Effect.fail(new BadRequest({ code: "invalid_parameter", detail: "version must be a positive whole number" }))

/** The body of the first version after `of` that has one. */
const nextBody = (of: string) => `SELECT w.body FROM note_versions w
    WHERE w.workspace_id = $1 AND w.note_id = ${of}.note_id AND w.version > ${of}.version AND w.body IS NOT NULL
    ORDER BY w.version LIMIT 1`

/** SQL for members of the versions of the note $2 that meet `condition`: newest first, at most `rows`. */
const history = (members: Members, condition: (version: string) => string, rows: string) => `SELECT ${whole(members)}
  FROM notes n CROSS JOIN LATERAL (
    SELECT ${fromNote(members)}
    WHERE ${condition("n.version")}
    UNION ALL (
      SELECT ${fromHistory(members)}
      FROM note_versions v WHERE v.workspace_id = $1 AND v.note_id = $2 AND ${condition("v.version")}
      ORDER BY v.version DESC LIMIT ${rows}
    )
  ) h ${members.includes("body") ? `LEFT JOIN LATERAL (${nextBody("h")}) b ON h.body IS NULL` : ""}
  WHERE n.workspace_id = $1 AND n.id = $2 AND n.deleted_at IS NULL
  ORDER BY h.version DESC LIMIT ${rows}`

const removeText = `WITH gone AS (
    DELETE FROM note_versions WHERE workspace_id = $1 AND note_id = $2 AND version = $3::int RETURNING body
  ), older AS (
    SELECT version FROM note_versions WHERE workspace_id = $1 AND note_id = $2 AND version < $3::int
    ORDER BY version DESC LIMIT 1
  ), heir AS (
    UPDATE note_versions v SET body = gone.body FROM gone, older
    WHERE v.workspace_id = $1 AND v.note_id = $2 AND v.version = older.version AND v.body IS NULL AND gone.body IS NOT NULL
    RETURNING 1
  )
  SELECT CASE WHEN EXISTS (SELECT 1 FROM heir) THEN 0 ELSE coalesce(octet_length(body), 0) END AS freed FROM gone`

/**
 * Removes a superseded version. Returns how many bytes of text this freed, or undefined if there is no such version. A
 * body that the previous version shares moves to that version. The draft must be settled: only then the history in the
 * database is complete.
 */
export const removeVersion = (draft: LockedDraft, note_id: string, version: number) =>
  draft.sql.unsafe<{ readonly freed: number }>(removeText, [draft.workspace_id, note_id, String(version)]).pipe(
    Effect.orDie,
    Effect.map((rows) => rows[0]?.freed)
  )

const oneOf = (members: Members) => history(members, (version) => `${version} = $3::int`, "1")
const versionText = oneOf(members)
const stateText = oneOf(kept)

/** Returns a whole version of a note outside the trash; undefined if there is none. */
export const versionAt = (sql: Reads, workspace_id: WorkspaceId, note_id: string, version: number) =>
  runSql<NoteVersion>(sql, versionText, [workspace_id, note_id, String(version)]).pipe(Effect.map((rows) => rows[0]))

/** The same, with all that the history keeps. */
export const stateAt = (sql: Reads, workspace_id: WorkspaceId, note_id: string, version: number) =>
  runSql<KeptState>(sql, stateText, [workspace_id, note_id, String(version)]).pipe(Effect.map((rows) => rows[0]))

const page = (members: Members) => history(members, (version) => `${version} < $3::bigint`, "$4::int")

/** Rows have JSON until the page has its maximum of bytes; the first row always has. */
const pageText = `SELECT k.version, CASE WHEN k.shown - k.size < ${maxPageBytes} THEN ${rowJson("k", shape)} END AS json
  FROM (
    SELECT h.*, octet_length(h.body) AS size, sum(octet_length(h.body)) OVER (ORDER BY h.version DESC) AS shown
    FROM (${page(members)}) h
  ) k ORDER BY k.version DESC`

/** The same without bodies, which are not read. */
const briefPageText = `SELECT k.version, ${rowJson("k", briefShape)} AS json
  FROM (${page(Object.keys(briefShape))}) k ORDER BY k.version DESC`

/** Larger than any version. */
const top = "2147483648"

export type VersionBodies = "with bodies" | "without bodies"

/** Returns a page of the history, newest first, with or without bodies; without items if there is no such note outside the trash. */
export const versionPage = Effect.fnUntraced(function* (
  sql: Reads,
  cursors: PageCursors,
  workspace_id: WorkspaceId,
  note_id: string,
  query: PageQuery,
  bodies: VersionBodies
) {
  const spec = { path: `/notes/${note_id}/versions`, defaultSort: "-version" }
  const limit = yield* limitOf(query.limit)
  const [below = top] = query.cursor === undefined ? [] : yield* cursors.read(spec, query, workspace_id, query.cursor)
  const rows = yield* runSql<{ readonly version: number; readonly json: string | null }>(
    sql,
    bodies === "with bodies" ? pageText : briefPageText,
    [workspace_id, note_id, below, String(limit + 1)]
  )
  const items: Array<string> = []
  for (const { json } of rows) {
    if (json === null || items.length === limit) break
    items.push(json)
  }
  const has_more = items.length < rows.length
  const page: Page = {
    items,
    has_more,
    next_cursor: has_more ? cursors.make(spec, query, workspace_id, [String(rows[items.length - 1]!.version)]) : null
  }
  return page
})

/** A version from the database. `known` is the current version of the note there. */
interface KeptVersion extends NoteVersionRow {
  readonly known: number
}

/** Looks up versions one by one: with a plain join, the planner may read the whole history for each of them. */
const keptText = `SELECT ${Object.keys(noteVersions.columns)
  .map((column) => (column === "body" ? "coalesce(v.body, b.body) AS body" : `v.${column}`))
  .join(", ")}, n.version AS known
  FROM unnest($2::text[], $3::int[]) AS x(note_id, version)
  JOIN LATERAL (SELECT version FROM notes WHERE workspace_id = $1 AND id = x.note_id LIMIT 1) n ON true
  JOIN LATERAL (
    SELECT * FROM note_versions WHERE workspace_id = $1 AND note_id = x.note_id AND version = x.version LIMIT 1
  ) v ON true
  LEFT JOIN LATERAL (${nextBody("v")}) b ON v.body IS NULL`

interface RequestedVersion {
  readonly id: string
  readonly revision: number
}

/** Versions of notes as a draft sees them: those in the draft, and those in the database, many read in one query. */
export class NoteBases {
  readonly #draft: Draft
  readonly #client: Reads
  readonly #kept = new Map<string, KeptVersion | null>()

  /** `read` is the client for versions, unless the draft has a transaction, in which some may have been created. */
  constructor(draft: Draft, read: Reads) {
    this.#draft = draft
    this.#client = draft instanceof LockedDraft ? draft.sql : read
  }

  #key(id: string, version: number): string {
    return noteVersions.keyOf({ note_id: id, version } as NoteVersionRow)
  }

  /** Reads versions in one query. Returns about how many bytes were read. */
  load(requested: ReadonlyArray<RequestedVersion>): Effect.Effect<number> {
    // A locked draft may have stored or rolled back versions since the last load, so they are read again.
    if (this.#draft instanceof LockedDraft) this.#kept.clear()
    const missing = new Map<string, RequestedVersion>()
    for (const each of requested) {
      const key = this.#key(each.id, each.revision)
      if (!this.#kept.has(key)) missing.set(key, each)
    }
    if (missing.size === 0) return Effect.succeed(0)
    const wanted = [...missing.values()]
    return this.#client
      .unsafe<KeptVersion>(keptText, [
        this.#draft.workspace_id,
        wanted.map(({ id }) => id),
        wanted.map(({ revision }) => revision)
      ])
      .pipe(
        Effect.orDie,
        Effect.map((rows) => {
          for (const key of missing.keys()) this.#kept.set(key, null)
          let bytes = 0
          for (const row of rows) {
            this.#kept.set(noteVersions.keyOf(row), row)
            bytes += (row.body?.length ?? 0) + row.title.length + 500
          }
          return bytes
        })
      )
  }

  /** Returns the note at a version; undefined if the version is not kept. */
  readonly at = Effect.fnUntraced({ self: this as NoteBases }, function* (id: string, version: number) {
    const row = yield* this.#draft.get(notes, id)
    if (row === undefined) return undefined
    if (version === row.version) return notes.dataOf(row)
    const written = this.#draft.contents.get(noteVersions)
    const own: NoteVersionRow | null | undefined = written?.get(this.#key(id, version))
    if (own !== undefined) return own === null ? undefined : this.#base(row, own, version + 1)
    yield* this.load([{ id, revision: version }])
    const kept = this.#kept.get(this.#key(id, version))
    return kept == null ? undefined : this.#base(row, kept, kept.known)
  })

  readonly before = Effect.fnUntraced({ self: this as NoteBases }, function* (id: string, version: number) {
    const [found] = yield* Effect.orDie(
      this.#client.unsafe<{ readonly last: number | null }>(
        "SELECT max(version) AS last FROM note_versions WHERE workspace_id = $1 AND note_id = $2 AND version < $3::int",
        [this.#draft.workspace_id, id, String(version)]
      )
    )
    // The state that was restored may have been superseded by this draft.
    let revision = found?.last ?? 0
    for (const own of this.#draft.contents.get(noteVersions)?.values() ?? []) {
      if (own?.note_id === id && own.version < version && own.version > revision) revision = own.version
    }
    const data = revision === 0 ? undefined : yield* this.at(id, revision)
    return data === undefined ? undefined : { revision, data }
  })

  /** `from` is the first later version that may be in the draft alone. */
  #base(row: NoteRow, found: NoteVersionRow, from: number): object {
    const written = this.#draft.contents.get(noteVersions)
    let { body } = found
    let nearest = Infinity
    for (const own of (body === null ? written?.values() : undefined) ?? []) {
      if (own?.note_id !== row.id || own.body === null || own.version < from || own.version > nearest) continue
      nearest = own.version
      body = own.body
    }
    const { created_at: updated_at, note_id: _, ...version } = found
    return notes.dataOf({ ...row, ...version, body: body ?? row.body, updated_at, deleted_at: null })
  }
}
