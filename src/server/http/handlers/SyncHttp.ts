import { NodeHttpServerRequest } from "@effect/platform-node"
import { Deferred, Duration, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../../../services/Errors.ts"
import { isClientMade } from "../../../../services/Ids.ts"
import { limitOf } from "../../../../services/lists/Page.ts"
import { syncTypes } from "../../../../services/Resources.ts"
import { Devices } from "../../../../services/sync/Devices.ts"
import { Push } from "../../../../services/sync/Push.ts"
import type { PushResult } from "../../../../services/sync/PushOutcome.ts"
import { type Pulled, Sync } from "../../../../services/sync/Sync.ts"
import { isSyncType, typesNamed } from "../../../../services/sync/SyncObject.ts"
import { maxSelected, selecting } from "../../../../services/sync/SyncReach.ts"
import { Streams } from "../../../../services/sync/Streams.ts"
import { WebPush } from "../../../../services/webpush/WebPush.ts"
import { releasePermit } from "../server/Admission.ts"
import { problemIn } from "../responses/Problem.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

const syncObject = (pulled: Pulled, status: number) =>
  Respond.around(
    `{"cursor":"${pulled.cursor}","changes":[`,
    pulled.changes,
    `],"has_more":${pulled.has_more},"conflicts":[],"cursor_expires_at":"${pulled.cursor_expires_at}","device_id":${JSON.stringify(
      pulled.device_id
    )}${pulled.workspace_id === undefined ? "" : `,"workspace_id":"${pulled.workspace_id}"`}}`,
    status
  )

/** The types of a query: names separated by commas. */
const typesOf = (text = "") => {
  const names = text === "" ? [] : text.split(",")
  return names.every(isSyncType)
    ? Effect.succeed(typesNamed(names))
    : Effect.fail(
        new BadRequest({ code: "invalid_parameter", detail: `types must be some of ${syncTypes.join(", ")}` })
      )
}

/** The notebooks of a query: ids separated by commas. */
const notebooksOf = (text: string | undefined) => {
  const ids = text?.split(",")
  return ids === undefined || (ids.length <= maxSelected && ids.every((id) => isClientMade("nb", id)))
    ? Effect.succeed(ids)
    : Effect.fail(
        new BadRequest({
          code: "invalid_parameter",
          detail: `notebooks must be at most ${maxSelected} ids of notebooks`
        })
      )
}

/** How long a client may take to read the end of a stream before the connection is closed. */
const farewell = Duration.seconds(10)

export const SyncHttp = Handlers.group(
  "sync",
  { sync: Sync, pushes: Push, devices: Devices, streams: Streams, subscriptions: WebPush },
  ({ sync, pushes, devices, streams, subscriptions }) => {
    const problemsIn = ({ error, ...result }: PushResult) =>
      error === undefined ? Effect.succeed(result) : Effect.map(problemIn(error), (error) => ({ ...result, error }))

    return {
      push: Effect.fnUntraced(function* ({ payload }) {
        const pushed = yield* pushes.push(payload)
        return Respond.value({ ...pushed, results: yield* Effect.forEach(pushed.results, problemsIn) }, 201)
      }),
      pull: Effect.fnUntraced(function* ({ payload, query }) {
        const limit =
          query.limit === undefined ? payload?.limit : yield* limitOf(query.limit, { max: 500, fallback: 100 })
        const request = yield* HttpServerRequest.HttpServerRequest
        const pulled = sync.pull({ ...payload, ...(limit === undefined ? {} : { limit }) }, () =>
          releasePermit(request)
        )
        return syncObject(yield* selecting(payload?.notebooks, pulled), 201)
      }),
      stream: Effect.fnUntraced(function* ({ query }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const types = yield* typesOf(query.types)
        const notebooks = yield* notebooksOf(query.notebooks)
        const opened = streams.open(request.headers["last-event-id"] || query.cursor, types)
        const { body, ended } = yield* selecting(notebooks, opened)
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
