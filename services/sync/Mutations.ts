import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as Column from "../tables/Column.ts"
import { Database } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import * as Table from "../tables/Table.ts"
import type { Draft } from "../writer/Draft.ts"
import { isMutationId, textOf } from "./PushEntry.ts"
import type { AppliedResult } from "./PushOutcome.ts"
import type { SyncConflict } from "./SyncObject.ts"

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

/** Appends `sync.conflict`, once for the same conflict however often it is pushed. */
export const raise = Effect.fnUntracedEager(function* (draft: Draft, source: string, conflict: SyncConflict) {
  const { client, client_revision, id, mutation_id, reason, revision, type } = conflict
  const digest = createHash("sha256")
    .update(JSON.stringify([type, id, reason, revision, client_revision, client]))
    .digest("base64url")
  const key = `c:${digest}`
  if ((yield* draft.get(mutations, source, key)) !== undefined) return
  draft.put(mutations, { source_id: source, mutation_id: key, result: null, created_at: draft.now })
  draft.append({
    type: "sync.conflict",
    resource: type,
    resource_id: id,
    data: { reason, revision, client_revision, mutation_id }
  })
})

/** Milliseconds for which applied mutations are kept (contract 6). */
const mutationLife = 30 * 24 * 3600_000

/** Deletes mutations that were applied too long ago. */
export const pruneMutations = Effect.gen(function* () {
  const { write } = yield* Database
  yield* deleteInBatches(write, mutations.name, "created_at < $1", yield* ago(mutationLife))
})
