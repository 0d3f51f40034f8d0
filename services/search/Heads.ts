import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { Unavailable } from "../Errors.ts"
import { orUnavailable } from "../storage/Database.ts"
import * as RequestBatcher from "../storage/RequestBatcher.ts"

/** Where the log of a workspace ends. */
export interface Head {
  readonly epoch: string
  readonly seq: number
}

export const isSame = (one: Head, other: Head): boolean => one.seq === other.seq && one.epoch === other.epoch

/** A workspace that is being erased: nothing is found in it. */
export const nowhere: Head = { epoch: "", seq: 0 }

const text = "SELECT workspace_id, epoch, seq::float8 AS seq FROM heads WHERE workspace_id = ANY($1::text[])"

/**
 * Tells where the log of a workspace ends, as of a moment after it was asked: what is committed by then is in it.
 * Undefined: there is no such workspace.
 */
export const make = (read: PgClient): ((workspace_id: string) => Effect.Effect<Head | undefined, Unavailable>) => {
  const batched = RequestBatcher.make<"heads", string, Head | undefined, Unavailable>({
    concurrency: 1,
    maxWeight: 1_000,
    run: (_, asked) =>
      Effect.map(
        orUnavailable(read.unsafe<Head & { readonly workspace_id: string }>(text, [[...new Set(asked)]])),
        (rows) => {
          const heads = new Map(rows.map((row) => [row.workspace_id, row]))
          return asked.map((workspace_id) => heads.get(workspace_id))
        }
      )
  })
  return (workspace_id) => batched("heads", workspace_id)
}
