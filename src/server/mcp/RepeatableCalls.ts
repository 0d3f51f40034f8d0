import { Effect, Option, Schema } from "effect"
import { hash } from "node:crypto"
import { Conflict, Invalid, type SheafError, type Unavailable } from "../../../services/Errors.ts"
import { Principal } from "../../../services/Principal.ts"
import { type Attempt, CurrentAttempt, IdempotencyKeys } from "../../../services/writer/IdempotencyKeys.ts"
import * as Fingerprint from "../http/pipeline/Fingerprint.ts"

const resultOf = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String, version: Schema.Number }))

/** A client that lost a response may send the edit again with the version that this edit made. */
const reused = (result: unknown): Invalid => {
  const made = Option.match(resultOf(result), {
    onNone: () => "",
    onSome: ({ id, version }) => `, with version ${version} of ${id} as its result`
  })
  return new Invalid({
    code: "idempotency_key_reused",
    detail:
      result === undefined
        ? "This mutation_id was used with other arguments"
        : `Nothing was changed: the first call with this mutation_id was applied${made}. Read the note: it may have this change already. Use another mutation_id only for another change`
  })
}

const running = new Conflict({
  code: "idempotency_in_progress",
  detail: "A call with this mutation_id is still running",
  retry_after: 1
})
const erased = new Conflict({
  code: "invalid_state",
  detail: "The result of this mutation_id is no longer stored: its note was erased, or it was too large"
})

/** Runs a call once for each `mutation_id` of a credential. A repetition gets the stored results of its writes. */
export const make = Effect.map(IdempotencyKeys, (keys) => {
  /** Also when the caller disconnects, the call runs to its end. Then a repetition gets the stored results of its writes. */
  const carryOut = <A>(attempt: Attempt, run: Effect.Effect<A, SheafError, Principal>) =>
    Effect.provideService(run, CurrentAttempt, attempt).pipe(Effect.ensuring(Effect.ignore(keys.release(attempt))))

  return Effect.fnUntraced(function* <A>(
    tool: string,
    mutation_id: string,
    args: unknown,
    run: Effect.Effect<A, SheafError, Principal>
  ): Effect.fn.Return<A, SheafError | Unavailable, Principal> {
    const { credential_id, workspace_id } = yield* Principal
    const id = hash("sha256", JSON.stringify(["mcp", credential_id, tool, mutation_id]), "base64url")
    const fingerprint = Fingerprint.ofJson(tool, args)
    const claim = yield* keys.claim({ workspace_id, id, fingerprint })
    switch (claim._tag) {
      case "Claimed":
        return yield* carryOut(claim.attempt, run)
      case "OtherRequest":
        return yield* reused(claim.result)
      case "Running":
        return yield* running
      case "Answered":
      case "Erased":
        return yield* erased
    }
  }, Effect.uninterruptible)
})
