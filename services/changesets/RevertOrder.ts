import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import type { WorkspaceId } from "../Ids.ts"
import type * as SetRecords from "./SetRecords.ts"

/**
 * The order of a revert. Notebooks and tags come back before the notes that need them, and notes before their comments; new
 * ones go after the records that leave them.
 */
export const stages = [
  { type: "notebook", part: "back" },
  { type: "tag", part: "back" },
  { type: "note", part: "back" },
  { type: "template", part: "all" },
  { type: "comment", part: "back" },
  { type: "reminder", part: "all" },
  { type: "comment", part: "gone" },
  { type: "note", part: "gone" },
  { type: "attachment", part: "all" },
  { type: "tag", part: "gone" },
  { type: "notebook", part: "gone" }
] as const
export type Stage = (typeof stages)[number]

/** Levels of a notebook or comment below those that the set has too. */
const depthOf = (id: string, parents: ReadonlyMap<string, unknown>): number => {
  let depth = 0
  for (let at: unknown = id; parents.has(at as string) && depth <= parents.size; at = parents.get(at as string)) depth++
  return depth
}

/** A record of a stage, and the approximate bytes of it. */
export interface Placed {
  readonly id: string
  readonly bytes: number
}

/**
 * Tags in the reverse order of their last changes: a name is free before the tag that had it comes back. A query for notes
 * returns only those of the part, so that no text is read twice.
 */
const keysText = `SELECT id, max(bytes) AS bytes FROM change_set_changes
  WHERE workspace_id = $1 AND change_set_id = $2 AND type = $3
  GROUP BY id HAVING $3 <> 'note' OR ($4 = 'gone') = (
    (array_agg(previous IS NULL ORDER BY seq))[1] AND NOT (array_agg(deleted ORDER BY seq DESC))[1])
  ORDER BY CASE WHEN $3 = 'tag' THEN max(seq) END DESC, id`

/**
 * The records of a stage, in its order, which is the same each time: notebooks that come back after those that they are in, and
 * notebooks that go before them; first comments before their replies.
 */
export const recordsOf = Effect.fnUntraced(function* (
  read: Reads,
  readRecords: ReturnType<typeof SetRecords.make>,
  workspace_id: WorkspaceId,
  set: string,
  { part, type }: Stage
) {
  const rows = yield* runSql<Placed>(read, keysText, [workspace_id, set, type, part])
  if ((type !== "notebook" && type !== "comment") || rows.length < 2) return rows
  const ids = rows.map(({ id }) => id)
  const states = (yield* readRecords(workspace_id, set, type, ids, { isWhole: true })).map(({ id, runs }) => {
    const state = part === "back" ? runs[0]!.before : runs.at(-1)!.after
    return [id, state?.["parent_id"]] as const
  })
  const parents = new Map<string, unknown>(states)
  // The deletion of a last reply also removes a first comment that is deleted.
  const sign = part === "gone" && type === "notebook" ? -1 : 1
  return rows.toSorted((a, b) => sign * (depthOf(a.id, parents) - depthOf(b.id, parents)))
})

/** Maximum number of records, and approximate maximum bytes of them, that one write reverts. */
const atOnce = 100
const bytesAtOnce = 2 * 1024 * 1024

/** The next records after the first `done`. */
export const nextOf = (records: ReadonlyArray<Placed>, done: number): ReadonlyArray<string> => {
  const ids: Array<string> = []
  let bytes = 0
  for (const record of records.slice(done, done + atOnce)) {
    if (bytes > bytesAtOnce) break
    ids.push(record.id)
    bytes += record.bytes
  }
  return ids
}
