import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Device, PullRequest, PushAnswer, PushRequest, SyncObject } from "../../services/sync/SyncObject.ts"
import { deviceList } from "../../services/sync/DeviceList.ts"
import { PushSubscribe, PushSubscription } from "../../services/webpush/PushSubscription.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { Extensive } from "./Conventions.ts"
import { created, Deleted, id, list, optionalBody, page } from "./Envelopes.ts"
import { ReadOnly } from "./Idempotency.ts"
import { listing, operation } from "./Operation.ts"

const read = reads("notes:read")
const write = writes("notes:write")
const cursorCodes = ["invalid_cursor", "cursor_mismatch", "cursor_expired"] as const

export class SyncApi extends HttpApiGroup.make("sync")
  .add(
    HttpApiEndpoint.post("pull", "/pull", {
      query: { limit: page.limit },
      payload: optionalBody(PullRequest),
      success: SyncObject.pipe(created)
    })
      .annotateMerge(
        operation(
          "pullChanges",
          "Pull changes",
          "Changes after `cursor`, each record once at its newest state, in the order of its last change. Without a cursor: everything that exists, in pages. A page may end early; `has_more` tells. With `wait` an empty answer is held back until there is a change. A cursor lives 24 hours: an expired one is 410, with a `resync_cursor` that is good while tombstones are kept. Changes of types that the client does not know, which later versions may have, are to be skipped.",
          {
            codes: ["invalid_limit", ...cursorCodes, "not_found"],
            parameters: {
              limit: {
                type: "integer",
                minimum: 1,
                maximum: 500,
                default: 100,
                description: "The most changes of a page; the same as `limit` in the body, before which it counts."
              }
            }
          }
        )
      )
      .annotate(Access, read)
      .annotate(ReadOnly, true),
    HttpApiEndpoint.post("push", "/push", { payload: PushRequest, success: PushAnswer.pipe(created) })
      .annotateMerge(
        operation(
          "pushChanges",
          "Push changes",
          "Applies changes made offline, in their order, each atomic by itself: a bad one hurts only itself. What the server has a newer revision of comes back in `conflicts`, and nothing is written. A repeated `mutation_id` is answered as before and not applied again. A push reads and answers with 32 MiB of records at most: entries beyond that are `rejected` with a problem `payload_too_large` (status 413, with `limit_bytes`) and are to be sent again, unchanged, in another push. `cursor` is the head after the push; the client goes on pulling from the cursor that it had.",
          { codes: ["not_found"] }
        )
      )
      .annotate(Access, write)
      .annotate(Extensive, true),
    HttpApiEndpoint.get("stream", "/stream", {
      query: { cursor: page.cursor, limit: page.limit },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
    })
      .annotateMerge(
        operation(
          "streamChanges",
          "Stream changes",
          "Server-sent events, from `Last-Event-ID`, else `cursor`, else now: `ready` with the cursor, then a `change` for each change entry with its cursor as id, `reminder` when one of the caller's own fires, `cursor` after idle minutes, and `bye` with a reason (`shutdown`, `token_expired`, `revoked`, `slow`) before the server closes. Resuming by the last id neither skips nor repeats a change. An expired start is 410 before the stream opens. Events of other names, which later versions may send, are to be skipped.",
          {
            codes: [...cursorCodes, "validation_failed", "too_many_streams"],
            events: { data: "StreamData", item: "StreamEvent" },
            parameters: {
              cursor: {
                type: "string",
                maxLength: 2048,
                description: "Where to begin: the cursor of a pull or of an earlier event."
              },
              limit: {
                type: "integer",
                minimum: 1,
                maximum: 100,
                description: "Accepted and not used: a stream has no pages."
              }
            }
          }
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.get("cursor", "/cursor", { query: page, success: SyncObject })
      .annotateMerge(
        operation(
          "getSyncCursor",
          "Get the newest cursor",
          "A sync object with the newest cursor and no changes, to begin from now. The page parameters are accepted and not used."
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.get("devices", "/devices", { query: page, success: list(Device) })
      .annotateMerge(
        operation(
          "listDevices",
          "List devices",
          "The caller's devices that synced in the last 90 days. At the 101st device of a user the longest silent one ends, those first on which nobody is signed in; so do devices that were silent for 90 days.",
          listing(deviceList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.make("DELETE")("deleteDevice", "/devices/:id", { params: id, success: Deleted })
      .annotateMerge(operation("deleteDevice", "Remove a device", "Removes the device and ends its sign-in."))
      .annotate(Access, write),
    HttpApiEndpoint.get("getPushSubscription", "/devices/:id/push", { params: id, success: PushSubscription })
      .annotateMerge(
        operation(
          "getPushSubscription",
          "Get a push subscription",
          "The key with which a device of the caller's subscribes to Web Push, and where it is written to."
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.put("putPushSubscription", "/devices/:id/push", {
      params: id,
      payload: PushSubscribe,
      success: PushSubscription
    })
      .annotateMerge(
        operation(
          "putPushSubscription",
          "Subscribe to Web Push",
          "Reminders reach the device from now on: the body is what a browser's `PushSubscription.toJSON()` gives, made with `public_key`. It takes the place of the one before. It ends with the device, with the session or API key that sent it, and when the push service says that it is gone; clients send it at each start."
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("deletePushSubscription", "/devices/:id/push", { params: id, success: Deleted })
      .annotateMerge(
        operation(
          "deletePushSubscription",
          "Unsubscribe from Web Push",
          "Nothing is pushed to the device any more; it goes on syncing. The answer names the device.",
          { deletes: "device" }
        )
      )
      .annotate(Access, write)
  )
  .prefix("/sync")
  .annotateMerge(
    OpenApi.annotations({
      title: "Sync",
      description: "Incremental sync by cursor for clients that work offline."
    })
  ) {}
