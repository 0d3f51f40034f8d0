import { Effect } from "effect"
import type { NotFound, Unavailable } from "../Errors.ts"
import type { Principal } from "../Principal.ts"

/** A write of the caller, such as `Writer.change`. */
export type Write<D> = <A, E, R>(
  method: (draft: D) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E | NotFound | Unavailable, R | Principal>

/**
 * A write whose result holds texts that are stored elsewhere. With an Idempotency-Key only `kept` of the result is
 * stored (contract 2); `again` makes the whole result from it for a repetition. `kept` must return a new object: its
 * identity distinguishes a result of this call from a stored one, even when the write runs more than once.
 */
export const replayed = <D, A, K extends object, E, R, AE, AR>({
  again,
  kept,
  method,
  write
}: {
  readonly write: Write<D>
  readonly method: (draft: D) => Effect.Effect<A, E, R>
  readonly kept: (made: A) => K
  readonly again: (kept: K) => Effect.Effect<A, AE, AR>
}): Effect.Effect<A, E | AE | NotFound | Unavailable, R | AR | Principal> =>
  Effect.suspend(() => {
    let last: { readonly made: A; readonly kept: K } | undefined
    return Effect.flatMap(
      write((draft) =>
        Effect.mapEager(method(draft), (made) => {
          last = { made, kept: kept(made) }
          return last.kept
        })
      ),
      (stored): Effect.Effect<A, AE, AR> => (last?.kept === stored ? Effect.succeed(last.made) : again(stored))
    )
  })
