import { Context, Effect, type Fiber } from "effect"
import type { SqlError } from "effect/sql"
import { Principal, type PrincipalShape } from "../Principal.ts"
import type { Reach } from "../Reach.ts"

/**
 * Reads for credentials that reach some notebooks only (contract 4, Limited credentials): each statement of such a caller
 * gets common table expressions with the names of the tables and the rows that it may read. So no query can forget it.
 */

/** Executes SQL, and returns its rows. */
export interface Reads {
  readonly unsafe: <Row extends object>(
    text: string,
    params?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
}

/** The notebooks of a caller, also deleted ones. `grants` is a parameter with the `Reach`. */
const reached = (workspace: string, grants: string): string => `reached AS MATERIALIZED (
    WITH RECURSIVE placed AS (
      SELECT id, parent_id FROM notebooks WHERE workspace_id = ${workspace}
      UNION ALL SELECT id, parent_id FROM deleted_notebooks WHERE workspace_id = ${workspace}
    ), tree AS (
      SELECT g.id COLLATE "C" AS id, g.include_subnotebooks FROM json_to_recordset(${grants}::json) AS g (id text, include_subnotebooks boolean)
      UNION
      SELECT p.id, true FROM tree t JOIN placed p ON p.parent_id = t.id WHERE t.include_subnotebooks
    )
    SELECT id FROM tree
  )`

const isReached = (column: string): string => `${column} = ANY (ARRAY(SELECT id FROM reached))`

/** The columns of a notebook, whose parent may be out of reach. */
const notebookColumns = `workspace_id, id, name, name_key, color, icon,
  CASE WHEN ${isReached("parent_id")} THEN parent_id END AS parent_id, note_count, revision, created_at, updated_at`

/** The columns of a version, whose note was elsewhere before it came within reach. */
const versionColumns = `x.workspace_id, x.note_id, x.version, x.title, x.body, x.tags, x.pinned, x.archived, x.word_count,
  x.author_id, x.created_at, x.restored_from,
  CASE WHEN ${isReached("x.notebook_id")} THEN x.notebook_id ELSE n.notebook_id END AS notebook_id`

/** Tables whose rows belong to the note `note_id`. */
const ofNotes = [
  "note_tags",
  "note_aliases",
  "former_names",
  "note_contents",
  "note_tasks",
  "note_properties",
  "attachments",
  "comments",
  "reminders"
]

/** The tables of those types of parts that clients sync. */
const syncedParts = { attachment: "attachments", comment: "comments", reminder: "reminders" }

/** Tables that a limited caller reads none of: no operation of theirs needs them. */
const unreached = [
  "audit_entries",
  "change_set_changes",
  "change_sets",
  "deleted_notebooks",
  "departures",
  "due_reverts",
  "exports",
  "former_tag_names",
  "import_sources",
  "imports",
  "note_link_keys",
  "note_links",
  "note_originals",
  "reminder_pushes",
  "revert_outcomes",
  "reverts",
  "share_views",
  "shares",
  "templates",
  "transfers",
  "webhook_cursors",
  "webhook_deliveries",
  "webhooks"
]

const belongs = `EXISTS (SELECT FROM notes n WHERE n.workspace_id = x.workspace_id AND n.id = x.note_id)`

/** The name of the records that exist, as a table of the statements of limited callers. */
export const liveRecords = "live_records"

const recordColumns = (seq: string) =>
  `r.workspace_id, r.type, r.id, ${seq} AS seq, r.revision, r.deleted, r.bytes, r.changed_at, r.actor_id, r.device_id`

/** The records of notes. */
const notes = (workspace: string) => `SELECT ${recordColumns("r.seq")} FROM records r
  JOIN notes n ON n.workspace_id = r.workspace_id AND n.id = r.id AND n.deleted_at IS NULL
  WHERE r.workspace_id = ${workspace} AND r.type = 'note' AND NOT r.deleted`

const isLiveNote = (id: string) => `EXISTS (SELECT FROM notes n
  WHERE n.workspace_id = d.workspace_id AND n.id = ${id} AND n.deleted_at IS NULL)`

const isLivePart = ([type, table]: readonly [string, string]) =>
  `WHEN '${type}' THEN EXISTS (SELECT FROM ${table} x WHERE x.workspace_id = d.workspace_id AND x.id = d.id AND ${isLiveNote("x.note_id")})`

/** A deleted record for each one that has left the notebooks, by a move or a deletion of its note, from when it did. */
const departed = (
  workspace: string
) => `(SELECT DISTINCT ON (d.id) d.workspace_id, d.type, d.id, d.seq, d.revision, true, 0,
    d.changed_at, d.actor_id, d.device_id
  FROM departures d WHERE d.workspace_id = ${workspace} AND ${isReached("d.notebook_id")}
    AND NOT CASE d.type WHEN 'note' THEN ${isLiveNote("d.id")} ${Object.entries(syncedParts).map(isLivePart).join(" ")} END
  ORDER BY d.id, d.seq DESC)`

const ownNotebooks = (workspace: string, deleted: boolean) => `SELECT ${recordColumns("r.seq")} FROM records r
  WHERE r.workspace_id = ${workspace} AND r.type = 'notebook' AND r.deleted = ${deleted} AND ${isReached("r.id")}`

/** The records of parts of notes. One moves with its note: its seq is that of the last move, if that is later. */
const parts = (workspace: string) =>
  Object.entries(syncedParts).map(
    ([type, table]) => `SELECT ${recordColumns("greatest(r.seq, m.seq)")} FROM ${table} x
    JOIN records r ON r.workspace_id = x.workspace_id AND r.type = '${type}' AND r.id = x.id AND NOT r.deleted
    CROSS JOIN LATERAL (
      SELECT max(d.seq) AS seq FROM departures d WHERE d.workspace_id = x.workspace_id AND d.note_id = x.note_id
    ) m WHERE x.workspace_id = ${workspace}`
  )

const deletedParts = (workspace: string) => `SELECT ${recordColumns("r.seq")} FROM records r
  JOIN changes c ON c.workspace_id = r.workspace_id AND c.seq = r.seq
  JOIN notes n ON n.workspace_id = c.workspace_id AND n.id = c.note_id AND n.deleted_at IS NULL
  WHERE r.workspace_id = ${workspace} AND r.deleted AND r.type IN (${Object.keys(syncedParts).map((type) => `'${type}'`)})`

/** The tables of a workspace's content as a limited caller reads them. A later one has the limited rows of those before. */
const views = (workspace: string): ReadonlyArray<readonly [table: string, rows: string]> => [
  ["notes", `SELECT * FROM notes WHERE workspace_id = ${workspace} AND ${isReached("notebook_id")}`],
  ["notebooks", `SELECT ${notebookColumns} FROM notebooks WHERE workspace_id = ${workspace} AND ${isReached("id")}`],
  [
    "note_versions",
    `SELECT ${versionColumns} FROM note_versions x
      JOIN notes n ON n.workspace_id = x.workspace_id AND n.id = x.note_id WHERE x.workspace_id = ${workspace}`
  ],
  ...ofNotes.map(
    (table) => [table, `SELECT * FROM ${table} x WHERE workspace_id = ${workspace} AND ${belongs}`] as const
  ),
  [
    "tags",
    `SELECT t.workspace_id, t.id, t.name, t.name_key, t.color, c.note_count, t.revision, t.created_at FROM tags t
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS note_count FROM note_tags x WHERE x.workspace_id = t.workspace_id AND x.tag_id = t.id
      ) c WHERE t.workspace_id = ${workspace} AND c.note_count > 0`
  ],
  [liveRecords, [notes(workspace), ownNotebooks(workspace, false), ...parts(workspace)].join(" UNION ALL ")],
  [
    "records",
    ["SELECT * FROM live_records", departed(workspace), ownNotebooks(workspace, true), deletedParts(workspace)].join(
      " UNION ALL "
    )
  ],
  [
    "changes",
    `SELECT * FROM changes WHERE workspace_id = ${workspace} AND type = 'notebook.created' AND ${isReached("resource_id")}`
  ],
  ...unreached.map((table) => [table, `SELECT * FROM ${table} WHERE false`] as const)
]

/** The tables whose rows are limited. */
export const limitedTables: ReadonlyArray<string> = views("").flatMap(([table]) => (table === liveRecords ? [] : table))

export interface Statement {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

interface Limited {
  readonly workspace_id: string
  readonly reach?: Reach | undefined
}

const limitedStatement = (
  { reach, workspace_id }: Limited,
  text: string,
  params: ReadonlyArray<unknown>,
  isLimited: (table: string) => boolean
): Statement => {
  const [workspace, grants] = [`$${params.length + 1}::text`, `$${params.length + 2}`]
  const tables = views(workspace).flatMap(([table, rows]) =>
    isLimited(table) ? [`${table} AS NOT MATERIALIZED (${rows})`] : []
  )
  // PostgreSQL accepts no second WITH in parentheses. The order of a subquery stays.
  const own = /^\s*WITH\b/i.test(text) ? `SELECT * FROM (${text}) own` : `(${text})`
  return {
    text: `WITH ${[reached(workspace, grants), ...tables].join(",\n")}\n${own}`,
    params: [...params, workspace_id, JSON.stringify(reach)]
  }
}

/** The statement as a caller may execute it. */
export const within = (caller: Limited, text: string, params: ReadonlyArray<unknown> = []): Statement =>
  limitedStatement(caller, text, params, () => true)

/** The same for a process that reads the notes of a caller, and needs the log to follow them. */
export const notesWithin = (caller: Limited, text: string, params: ReadonlyArray<unknown> = []): Statement =>
  limitedStatement(caller, text, params, (table) => table === "notes")

/** The caller of a fiber, if it is limited. */
export const limitedCaller = (fiber: Fiber.Fiber<any, any>): PrincipalShape | undefined => {
  const caller = Context.getOrUndefined(fiber.context as Context.Context<Principal>, Principal)
  return caller?.reach === undefined ? undefined : caller
}

/** The same reads, each limited to what its caller reaches. */
export const limited = (all: Reads): Reads => ({
  unsafe: (text, params) =>
    Effect.withFiber((fiber) => {
      const caller = limitedCaller(fiber)
      if (caller === undefined) return all.unsafe(text, params)
      const own = within(caller, text, params)
      return all.unsafe(own.text, own.params)
    })
})
