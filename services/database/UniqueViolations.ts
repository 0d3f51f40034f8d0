import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"

const constraintOf = (error: unknown): string | undefined => {
  if (!SqlError.isSqlError(error)) return undefined
  const cause = error.reason.cause as { readonly code?: unknown; readonly constraint?: unknown } | undefined
  return typeof cause?.constraint === "string" ? cause.constraint : undefined
}

/** Turns a violation of the unique constraint into the conflict, which decides a race between two writes. */
export const orConflict =
  <C>(constraint: string, conflict: C) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.catchCause(effect, (cause): Effect.Effect<A, E | C> => {
      const isHit = cause.reasons.some(
        (reason) =>
          constraintOf(
            Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
          ) === constraint
      )
      return isHit ? Effect.fail(conflict) : Effect.failCause(cause)
    })
