import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import type { WorkspaceId } from "../Ids.ts"
import { nameKey } from "../notes/tags/Tag.ts"
import type { State } from "./RevertPlan.ts"
import type { SetRecord } from "./SetRecords.ts"

const text = `SELECT k.name_key AS key, coalesce(t.name, p.name) AS name FROM unnest($2::text[]) AS k(name_key)
  LEFT JOIN tags t ON t.workspace_id = $1 AND t.name_key = k.name_key
  LEFT JOIN former_tag_names f ON f.workspace_id = $1 AND f.name_key = k.name_key
  LEFT JOIN tags p ON p.workspace_id = $1 AND p.id = f.tag_id
  WHERE coalesce(t.name, p.name) IS NOT NULL`

const tagsOf = (state: State): ReadonlyArray<string> => (state?.["tags"] as ReadonlyArray<string> | undefined) ?? []

/**
 * The records with the present names of tags in their earlier states: a tag that was renamed since is the same tag. `isBack`:
 * whether a preview has planned to bring the tag of a name back.
 */
export const make = (sql: Reads) =>
  Effect.fnUntraced(function* (
    workspace_id: WorkspaceId,
    records: ReadonlyArray<SetRecord>,
    isBack: (key: string) => boolean
  ) {
    const names = records.flatMap(({ runs }) =>
      runs.flatMap(({ after, before }) => [...tagsOf(before), ...tagsOf(after)])
    )
    const keys = [...new Set(names.map(nameKey))].filter((key) => !isBack(key))
    if (keys.length === 0) return records
    const found = yield* runSql<{ readonly key: string; readonly name: string }>(sql, text, [workspace_id, keys])
    const present = new Map(found.map(({ key, name }) => [key, name]))
    const named = (state: State): State =>
      tagsOf(state).length === 0
        ? state
        : { ...state, tags: [...new Set(tagsOf(state).map((name) => present.get(nameKey(name)) ?? name))] }
    return records.map((record) => ({
      ...record,
      runs: record.runs.map(({ after, before }) => ({ before: named(before), after: named(after) }))
    }))
  })
