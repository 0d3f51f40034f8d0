import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import { ago } from "../database/DeleteInBatches.ts"

/** Milliseconds for which deliveries are kept: 30 days (contract 9). */
const deliveryLife = 30 * 24 * 3600_000
/** Maximum number of finished deliveries per webhook (contract 9). */
const maxFinished = 10_000
const pruneBatch = 1_000
/** Milliseconds after which an attempt without a result counts as interrupted. No attempt takes longer. */
const longestTry = 60_000

/** Deletes deliveries by age and number, and ends attempts whose process ended before it stored a result. */
export const make = (sql: PgClient) => {
  /** Deletes a batch of the deliveries of a webhook that match SQL. Returns their number. */
  const remove = (workspace_id: string, webhook_id: string, matching: string, params: ReadonlyArray<string> = []) =>
    Effect.map(
      sql.unsafe(
        `DELETE FROM webhook_deliveries WHERE workspace_id = $1 AND id = ANY(ARRAY(
          SELECT id FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND ${matching}
          LIMIT ${pruneBatch})) RETURNING 1 AS gone`,
        [workspace_id, webhook_id, ...params]
      ),
      ({ length }) => length
    )

  const trim = (workspace_id: string, webhook_id: string) =>
    remove(workspace_id, webhook_id, `status <> 'pending' ORDER BY created_at DESC, id DESC OFFSET ${maxFinished}`)

  /** Ends attempts whose process ended before it stored a result. */
  const endLost = Effect.fnUntraced(function* (workspace_id: string, webhook_id: string) {
    yield* runSql(
      sql,
      `UPDATE webhook_deliveries SET status = 'failed', error = 'the attempt was interrupted'
        WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at IS NULL
          AND created_at < $3`,
      [workspace_id, webhook_id, yield* ago(longestTry)]
    )
  })

  const prune = Effect.gen(function* () {
    const cutoff = yield* ago(deliveryLife)
    let last = { workspace_id: "", id: "" }
    for (let isMore = true; isMore;) {
      const hooks = yield* sql.unsafe<typeof last>(
        `SELECT workspace_id, id FROM webhooks WHERE (workspace_id, id) > ($1, $2)
        ORDER BY workspace_id, id LIMIT ${pruneBatch}`,
        [last.workspace_id, last.id]
      )
      for (const { id, workspace_id } of hooks) {
        while ((yield* remove(workspace_id, id, "created_at < $3", [cutoff])) === pruneBatch);
        yield* trim(workspace_id, id)
        yield* endLost(workspace_id, id)
      }
      last = hooks.at(-1) ?? last
      isMore = hooks.length === pruneBatch
    }
  })

  return {
    trim: (workspace_id: string, webhook_id: string) => Effect.orDie(Effect.asVoid(trim(workspace_id, webhook_id))),
    endLost,
    prune: Effect.orDie(prune)
  }
}
