import type { PgClient } from "@effect/sql-pg/PgClient"
import { Data, Effect } from "effect"
import { SqlError } from "effect/sql"
import { orUnavailable } from "../database/Database.ts"
import type { Unavailable } from "../Errors.ts"
import type { ChangedNote, PageRows } from "./ContentRows.ts"

/** Reads what has changed for the contents of notes, and writes their rows. */

/** Maximum number of notes, and bytes of records, that are read at a time. */
export const pageSize = 100
const pageBytes = 1_048_576

/** Another node, or a deletion, has changed what a write is based on: it is to be made again. */
export class Outrun extends Data.TaggedError("Outrun") {}

/** How far the rows of a workspace are complete, and how long its log is. */
export interface State {
  /** The epoch of the log, and its end. */
  readonly epoch: string
  readonly head: number
  /** The epoch and the place up to which the rows are complete; null before the first time. */
  readonly read_epoch: string | null
  readonly seq: number
  readonly read_at: string | null
  /** The number of changes of the rows. */
  readonly turn: number
  /** Whether links wait to be resolved. */
  readonly is_due: boolean
}

const stateText = `SELECT h.epoch, h.seq::float8 AS head, p.epoch AS read_epoch, coalesce(p.seq, 0)::float8 AS seq, p.read_at,
    coalesce(p.turn, 0)::float8 AS turn,
    EXISTS (SELECT FROM note_contents c WHERE c.workspace_id = $1 AND c.resolve_at <= $2) AS is_due
  FROM heads h LEFT JOIN content_places p ON p.workspace_id = h.workspace_id WHERE h.workspace_id = $1`

const behindText = `SELECT p.workspace_id FROM content_places p JOIN heads h ON h.workspace_id = p.workspace_id
  WHERE p.read_at < $1 AND (h.epoch, h.seq) IS DISTINCT FROM (p.epoch, p.seq) ORDER BY p.read_at LIMIT 1000`

/** Workspaces whose rows were last read before a time, and lack changes since. */
export const behindSince = (sql: PgClient, before: string) =>
  sql.unsafe<{ readonly workspace_id: string }>(behindText, [before])

/** Whether the rows have everything that the log has up to `head`. */
export const isComplete = ({ epoch, is_due, read_epoch, seq }: State, head: number): boolean =>
  read_epoch === epoch && seq >= head && !is_due

/** The state of a workspace; undefined if there is none. */
export const stateOf = (sql: PgClient, workspace_id: string, now: string) =>
  Effect.map(sql.unsafe<State>(stateText, [workspace_id, now]), ([row]) => row)

/** Each of the two uses the order of its index. A single query would have to sort all rows. */
const recordsAfter = (deleted: boolean): string =>
  `SELECT seq, id, bytes FROM records
    WHERE workspace_id = $1 AND type = 'note' AND deleted = ${deleted} AND seq > $2::bigint ORDER BY seq LIMIT $4`

const changedText = `SELECT p.seq::float8 AS seq, p.found, p.id, (n.id IS NULL OR n.deleted_at IS NOT NULL) AS gone,
    n.version, n.title, n.notebook_id, n.body_hash,
    CASE WHEN $3 AND n.body_hash = c.body_hash THEN NULL ELSE n.body END AS body, c.identity
  FROM (
    SELECT r.seq, r.id, (count(*) OVER ())::int AS found,
      (sum(r.bytes) OVER (ORDER BY r.seq ROWS UNBOUNDED PRECEDING)) - r.bytes AS before
    FROM ((${recordsAfter(false)}) UNION ALL (${recordsAfter(true)}) ORDER BY seq LIMIT $4) r
  ) p
  LEFT JOIN LATERAL (SELECT *, md5(body) AS body_hash FROM notes WHERE workspace_id = $1 AND id = p.id) n ON true
  LEFT JOIN note_contents c ON c.workspace_id = $1 AND c.note_id = p.id
  WHERE p.before < ${pageBytes} ORDER BY p.seq`

/** Up to `most` notes that changed after `from`, in the order of the log, and up to where they are complete. */
export const changedAfter = (
  sql: PgClient,
  workspace_id: string,
  { from, isFresh, most, state }: Pick<Page, "from" | "isFresh" | "state"> & { readonly most: number }
) =>
  Effect.map(
    sql.unsafe<ChangedNote & { readonly seq: number; readonly found: number }>(changedText, [
      workspace_id,
      String(from),
      isFresh,
      most
    ]),
    (notes) => {
      const hasMore = notes.length > 0 && (notes[0]!.found === most || notes.length < notes[0]!.found)
      return { notes, until: hasMore ? notes.at(-1)!.seq : Math.max(state.head, notes.at(-1)?.seq ?? 0) }
    }
  )

/** A hash of the names and places of all notebooks: paths of links depend on them. */
const treeText = `SELECT coalesce(md5(string_agg(id || ' ' || coalesce(parent_id, '') || ' ' || name_key, E'\\n' ORDER BY id)), '') AS tree
  FROM notebooks WHERE workspace_id = $1`

const insertOf = (
  table: string,
  columns: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {}
) =>
  `INSERT INTO ${table} (workspace_id, ${[...Object.keys(columns), ...Object.keys(more)].join(", ")})
    SELECT $1, ${[...Object.keys(columns).map((name) => `r.${name}`), ...Object.values(more)].join(", ")}
    FROM json_to_recordset($2::json) AS r (${Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(", ")})`

/** Links are resolved once their notes are stored. Tags and candidates are arrays of JSON. */
const inserts = {
  contents: insertOf(
    "note_contents",
    { note_id: "text", version: "int", body_hash: "text", identity: "text", title_key: "text", anchors: "text[]" },
    { has_paths: "false", resolve_at: "''" }
  ),
  links: insertOf(
    "note_links",
    {
      id: "text",
      note_id: "text",
      kind: "text",
      target: "text",
      start_at: "int",
      end_at: "int",
      line: "int",
      text: "text",
      context: "text",
      readings: "jsonb"
    },
    { status: "'missing'", anchor: "''", candidates: "'{}'" }
  ),
  tasks: `${insertOf(
    "note_tasks",
    {
      id: "text",
      note_id: "text",
      line: "int",
      done: "boolean",
      source: "text",
      text: "text",
      due: "text",
      scheduled: "text",
      start: "text",
      completed: "text",
      priority: "text",
      tags: "text[]"
    },
    { notebook_id: "n.notebook_id", archived: "n.archived" }
  )} JOIN notes n ON n.workspace_id = $1 AND n.id = r.note_id`,
  properties: insertOf("note_properties", {
    name_key: "text",
    note_id: "text",
    ordinal: "int",
    name: "text",
    type: "text",
    value: "text",
    text: "text",
    is_list: "boolean"
  })
} as const

/** Notes whose links depend on names and ids, on former names of notes, or on files that changed, and these notes. */
const dueText = `UPDATE note_contents SET resolve_at = '' WHERE workspace_id = $1 AND note_id IN (
    SELECT note_id FROM note_link_keys WHERE workspace_id = $1 AND key IN (
      SELECT unnest($2::text[])
      UNION SELECT name_key FROM former_names WHERE workspace_id = $1 AND note_id = ANY($3::text[]))
    UNION SELECT unnest($3::text[])
    UNION SELECT note_id FROM changes WHERE workspace_id = $1 AND seq > $4::bigint AND seq <= $5::bigint
      AND resource = 'attachment' AND note_id IS NOT NULL)`

const movedTasksText = `UPDATE note_tasks t SET notebook_id = n.notebook_id, archived = n.archived FROM notes n
  WHERE t.workspace_id = $1 AND t.note_id = ANY($2::text[]) AND n.workspace_id = $1 AND n.id = t.note_id
    AND (t.notebook_id, t.archived) IS DISTINCT FROM (n.notebook_id, n.archived)`

/** Locks notes against their deletion, which deletes their rows. Fails if a note is gone. */
export const lockNotes = Effect.fnUntraced(function* (
  sql: PgClient,
  workspace_id: string,
  ids: ReadonlyArray<string>
): Effect.fn.Return<void, Outrun | SqlError.SqlError> {
  if (ids.length === 0) return
  const held = yield* sql.unsafe(
    "SELECT id FROM notes WHERE workspace_id = $1 AND id = ANY($2::text[]) AND deleted_at IS NULL FOR KEY SHARE",
    [workspace_id, ids]
  )
  if (held.length < ids.length) return yield* new Outrun()
})

/** Alone, since it locks the head of the workspace against writes until its transaction ends. */
const newPlaceText = `INSERT INTO content_places (workspace_id, epoch, seq, turn, tree, read_at)
  SELECT workspace_id, '', 0, 0, '', '' FROM heads WHERE workspace_id = $1 ON CONFLICT DO NOTHING`

/** Once in a transaction: the second update of a row checks its foreign key, which locks the head. */
const nextTurnText = `UPDATE content_places SET turn = turn + 1, epoch = coalesce($2, epoch),
    seq = coalesce($3::bigint, seq), tree = coalesce($4, tree), read_at = coalesce($5, read_at)
  WHERE workspace_id = $1`

/** The place that follows a change of the rows; members that stay are left out. */
export interface Place {
  readonly epoch?: string
  readonly seq?: number
  readonly tree?: string
  readonly read_at?: string
}

/**
 * Makes a change of the rows in a transaction, if nothing has changed them since the turn of the state. The deletion of a
 * note waits for it. So it gives up before PostgreSQL would look for a deadlock, which could end the deletion.
 */
export const atTurn = <E>(
  sql: PgClient,
  workspace_id: string,
  { read_epoch, turn }: State,
  change: (tree: string) => Effect.Effect<Place, E | SqlError.SqlError>
) =>
  Effect.gen(function* () {
    if (read_epoch === null) yield* sql.unsafe(newPlaceText, [workspace_id])
    yield* sql.withTransaction(
      Effect.gen(function* () {
        const [place] = yield* sql.unsafe<{ readonly turn: number; readonly tree: string }>(
          "SELECT turn::float8 AS turn, tree FROM content_places WHERE workspace_id = $1 FOR UPDATE",
          [workspace_id]
        )
        if (place?.turn !== turn) return yield* new Outrun()
        yield* sql.unsafe("SET LOCAL lock_timeout = '100ms'")
        const { epoch, read_at, seq, tree } = yield* change(place.tree)
        const next = [epoch, seq?.toString(), tree, read_at].map((value) => value ?? null)
        yield* sql.unsafe(nextTurnText, [workspace_id, ...next])
      })
    )
  }).pipe(
    Effect.catchIf(SqlError.isSqlError, (error): Effect.Effect<never, Outrun | Unavailable> =>
      error.reason._tag === "LockTimeoutError" || error.reason._tag === "DeadlockError"
        ? Effect.fail(new Outrun())
        : orUnavailable(Effect.fail(error))
    )
  )

/** A page of the log whose rows are written. */
export interface Page {
  readonly state: State
  readonly notes: ReadonlyArray<ChangedNote>
  readonly rows: PageRows
  /** The place in the log before it, and up to which it goes. */
  readonly from: number
  readonly until: number
  /** Whether the rows were kept up to date since they were read from the beginning of the log. */
  readonly isFresh: boolean
  readonly now: string
}

/** Writes the rows of a page. */
export const writePage = (sql: PgClient, workspace_id: string, page: Page) => {
  const { from, isFresh, notes, now, rows, state, until } = page
  return atTurn(
    sql,
    workspace_id,
    state,
    Effect.fnUntraced(function* (tree) {
      const live = notes.filter(({ gone }) => !gone).map(({ id }) => id)
      yield* lockNotes(sql, workspace_id, live)
      // The texts of later pages are read again too.
      if (!isFresh) yield* sql.unsafe("UPDATE note_contents SET body_hash = '' WHERE workspace_id = $1", [workspace_id])
      if (rows.removed.length > 0) {
        yield* sql.unsafe("DELETE FROM note_contents WHERE workspace_id = $1 AND note_id = ANY($2::text[])", [
          workspace_id,
          rows.removed
        ])
      }
      for (const [name, text] of Object.entries(inserts)) {
        const own = rows[name as keyof typeof inserts]
        if (own.length > 0) yield* sql.unsafe(text, [workspace_id, JSON.stringify(own)])
      }
      if (rows.kept.length > 0) {
        yield* sql.unsafe(
          `UPDATE note_contents c SET version = r.version, identity = r.identity, title_key = r.title_key
            FROM json_to_recordset($2::json) AS r (note_id text, version int, identity text, title_key text)
            WHERE c.workspace_id = $1 AND c.note_id = r.note_id`,
          [workspace_id, JSON.stringify(rows.kept)]
        )
      }
      if (live.length > 0) yield* sql.unsafe(movedTasksText, [workspace_id, live])
      yield* sql.unsafe(dueText, [workspace_id, rows.keys, rows.moved, String(from), String(until)])
      const [notebooks] = yield* sql.unsafe<{ readonly tree: string }>(treeText, [workspace_id])
      if (notebooks!.tree !== tree) {
        yield* sql.unsafe("UPDATE note_contents SET resolve_at = '' WHERE workspace_id = $1 AND has_paths", [
          workspace_id
        ])
      }
      return { epoch: state.epoch, seq: until, tree: notebooks!.tree, read_at: now }
    })
  )
}
