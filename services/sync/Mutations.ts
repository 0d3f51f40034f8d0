import { Effect } from "effect"
import * as Column from "../tables/Column.ts"
import { Database } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import * as Table from "../tables/Table.ts"
import type { PushResult } from "./PushOutcome.ts"

/** Applied mutations and reported conflicts, which a repetition does not apply or report again. */
export const mutations = Table.make(
  "mutations",
  {
    source_id: Column.text(),
    mutation_id: Column.text(),
    /** Null for a reported conflict. */
    result: Column.nullable(Column.json<PushResult>()),
    created_at: Column.text()
  },
  { key: ["source_id", "mutation_id"] }
)

/** Milliseconds for which applied mutations are kept (contract 6). */
const mutationLife = 30 * 24 * 3600_000

/** Deletes mutations that were applied too long ago. */
export const pruneMutations = Effect.gen(function* () {
  const { write } = yield* Database
  yield* deleteInBatches(write, mutations.name, "created_at < $1", yield* ago(mutationLife))
})
