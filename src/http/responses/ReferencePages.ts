import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { RoundRobinSemaphore } from "../../../services/concurrency/RoundRobinSemaphore.ts"
import { Unavailable } from "../../../services/Errors.ts"
import { networkOf } from "../../../services/limits/Network.ts"
import { type Asked, type Page, referenceThread } from "../../reference/ReferenceThread.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import { PublicUrl } from "./Respond.ts"
import { StaticAnswer } from "./StaticAnswer.ts"

type Options = ConstructorParameters<typeof StaticAnswer>[1]

const notMade = new Unavailable({ code: "overloaded", detail: "The page could not be made", retry_after: 1 })

/**
 * The OpenAPI description and the pages of the API reference. A thread makes each when it is first asked for: a start waits
 * for nothing, and nobody for what strangers read. Networks take turns.
 */
export class ReferencePages extends Context.Service<
  ReferencePages,
  {
    /** What is the same for everybody, made once and held; undefined where there is no such page. */
    readonly page: (
      asked: Page,
      options: Options
    ) => Effect.Effect<StaticAnswer | undefined, Unavailable, HttpServerRequest.HttpServerRequest>
    /** The page of what is found for a query. */
    readonly found: (query: string) => Effect.Effect<string, Unavailable, HttpServerRequest.HttpServerRequest>
  }
>()("sheaf/http/responses/ReferencePages") {
  static readonly layer = Layer.effect(
    ReferencePages,
    Effect.gen(function* () {
      const publicUrl = yield* PublicUrl
      const addressOf = yield* ClientAddress
      const thread = referenceThread()
      yield* Effect.addFinalizer(() => Effect.promise(() => thread.end()))
      const semaphore = new RoundRobinSemaphore({
        permits: 1,
        maxWaiting: 100,
        maxWaitingPerKey: 20,
        detail: "Too many pages of the reference are being made"
      })
      const held = new Map<string, StaticAnswer>()

      const made = (asked: Asked) =>
        Effect.flatMap(
          Effect.promise(() => thread.run({ ...asked, publicUrl })),
          (made) => (made === undefined ? Effect.fail(notMade) : Effect.succeed(made.text))
        )

      /** The thread is busy until it answers, whoever waits for that. */
      const inTurn = <A>(work: Effect.Effect<A, Unavailable>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          semaphore.withPermit(networkOf(addressOf(request)), Effect.uninterruptible(work))
        )

      return ReferencePages.of({
        page: (asked, options) => {
          const key = JSON.stringify(asked)
          const known = Effect.sync(() => held.get(key))
          const making = Effect.map(made(asked), (text) => {
            const answer = text === undefined ? undefined : new StaticAnswer(text, options)
            if (answer !== undefined) held.set(key, answer)
            return answer
          })
          // Others may have asked for the same while this one waited.
          const orMade = Effect.flatMap(known, (answer) => (answer === undefined ? making : Effect.succeed(answer)))
          return Effect.flatMap(known, (answer) => (answer === undefined ? inTurn(orMade) : Effect.succeed(answer)))
        },
        found: (query) => inTurn(Effect.map(made({ query }), (text = "") => text))
      })
    })
  )
}
