import { isReached } from "./ReachedRecords.ts"

/** The log of a workspace as a limited caller reads it: the entries of the notes and notebooks that it reaches now. */

/** The name of the seqs of the entries, as a table of the statements of limited callers: they are read from indexes alone. */
export const entrySeqs = "entry_seqs"

/** The notes outside the trash. OFFSET 0 keeps the planner from reading all notes of the workspace. */
const liveNotes = `(SELECT DISTINCT id FROM reached) r CROSS JOIN LATERAL (
    SELECT n.workspace_id, n.id FROM notes n WHERE n.notebook_id = r.id AND n.deleted_at IS NULL OFFSET 0
  ) n`
/** The notes in the trash. In this order, the planner reads them from the index of the trash of a workspace. */
const trashedNotes = `(
    SELECT n.workspace_id, n.id FROM notes n WHERE n.deleted_at IS NOT NULL
    ORDER BY n.pinned, coalesce(n.deleted_at, ''), n.id OFFSET 0
  ) n`

const seqsOf = (notes: string) => `SELECT e.seq, e.resource FROM ${notes} CROSS JOIN LATERAL (
    SELECT c.seq, c.resource FROM changes c WHERE c.workspace_id = n.workspace_id AND c.note_id = n.id OFFSET 0
  ) e`

/**
 * Whether an entry is of a note or a notebook that the caller reaches. A subquery for each row, and not a join, so that
 * the entries are read in their order.
 */
const isWithin = `CASE WHEN c.note_id IS NULL THEN c.resource = 'notebook' AND ${isReached("c.resource_id")}
    ELSE (SELECT true FROM notes n WHERE n.workspace_id = c.workspace_id AND n.id = c.note_id) END`

/** The data of an entry. A notebook can be in one that the caller does not reach. */
const data = `CASE WHEN c.resource = 'notebook' THEN (c.data::jsonb || CASE
      WHEN c.type = 'sync.conflict' OR ${isReached("c.data ->> 'parent_id'")} THEN '{}' ELSE '{"parent_id": null}' END::jsonb
    )::json ELSE c.data END`

/** Without imports and change sets, and without the note of a conflict elsewhere. */
const via = `(c.via::jsonb - '{import_id,change_set_id}'::text[] - CASE WHEN (
      SELECT true FROM notes n WHERE n.workspace_id = c.workspace_id AND n.id = c.conflict_of
    ) THEN '' ELSE 'conflict_of' END)::json`

/** The seqs, and the entries. The tables of notes and notebooks are limited before. */
export const reachedEntries = (workspace: string): ReadonlyArray<readonly [table: string, rows: string]> => [
  [
    entrySeqs,
    `${seqsOf(liveNotes)} UNION ALL ${seqsOf(trashedNotes)}
    UNION ALL SELECT c.seq, c.resource FROM changes c
      WHERE c.workspace_id = ${workspace} AND c.resource = 'notebook' AND ${isReached("c.resource_id")}`
  ],
  [
    "changes",
    `SELECT c.workspace_id, c.seq, c.id, c.type, c.resource, c.resource_id, c.version, c.actor_id, c.device_id,
      ${data} AS data, c.note_id, c.with_note, ${via} AS via, c.conflict_of, c.occurred_at
    FROM changes c WHERE c.workspace_id = ${workspace} AND ${isWithin}`
  ]
]
