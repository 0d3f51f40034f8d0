import { Effect } from "effect"
import { Database } from "../storage/Database.ts"
import { ago, prune } from "../storage/Prune.ts"

/** Applied mutations are remembered for 30 days (contract 6). */
const mutationLife = 30 * 24 * 3600_000

/** Forgets mutations that were applied long ago. */
export const forgetMutations = Effect.gen(function* () {
  const { write } = yield* Database
  yield* prune(write, "mutations", "created_at < $1", yield* ago(mutationLife))
})
