import { Effect } from "effect"
import * as Column from "../tables/Column.ts"
import { Database } from "../database/Database.ts"
import { ago, prune } from "../database/Prune.ts"
import * as Table from "../tables/Table.ts"
import type { PushResult } from "./PushOutcome.ts"

/** Mutations that were applied, and conflicts that were told, so that a repetition does neither again. */
export const mutations = Table.make(
  "mutations",
  {
    source_id: Column.text(),
    mutation_id: Column.text(),
    /** Null of a conflict that was told. */
    result: Column.nullable(Column.json<PushResult>()),
    created_at: Column.text()
  },
  { key: ["source_id", "mutation_id"] }
)

/** Applied mutations are remembered for 30 days (contract 6). */
const mutationLife = 30 * 24 * 3600_000

/** Forgets mutations that were applied long ago. */
export const forgetMutations = Effect.gen(function* () {
  const { write } = yield* Database
  yield* prune(write, mutations.name, "created_at < $1", yield* ago(mutationLife))
})
