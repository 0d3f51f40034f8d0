/** The records that sync sends, as a limited caller reads them (contract 6, Some notebooks). */

/** Whether a notebook is one of those that the caller reaches. */
export const isReached = (column: string): string => `${column} = ANY (ARRAY(SELECT id FROM reached))`

/** The tables of those types of parts that clients sync. */
export const syncedParts = { attachment: "attachments", comment: "comments", reminder: "reminders" }

/** The names of the records that exist, and of deleted ones, as tables of the statements of limited callers. */
export const liveRecords = "live_records"
export const goneRecords = "gone_records"

const recordColumns = (seq: string) =>
  `r.workspace_id, r.type, r.id, ${seq} AS seq, r.revision, r.deleted, r.bytes, r.changed_at, r.actor_id, r.device_id`

/**
 * The records of notes. A subquery for each row, and not a join, so that they are read in the order of their seqs, or by their
 * ids: the planner knows nothing of how many notes are reached.
 */
const notes = (workspace: string) => `SELECT ${recordColumns("r.seq")} FROM records r
  WHERE r.workspace_id = ${workspace} AND r.type = 'note' AND NOT r.deleted
    AND (SELECT n.deleted_at IS NULL FROM notes n WHERE n.workspace_id = r.workspace_id AND n.id = r.id)`

const isLiveNote = (id: string) => `EXISTS (SELECT FROM notes n
  WHERE n.workspace_id = d.workspace_id AND n.id = ${id} AND n.deleted_at IS NULL)`

const isLivePart = ([type, table]: readonly [string, string]) =>
  `WHEN '${type}' THEN EXISTS (SELECT FROM ${table} x WHERE x.workspace_id = d.workspace_id AND x.id = d.id AND ${isLiveNote("x.note_id")})`

/**
 * The notebook that a departure `d` was from: of a part that left its note, the one in which the note was before the
 * transaction.
 */
const origin = (d: string) => `coalesce(nullif(${d}.notebook_id, ''), (
    SELECT m.notebook_id FROM departures m
    WHERE m.workspace_id = ${d}.workspace_id AND m.note_id = ${d}.note_id AND m.type = 'note'
      AND (m.seq > ${d}.seq OR m.transaction = ${d}.transaction)
    ORDER BY m.seq LIMIT 1
  ), (SELECT n.notebook_id FROM notes n WHERE n.workspace_id = ${d}.workspace_id AND n.id = ${d}.note_id))`

/** A deleted record for each one that has left the notebooks, by a move or a deletion, from when it last did. */
const departed = (
  workspace: string
) => `SELECT d.workspace_id, d.type, d.id, d.seq, d.revision, true AS deleted, 0 AS bytes,
    d.changed_at, d.actor_id, d.device_id
  FROM departures d WHERE d.workspace_id = ${workspace} AND ${isReached(origin("d"))}
    AND NOT CASE d.type WHEN 'note' THEN ${isLiveNote("d.id")} ${Object.entries(syncedParts).map(isLivePart).join(" ")} END
    AND NOT EXISTS (SELECT FROM departures l WHERE l.workspace_id = d.workspace_id AND l.note_id = d.note_id
      AND l.id = d.id AND (l.seq, l.notebook_id) > (d.seq, d.notebook_id) AND ${isReached(origin("l"))})`

const ownNotebooks = (workspace: string, deleted: boolean) => `SELECT ${recordColumns("r.seq")} FROM records r
  WHERE r.workspace_id = ${workspace} AND r.type = 'notebook' AND r.deleted = ${deleted} AND ${isReached("r.id")}`

/** The seq of the last move of the note of a part `x`. */
const lastMove = `(SELECT max(d.seq) FROM departures d
    WHERE d.workspace_id = x.workspace_id AND d.note_id = x.note_id AND d.type = 'note')`

/**
 * The records of parts of notes. One moves with its note: its seq is that of the last move, if that is later. These are found
 * by the moves, and the others by their own seqs.
 */
const parts = (workspace: string) =>
  Object.entries(syncedParts).flatMap(([type, table]) => [
    `SELECT ${recordColumns("r.seq")} FROM records r
    WHERE r.workspace_id = ${workspace} AND r.type = '${type}' AND NOT r.deleted
      AND (SELECT coalesce(${lastMove}, 0) < r.seq FROM ${table} x WHERE x.workspace_id = r.workspace_id AND x.id = r.id)`,
    `SELECT ${recordColumns("d.seq")} FROM departures d
    JOIN ${table} x ON x.workspace_id = d.workspace_id AND x.note_id = d.note_id
    JOIN records r ON r.workspace_id = x.workspace_id AND r.type = '${type}' AND r.id = x.id AND NOT r.deleted
    WHERE d.workspace_id = ${workspace} AND d.type = 'note' AND r.seq <= d.seq AND NOT EXISTS (
      SELECT FROM departures o WHERE o.workspace_id = d.workspace_id AND o.note_id = d.note_id AND o.type = 'note'
        AND (o.seq, o.notebook_id) > (d.seq, d.notebook_id)
    )`
  ])

/** The existing records, the deleted ones, and all. The tables of their rows are limited before. */
export const reachedRecords = (workspace: string): ReadonlyArray<readonly [table: string, rows: string]> => [
  [liveRecords, [notes(workspace), ownNotebooks(workspace, false), ...parts(workspace)].join(" UNION ALL ")],
  [goneRecords, [departed(workspace), ownNotebooks(workspace, true)].join(" UNION ALL ")],
  ["records", `SELECT * FROM ${liveRecords} UNION ALL SELECT * FROM ${goneRecords}`]
]
