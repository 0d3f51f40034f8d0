import { Clock, Context, Effect, Layer } from "effect"
import type { Unavailable } from "../Errors.ts"
import { Limits } from "../limits/Limits.ts"
import { Principal } from "../Principal.ts"
import { resourceQuotas } from "../Resources.ts"
import { Database, runSql } from "../database/Database.ts"
import { traced } from "../Traced.ts"
import { keptBytes, timesStorage } from "../workspaces/KeptBytes.ts"
import { Plans } from "../workspaces/Plans.ts"
import type { Usage } from "./Usage.ts"
import { UsageCounters } from "./UsageCounters.ts"

const quotas = Object.keys(resourceQuotas)

interface Row {
  readonly counts: Usage["counts"]
  readonly notes: number
  readonly storage_bytes: number
  readonly text_bytes: number
  readonly kept_bytes: number
  readonly date: string | null
  readonly api_requests: number | null
}

/** The counters of the workspace, with the days of the period that have requests. */
const text = `SELECT json_build_object(${quotas.map((name) => `'${name}', h.${name}`).join(", ")}) AS counts, h.notes::float8 AS notes, h.file_bytes::float8 AS storage_bytes,
    h.text_bytes::float8 AS text_bytes, ${keptBytes()} AS kept_bytes, d.date, d.api_requests::float8 AS api_requests
  FROM heads h LEFT JOIN request_days d ON d.workspace_id = h.workspace_id AND d.date BETWEEN $2 AND $3
  WHERE h.workspace_id = $1`

/** The usage of a workspace in the current calendar month, in UTC (contract 4). */
export class Usages extends Context.Service<
  Usages,
  {
    readonly get: () => Effect.Effect<Usage, Unavailable, Principal>
  }
>()("sheaf/activity/Usages") {
  static readonly layer = Layer.effect(
    Usages,
    Effect.gen(function* () {
      const { read } = yield* Database
      const { limits } = yield* Plans
      const { inForce } = yield* Limits
      const counters = yield* UsageCounters

      const get = traced("Usages.get")(function* () {
        const { plan, workspace_id } = yield* Principal
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* counters.flush
        const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
        const dates = Array.from({ length: now.getUTCDate() }, (_, index) =>
          new Date(Date.UTC(year, month, index + 1)).toISOString().slice(0, 10)
        )
        const rows = yield* runSql<Row>(read, text, [workspace_id, dates[0], dates.at(-1)])
        const requests = new Map(rows.map((row) => [row.date, row.api_requests]))
        const daily = dates.map((date) => ({ date, api_requests: requests.get(date) ?? 0 }))
        const allowed = limits[plan]
        const usage: Usage = {
          period_start: `${dates[0]}T00:00:00.000Z`,
          period_end: new Date(Date.UTC(year, month + 1, 1)).toISOString(),
          plan,
          notes: rows[0]!.notes,
          storage_bytes: rows[0]!.storage_bytes,
          text_bytes: rows[0]!.text_bytes,
          kept_bytes: rows[0]!.kept_bytes,
          api_requests: daily.reduce((sum, each) => sum + each.api_requests, 0),
          counts: rows[0]!.counts,
          limits: {
            ...allowed,
            requests_per_minute: inForce(allowed.requests_per_minute),
            kept_bytes: allowed.storage_bytes * timesStorage
          },
          daily
        }
        return usage
      })

      return Usages.of({ get })
    })
  )
}
