import { Clock, Context, Effect, type Fiber } from "effect"
import type { SqlError } from "effect/sql"
import { Principal } from "../Principal.ts"
import type { Reach } from "../Reach.ts"
import { entrySeqs, reachedEntries } from "./ReachedEntries.ts"
import { reachedChangeSets, setLog } from "./ReachedChangeSets.ts"
import { linkPaths, reachedLinks } from "./ReachedLinks.ts"
import { goneRecords, isReached, liveRecords, reachedRecords } from "./ReachedRecords.ts"

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

/** The notebooks of a caller, also deleted ones, with its access; one may have both. `limits` is a parameter with its `Reach`, its credential and the time. */
const reached = (workspace: string, limits: string): string => `reached AS MATERIALIZED (
    WITH RECURSIVE placed AS (
      SELECT id, parent_id FROM notebooks WHERE workspace_id = ${workspace}
      UNION ALL SELECT id, parent_id FROM deleted_notebooks WHERE workspace_id = ${workspace}
    ), tree AS (
      SELECT g.id COLLATE "C" AS id, g.access, g.include_subnotebooks FROM json_to_recordset(${limits}::json -> 'reach') AS g (id text, access text, include_subnotebooks boolean)
      UNION
      SELECT p.id, t.access, true FROM tree t JOIN placed p ON p.parent_id = t.id WHERE t.include_subnotebooks
    )
    SELECT id, access FROM tree
  )`

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
  "note_link_keys",
  "note_originals",
  "note_tasks",
  "note_properties",
  "attachments",
  "comments",
  "reminders",
  "shares"
]

/** Tables that a limited caller reads none of: no operation of theirs needs them. */
const unreached = [
  "audit_entries",
  "deleted_notebooks",
  "departures",
  "reminder_pushes",
  "templates",
  "webhook_cursors",
  "webhook_deliveries",
  "webhooks"
]

const belongs = `EXISTS (SELECT FROM notes n WHERE n.workspace_id = x.workspace_id AND n.id = x.note_id)`

/** The sources of notes. The import that wrote one may be that of another caller: it is read here whether it has failed. */
const importSources = (workspace: string) => `SELECT x.workspace_id, x.note_id, x.import_id, x.key,
    CASE WHEN i.status = 'failed' THEN '' ELSE x.content END AS content, x.version
  FROM import_sources x LEFT JOIN imports i ON i.workspace_id = x.workspace_id AND i.id = x.import_id
  WHERE x.workspace_id = ${workspace} AND ${belongs}`

/** The tables of a workspace's content as a limited caller reads them. A later one has the limited rows of those before. */
const views = (workspace: string, limits: string): ReadonlyArray<readonly [table: string, rows: string]> => [
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
  [
    "share_views",
    `SELECT x.* FROM share_views x JOIN shares s ON s.workspace_id = x.workspace_id AND s.id = x.share_id
      WHERE x.workspace_id = ${workspace}`
  ],
  [
    "former_tag_names",
    `SELECT x.* FROM former_tag_names x JOIN tags t ON t.workspace_id = x.workspace_id AND t.id = x.tag_id
      WHERE x.workspace_id = ${workspace}`
  ],
  ...reachedChangeSets(workspace, limits),
  ["note_links", reachedLinks(workspace, `${limits}::json ->> 'now'`)],
  ["import_sources", importSources(workspace)],
  [
    "exports",
    `SELECT * FROM exports WHERE workspace_id = ${workspace} AND credential_id = ${limits}::json ->> 'credential_id'
      AND reach::jsonb = ${limits}::jsonb -> 'reach'`
  ],
  [
    "imports",
    `SELECT * FROM imports WHERE workspace_id = ${workspace} AND credential_id = ${limits}::json ->> 'credential_id'`
  ],
  [
    "transfers",
    `SELECT * FROM transfers WHERE workspace_id = ${workspace}
      AND id IN (SELECT id FROM exports UNION ALL SELECT id FROM imports)`
  ],
  ...reachedRecords(workspace),
  ...reachedEntries(workspace),
  ...unreached.map((table) => [table, `SELECT * FROM ${table} WHERE false`] as const)
]

/** Tables that the database does not have. */
const made = new Set([liveRecords, goneRecords, entrySeqs, setLog])

/** The tables whose rows are limited. */
export const limitedTables: ReadonlyArray<string> = views("", "").flatMap(([table]) => (made.has(table) ? [] : table))

export interface Statement {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

interface Limited {
  readonly workspace_id: string
  readonly reach?: Reach | undefined
  /** The credential whose change sets, exports and imports are read. */
  readonly credential_id?: string
}

/** The expressions before a table, and of the table. */
const expressionsOf = (table: string, rows: string): ReadonlyArray<string> => [
  ...(table === "note_links" ? [linkPaths] : []),
  `${table} AS NOT MATERIALIZED (${rows})`
]

const limitedStatement = (
  { credential_id, reach, workspace_id }: Limited,
  text: string,
  params: ReadonlyArray<unknown>,
  isLimited: (table: string) => boolean,
  now?: string
): Statement => {
  const [workspace, limits] = [`$${params.length + 1}::text`, `$${params.length + 2}`]
  const tables = views(workspace, limits).flatMap(([table, rows]) =>
    isLimited(table) ? expressionsOf(table, rows) : []
  )
  // PostgreSQL accepts no second WITH in parentheses. The order of a subquery stays.
  const own = /^\s*WITH\b/i.test(text) ? `SELECT * FROM (${text}) own` : `(${text})`
  return {
    text: `WITH ${[reached(workspace, limits), ...tables].join(",\n")}\n${own}`,
    params: [...params, workspace_id, JSON.stringify({ reach, now, credential_id })]
  }
}

/** The same for a process that reads the notes of a caller, and needs the log to follow them. */
export const notesWithin = (caller: Limited, text: string, params: ReadonlyArray<unknown> = []): Statement =>
  limitedStatement(caller, text, params, (table) => table === "notes")

/** The statement as a caller may execute it at a time. */
export const statementOf = (
  caller: Limited,
  millis: number,
  text: string,
  params: ReadonlyArray<unknown> = []
): Statement =>
  caller.reach === undefined
    ? { text, params }
    : limitedStatement(caller, text, params, () => true, new Date(millis).toISOString())

/** The statement as the caller of a fiber may execute it. */
export const within = (fiber: Fiber.Fiber<any, any>, text: string, params: ReadonlyArray<unknown> = []): Statement => {
  const caller = Context.getOrUndefined(fiber.context as Context.Context<Principal>, Principal)
  if (caller === undefined) return { text, params }
  return statementOf(caller, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe(), text, params)
}

/** The same reads, each limited to what its caller reaches. */
export const limited = (all: Reads): Reads => ({
  unsafe: (text, params) =>
    Effect.withFiber((fiber) => {
      const own = within(fiber, text, params)
      return all.unsafe(own.text, own.params)
    })
})
