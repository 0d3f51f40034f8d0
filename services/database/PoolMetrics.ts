import { Context, Duration, Effect, Layer, Metric } from "effect"
import { Database } from "./Database.ts"

const up = Metric.gauge("sheaf_database_up", { description: "Whether the database responds" })
const connections = Metric.gauge("sheaf_database_connections", {
  description: "Connections of all Sheaf processes to the database, by state"
})
const states = ["active", "idle", "idle in transaction", "waiting for a lock"] as const

/** How the connections are used. The driver does not expose its pools, so the database is queried. */
export class PoolMetrics extends Context.Service<
  PoolMetrics,
  {
    /** Updates the metrics. They also report a database that does not respond. */
    readonly refresh: Effect.Effect<void>
  }
>()("sheaf/database/PoolMetrics") {
  static readonly layer = Layer.effect(
    PoolMetrics,
    Effect.gen(function* () {
      const { read } = yield* Database
      const byState = new Map(states.map((state) => [state as string, Metric.withAttributes(connections, { state })]))

      const counted = read.unsafe<{ state: string; count: number }>(
        `SELECT CASE WHEN wait_event_type = 'Lock' THEN 'waiting for a lock'
          WHEN state LIKE 'idle in transaction%' THEN 'idle in transaction' ELSE state END AS state,
          count(*)::int AS count
        FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sheaf' GROUP BY 1`
      )
      const refresh = Effect.flatMap(counted, (rows) => {
        const counts = new Map(rows.map((row) => [row.state, row.count]))
        return Effect.forEach([...byState], ([state, gauge]) => Metric.update(gauge, counts.get(state) ?? 0), {
          discard: true
        })
      }).pipe(
        Effect.timeout(Duration.seconds(1)),
        Effect.matchEffect({
          onSuccess: () => Metric.update(up, 1),
          onFailure: () => Metric.update(up, 0)
        })
      )
      return PoolMetrics.of({ refresh })
    })
  )
}
