/** Change sets and their reverts, as a limited caller reads them (contract 9, Change sets): its own, with what it reaches. */
import { isReached, syncedParts } from "./ReachedRecords.ts"

/** The name of the log of records that are reached, as a table of the statements of limited callers. */
export const setLog = "set_log"

const isWritable = (column: string): string => `${column} = ANY (ARRAY(SELECT id FROM reached WHERE access = 'write'))`

/** Whether a note is reached, and in a notebook that meets the condition. */
const isNote = (id: string, isIn: (column: string) => string): string => `EXISTS (SELECT FROM notes n
    WHERE n.workspace_id = x.workspace_id AND n.id = ${id} AND ${isIn("n.notebook_id")})`

const isAny = () => "true"

/**
 * Whether the caller reaches the record `type` and `id` of a row `x`. A part of a note that is deleted belongs to the note that
 * it was deleted from. Tags and templates are those of the whole workspace.
 */
const isRecord = (id: string, isIn: (column: string) => string, isNotebook = isIn): string => `CASE x.type
    WHEN 'note' THEN ${isNote(id, isIn)}
    WHEN 'notebook' THEN ${isNotebook(id)}
    ${Object.entries(syncedParts)
      .map(
        ([type, table]) => `WHEN '${type}' THEN EXISTS (SELECT FROM ${table} p
      WHERE p.workspace_id = x.workspace_id AND p.id = ${id} AND ${isNote("p.note_id", isIn)})`
      )
      .join(" ")}
    ELSE false END OR (x.type IN (${Object.keys(syncedParts)
      .map((type) => `'${type}'`)
      .join(", ")}) AND EXISTS (
    SELECT FROM records r JOIN changes l ON l.workspace_id = r.workspace_id AND l.seq = r.seq
    WHERE r.workspace_id = x.workspace_id AND r.type = x.type AND r.id = ${id} AND r.deleted AND ${isNote("l.note_id", isIn)}))`

/** A notebook as a record had it, whose parent may be out of reach. */
const placed = (data: string): string =>
  `CASE WHEN ${isReached(`(${data} ->> 'parent_id')`)} THEN ${data} ELSE jsonb_set(${data}::jsonb, '{parent_id}', 'null')::json END`

/** A record as it was: not if it was in a note that is out of reach. */
const before = `CASE WHEN x.before IS NULL THEN NULL WHEN x.type = 'notebook' THEN ${placed("x.before")}
    WHEN ${isNote("(x.before ->> 'note_id')", isAny)} THEN x.before END`

const ofCaller = (limits: string): string => `credential_id = (${limits}::json ->> 'credential_id')`

const outcomes = (place: string): string => `(SELECT count(*)::int FROM revert_outcomes o
    WHERE o.workspace_id = v.workspace_id AND o.revert_id = v.id AND o.outcome = '${place}')`

/** The rows of the log that are about records of change sets. */
const log = (
  workspace: string
): string => `SELECT x.workspace_id, x.seq, x.resource, x.resource_id, x.version, x.note_id, x.with_note,
    x.via, CASE WHEN x.data IS NOT NULL AND x.resource = 'notebook' THEN ${placed("x.data")} ELSE x.data END AS data
  FROM changes x WHERE x.workspace_id = ${workspace}
    AND CASE WHEN x.resource = 'notebook' THEN ${isReached("x.resource_id")} ELSE ${isNote("x.note_id", isAny)} END`

/** The tables. Those of notes and their parts are limited before, and those of the log and of all records are not. */
export const reachedChangeSets = (
  workspace: string,
  limits: string
): ReadonlyArray<readonly [table: string, rows: string]> => [
  [setLog, log(workspace)],
  ["change_sets", `SELECT * FROM change_sets WHERE workspace_id = ${workspace} AND ${ofCaller(limits)}`],
  [
    "change_set_changes",
    `SELECT x.workspace_id, x.change_set_id, x.type, x.id, x.seq, x.revision, x.deleted, x.bytes, x.previous, ${before} AS before,
      x.note_id
    FROM change_set_changes x JOIN change_sets s ON s.workspace_id = x.workspace_id AND s.id = x.change_set_id
    WHERE x.workspace_id = ${workspace} AND (${isRecord("x.id", isAny, isReached)})`
  ],
  [
    "revert_outcomes",
    `SELECT x.workspace_id, x.revert_id, row_number() OVER (PARTITION BY x.revert_id ORDER BY x.ordinal)::int AS ordinal,
      x.type, x.record_id, x.outcome, x.reason, x.members
    FROM revert_outcomes x JOIN reverts v ON v.workspace_id = x.workspace_id AND v.id = x.revert_id
    WHERE x.workspace_id = ${workspace} AND v.${ofCaller(limits)} AND (${isRecord("x.record_id", isAny, isReached)})`
  ],
  [
    "reverts",
    `SELECT v.workspace_id, v.id, v.change_set_id, v.reverted_by, v.preview, v.status, (
        SELECT count(*)::int FROM (
          SELECT FROM change_set_changes x WHERE x.workspace_id = v.workspace_id AND x.change_set_id = v.change_set_id
          AND (${isRecord("x.id", isWritable)}) GROUP BY x.type, x.id
        ) c
      ) AS records, ${outcomes("reverted")} AS reverted, ${outcomes("merged")} AS merged, ${outcomes("kept")} AS kept,
      v.author_id, v.progress, v.created_at, v.credential_id, v.is_limited
    FROM reverts v WHERE v.workspace_id = ${workspace} AND v.${ofCaller(limits)}`
  ],
  [
    "due_reverts",
    `SELECT x.* FROM due_reverts x JOIN reverts v ON v.workspace_id = x.workspace_id AND v.id = x.id
    WHERE x.workspace_id = ${workspace}`
  ]
]
