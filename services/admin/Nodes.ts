import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { hostname } from "node:os"
import { ParentLink } from "../concurrency/ParentLink.ts"
import * as ClockSkew from "../database/ClockSkew.ts"
import { Database, runSql } from "../database/Database.ts"
import type { Unavailable } from "../Errors.ts"
import { traced } from "../Traced.ts"
import type { ServerNode } from "./ServerNode.ts"

/** How often a node reports, and the milliseconds after which a node that has not reported is forgotten. */
const reportEvery = "10 seconds"
const forgetAfter = 60_000

const reportText = `WITH gone AS (DELETE FROM nodes WHERE seen_at < $8)
  INSERT INTO nodes (id, host, address, version, memory_bytes, started_at, seen_at)
  VALUES ($1, $2, $3, $4, $5::bigint, $6, $7)
  ON CONFLICT (id) DO UPDATE SET memory_bytes = EXCLUDED.memory_bytes, seen_at = EXCLUDED.seen_at`

/** The id of a worker begins with that of its node. */
const listText = `SELECT split_part(id, '/', 1) AS id, host, address, version, count(*)::float8 AS workers,
    sum(memory_bytes)::float8 AS memory_bytes, min(started_at) AS started_at, max(seen_at) AS seen_at
  FROM nodes WHERE seen_at >= $1 OR id = $2
  GROUP BY 1, host, address, version ORDER BY min(started_at), 1 LIMIT 1000`

const iso = (millis: number): string => new Date(millis).toISOString()

/** The nodes on the database: each process that serves reports every ten seconds. */
export class Nodes extends Context.Service<
  Nodes,
  {
    /** The nodes that have reported within a minute, and this node, whose report may be late. */
    readonly list: Effect.Effect<ReadonlyArray<ServerNode>, Unavailable>
    /** Milliseconds by which the clock of this machine was ahead of the database's clock at the last report. */
    readonly skew: () => number
  }
>()("sheaf/admin/Nodes") {
  static readonly layer = (node: Pick<ServerNode, "address" | "version">) =>
    Layer.effect(
      Nodes,
      Effect.gen(function* () {
        const { read, write } = yield* Database
        const link = yield* ParentLink
        const id = `${link === undefined ? "" : `${link.node}/`}${crypto.randomUUID()}`
        const started = iso(yield* Clock.currentTimeMillis)

        let skew = 0

        const lookAtClock = Effect.gen(function* () {
          const before = ClockSkew.problemOf(skew)
          skew = yield* ClockSkew.ofMachine
          const problem = ClockSkew.problemOf(skew)
          if (problem !== undefined && before === undefined)
            yield* Effect.logWarning(`${problem}: set it by a time service`)
          if (problem === undefined && before !== undefined)
            yield* Effect.logInfo("the clock of this machine is right again")
        })

        const report = Effect.gen(function* () {
          yield* lookAtClock
          const now = yield* Clock.currentTimeMillis
          const memory = String(process.memoryUsage.rss())
          yield* write.unsafe(reportText, [
            id,
            hostname(),
            node.address,
            node.version,
            memory,
            started,
            iso(now),
            iso(now - forgetAfter)
          ])
        })
        yield* report.pipe(
          Effect.catchCause((cause) => Effect.logDebug("the node could not report", cause)),
          Effect.repeat(Schedule.spaced(reportEvery)),
          Effect.forkScoped
        )
        yield* Effect.addFinalizer(() => Effect.ignore(write.unsafe("DELETE FROM nodes WHERE id = $1", [id])))

        const list = Effect.gen(function* () {
          const since = iso((yield* Clock.currentTimeMillis) - forgetAfter)
          return yield* runSql<ServerNode>(read, listText, [since, id])
        })
        return Nodes.of({ skew: () => skew, list: traced("Nodes.list")(() => list)() })
      })
    )
}
