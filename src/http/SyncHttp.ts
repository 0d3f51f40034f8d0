import { NodeHttpServerRequest } from "@effect/platform-node"
import { Deferred, Duration, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { limitOf } from "../../services/lists/Page.ts"
import { Devices } from "../../services/sync/Devices.ts"
import { Push } from "../../services/sync/Push.ts"
import { type Pulled, Sync } from "../../services/sync/Sync.ts"
import { Streams } from "../../services/sync/Streams.ts"
import { Api } from "../api/Api.ts"
import { problemIn } from "./Problem.ts"
import * as Lean from "./Lean.ts"
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

/** A listener that was told goodbye and does not take it is cut off after so long. */
const farewell = Duration.seconds(10)

export const SyncHttp = HttpApiBuilder.group(
  Api,
  "sync",
  Effect.fn(function* (handlers) {
    const sync = yield* Sync
    const pushes = yield* Push
    const devices = yield* Devices
    const streams = yield* Streams
    return handlers.handleAll({
      pull: Effect.fnUntraced(function* ({ payload, query }) {
        const limit =
          query.limit === undefined ? payload?.limit : yield* limitOf(query.limit, { max: 500, fallback: 100 })
        const pulled = yield* sync.pull({ ...payload, ...(limit === undefined ? {} : { limit }) })
        return syncObject(pulled, 201)
      }),
      push: Effect.fnUntraced(function* ({ payload }) {
        const pushed = yield* pushes.push(payload)
        const results = yield* Effect.forEach(pushed.results, ({ error, ...result }) =>
          error === undefined ? Effect.succeed(result) : Effect.map(problemIn(error), (error) => ({ ...result, error }))
        )
        return Respond.value({ ...pushed, results }, 201)
      }),
      stream: Effect.fnUntraced(function* ({ query }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { body, ended } = yield* streams.open(request.headers["last-event-id"] ?? query.cursor)
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
      cursor: () => Effect.map(sync.newest, (pulled) => syncObject(pulled, 200)),
      devices: ({ query }) => Effect.flatMap(devices.list(query), Respond.page),
      deleteDevice: ({ params }) => Effect.as(devices.delete(params.id), Respond.deleted(params.id))
    })
  })
).pipe(Lean.handlers(Sync, Push, Devices, Streams))
