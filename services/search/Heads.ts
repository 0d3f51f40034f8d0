import { Context, Deferred, Effect, Layer } from "effect"
import type { Unavailable } from "../Errors.ts"
import { Database, orUnavailable } from "../storage/Database.ts"

/** Where the log of a workspace ends. */
export interface Head {
  readonly epoch: string
  readonly seq: number
}

type Asked = Map<string, Deferred.Deferred<Head | undefined, Unavailable>>

/**
 * Tells where logs end, as of a moment after it was asked. All that ask while a statement is under way share the next one: it
 * begins when that has ended, so that it sees whatever was committed before they asked.
 */
export class Heads extends Context.Service<
  Heads,
  {
    /** Undefined: there is no such workspace. */
    readonly current: (workspace_id: string) => Effect.Effect<Head | undefined, Unavailable>
  }
>()("sheaf/search/Heads") {
  static readonly layer = Layer.effect(
    Heads,
    Effect.gen(function* () {
      const { read } = yield* Database
      const scope = yield* Effect.scope
      let asked: Asked = new Map()
      let isUnderWay = false

      const answer = Effect.fnUntraced(function* (all: Asked) {
        const heads = yield* Effect.exit(
          orUnavailable(
            read.unsafe<Head & { readonly workspace_id: string }>(
              "SELECT workspace_id, epoch, seq::float8 AS seq FROM heads WHERE workspace_id = ANY($1::text[])",
              [[...all.keys()]]
            )
          ).pipe(Effect.map((rows) => new Map(rows.map((row) => [row.workspace_id, row]))))
        )
        for (const [workspace_id, deferred] of all) {
          Deferred.doneUnsafe(
            deferred,
            heads._tag === "Success" ? Effect.succeed(heads.value.get(workspace_id)) : Effect.failCause(heads.cause)
          )
        }
      })

      const work: Effect.Effect<void> = Effect.suspend(() => {
        const all = asked
        asked = new Map()
        isUnderWay = all.size > 0
        return isUnderWay ? Effect.andThen(answer(all), work) : Effect.void
      })

      const current = (workspace_id: string) =>
        Effect.suspend(() => {
          let deferred = asked.get(workspace_id)
          if (deferred === undefined) asked.set(workspace_id, (deferred = Deferred.makeUnsafe()))
          if (isUnderWay) return Deferred.await(deferred)
          isUnderWay = true
          return Effect.andThen(Effect.forkIn(work, scope), Deferred.await(deferred))
        })

      return Heads.of({ current })
    })
  )
}
