import { Effect } from "effect"
import { Database } from "../../services/database/Database.ts"
import type { TestApp } from "./TestApp.ts"

/** The work of PostgreSQL for a statement, in counts that are the same on every machine. */
export interface Explained {
  /** Rows that the nodes of the plan returned or filtered out, over all loops. */
  readonly rows: number
  /** Pages read, from the cache or the disk. */
  readonly buffers: number
}

interface Node {
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Node>
}

const rowsOf = (node: Node): number =>
  (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"] +
  (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0)

const literal = (value: unknown): string =>
  Array.isArray(value)
    ? `ARRAY[${value.map(literal).join(", ")}]`
    : typeof value === "number"
      ? String(value)
      : `'${String(value).replaceAll("'", "''")}'`

/** Runs a statement with its generic plan, as the App does for all values, and returns its work. */
export const explain = (app: TestApp, text: string, params: ReadonlyArray<unknown>): Promise<Explained> =>
  app.run(
    Effect.flatMap(Effect.service(Database), ({ whole }) =>
      whole.withTransaction(
        Effect.gen(function* () {
          yield* whole.unsafe(`PREPARE explained AS ${text}`).unprepared
          const [row] = yield* whole.unsafe<any>(
            `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained (${params.map(literal).join(", ")})`
          ).unprepared
          yield* whole.unsafe("DEALLOCATE explained").unprepared
          const found = row["QUERY PLAN"]
          const [{ Plan: plan }] = typeof found === "string" ? JSON.parse(found) : found
          return { rows: rowsOf(plan), buffers: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] }
        })
      )
    )
  )
