import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { systemActor } from "../writer/Actor.ts"
import type { Draft } from "../writer/Draft.ts"
import type { Table } from "../tables/Table.ts"
import type { Writer } from "../writer/Writer.ts"

/** Rows that are looked up in one query. */
const batch = 200

/** Ends the rows of `table` whose time in `column` has passed, in batches, each row in a write of its workspace. */
export const expireDue = Effect.fnUntraced(function* <Error>(options: {
  readonly sql: PgClient
  readonly writer: Writer["Service"]
  readonly table: Table<any>
  readonly column: string
  readonly now: string
  readonly end: (draft: Draft, id: string) => Effect.Effect<unknown, Error>
}) {
  const { column, end, now, sql, table, writer } = options
  while (true) {
    const due = yield* sql.unsafe<{ readonly workspace_id: WorkspaceId; readonly ids: ReadonlyArray<string> }>(
      `SELECT workspace_id, array_agg(id) AS ids FROM (
        SELECT workspace_id, id FROM ${table.name} t WHERE ${column} <= $1
          AND EXISTS (SELECT FROM workspaces w WHERE w.workspace_id = t.workspace_id AND w.deleted_at IS NULL)
        ORDER BY ${column} LIMIT ${batch}
      ) oldest GROUP BY workspace_id`,
      [now]
    )
    for (const { ids, workspace_id } of due) {
      const needs = ids.map((id) => [table, id] as const)
      yield* writer.write(workspace_id, { actor: systemActor, needs }, (draft) =>
        Effect.forEach(ids, (id) => end(draft, id), { discard: true })
      )
    }
    if (due.reduce((sum, { ids }) => sum + ids.length, 0) < batch) return
  }
})
