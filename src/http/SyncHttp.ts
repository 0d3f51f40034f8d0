import { NodeHttpServerRequest } from "@effect/platform-node"
import { Deferred, Duration, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Budget } from "../../services/budgets/Budget.ts"
import { jsonOf } from "../../services/budgets/JsonPieces.ts"
import { Turns } from "../../services/budgets/Turns.ts"
import { limitOf } from "../../services/lists/Page.ts"
import { Principal } from "../../services/Principal.ts"
import { Devices } from "../../services/sync/Devices.ts"
import { Push } from "../../services/sync/Push.ts"
import type { Pushed } from "../../services/sync/PushResult.ts"
import { type Pulled, Sync } from "../../services/sync/Sync.ts"
import { Streams } from "../../services/sync/Streams.ts"
import { PushRequest } from "../../services/sync/SyncObject.ts"
import { WebPush } from "../../services/webpush/WebPush.ts"
import { problemIn } from "./Problem.ts"
import * as Handlers from "./Handlers.ts"
import * as Payload from "./Payload.ts"
import * as Respond from "./Respond.ts"

const syncObject = (pulled: Pulled, status: number) =>
  Respond.around(
    `{"cursor":"${pulled.cursor}","changes":[`,
    pulled.changes,
    `],"has_more":${pulled.has_more},"conflicts":[],"cursor_expires_at":"${pulled.cursor_expires_at}","device_id":${JSON.stringify(
      pulled.device_id
    )}}`,
    status
  )

const readPush = Payload.reader(PushRequest)

/** A listener that was told goodbye and does not take it is cut off after so long. */
const farewell = Duration.seconds(10)

export const SyncHttp = Handlers.group(
  "sync",
  { sync: Sync, pushes: Push, devices: Devices, streams: Streams, subscriptions: WebPush, turns: Turns },
  ({ sync, pushes, devices, streams, subscriptions, turns }) => {
    const pushAnswer = Effect.fnUntraced(function* (pushed: Pushed) {
      const results = yield* Effect.forEach(pushed.results, ({ error, ...result }) =>
        error === undefined ? Effect.succeed(result) : Effect.map(problemIn(error), (error) => ({ ...result, error }))
      )
      const { user_id } = yield* Principal
      const budget = new Budget()
      const work = jsonOf({ ...pushed, results }, budget)
      // Most are done at once, and wait for nobody.
      const { done, value } = work.next()
      return Respond.bytes(
        done === true ? value : yield* turns.runBounded(`bodies of ${user_id}`, budget, () => work),
        201
      )
    })

    const push = ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
      Effect.flatMap(readPush(request), (changes) => pushes.push(changes, pushAnswer))

    return {
      push: Handlers.raw(push),
      pull: Effect.fnUntraced(function* ({ payload, query }) {
        const limit =
          query.limit === undefined ? payload?.limit : yield* limitOf(query.limit, { max: 500, fallback: 100 })
        const pulled = yield* sync.pull({ ...payload, ...(limit === undefined ? {} : { limit }) })
        return yield* syncObject(pulled, 201)
      }),
      stream: Effect.fnUntraced(function* ({ query }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { body, ended } = yield* streams.open(request.headers["last-event-id"] || query.cursor)
        const response = NodeHttpServerRequest.toServerResponse(request)
        yield* Effect.forkScoped(
          Effect.andThen(
            Deferred.await(ended),
            Effect.delay(
              Effect.sync(() => response.destroy()),
              farewell
            )
          )
        )
        return HttpServerResponse.stream(body, {
          contentType: "text/event-stream",
          headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
        })
      }),
      cursor: () => Effect.flatMap(sync.newest, (pulled) => syncObject(pulled, 200)),
      devices: ({ query }) => Effect.flatMap(devices.list(query), Respond.page),
      deleteDevice: Effect.fnUntraced(function* ({ params }) {
        yield* devices.delete(params.id, yield* Respond.condition)
        return Respond.deleted(params.id)
      }),
      getPushSubscription: ({ params }) => Effect.map(subscriptions.get(params.id), (each) => Respond.value(each)),
      putPushSubscription: ({ params, payload }) =>
        Effect.map(subscriptions.subscribe(params.id, payload), (each) => Respond.value(each)),
      deletePushSubscription: Effect.fnUntraced(function* ({ params }) {
        yield* subscriptions.unsubscribe(params.id, yield* Respond.condition)
        return Respond.deleted(params.id)
      })
    }
  }
)
