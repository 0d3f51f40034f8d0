import { Effect } from "effect"
import * as Column from "../tables/Column.ts"
import { Database } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import * as Table from "../tables/Table.ts"
import type { Draft } from "../writer/Draft.ts"
import { isMutationId, textOf } from "./PushEntry.ts"
import type { AppliedResult } from "./PushOutcome.ts"

/** Applied mutations and reported conflicts, which a repetition does not apply or report again. */
export const mutations = Table.make(
  "mutations",
  {
    source_id: Column.text(),
    mutation_id: Column.text(),
    /** Null for a reported conflict. */
    result: Column.nullable(Column.json<AppliedResult>()),
    created_at: Column.text()
  },
  { key: ["source_id", "mutation_id"] }
)

/** The key of the row of a pushed entry; undefined if the entry has no valid `mutation_id`. */
export const keyOf = (raw: unknown): string | undefined => {
  const mutation_id = textOf(raw, "mutation_id")
  return mutation_id === undefined || !isMutationId(mutation_id) ? undefined : `m:${mutation_id}`
}

/** The result of a pushed entry that was applied earlier; undefined if it was not. */
export const rememberedBy = (draft: Draft, source: string, raw: unknown): Effect.Effect<AppliedResult | undefined> => {
  const key = keyOf(raw)
  if (key === undefined) return Effect.succeed(undefined)
  return Effect.mapEager(draft.get(mutations, source, key), (row) => row?.result ?? undefined)
}

/** Milliseconds for which applied mutations are kept (contract 6). */
const mutationLife = 30 * 24 * 3600_000

/** Deletes mutations that were applied too long ago. */
export const pruneMutations = Effect.gen(function* () {
  const { write } = yield* Database
  yield* deleteInBatches(write, mutations.name, "created_at < $1", yield* ago(mutationLife))
})
