import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { syncTypes } from "../../../../services/Resources.ts"
import { NewestCursor, PullRequest, PushAnswer, PushRequest, SyncObject } from "../../../../services/sync/SyncObject.ts"
import { Device, deviceList } from "../../../../services/sync/Device.ts"
import { PushSubscribe, PushSubscription } from "../../../../services/webpush/PushSubscription.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { DryRunnable, Extensive, ReadOnly, ResponseType } from "../Conventions.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))
const write = operations(withinReach(writes("notes:write")))
const readAll = operations(reads("notes:read"))
const writeAll = operations(writes("notes:write"))
const cursorCodes = ["invalid_cursor", "cursor_mismatch", "cursor_expired"] as const

export class SyncApi extends HttpApiGroup.make("sync")
  .add(
    HttpApiEndpoint.post("pull", "/pull", {
      query: { limit: page.limit },
      payload: optionalBody(PullRequest),
      success: SyncObject.pipe(created)
    })
      .annotateMerge(
        read(
          "pullChanges",
          "Pull changes",
          "Returns the changes after `cursor`: each record once in its newest state, in the order of its last change. Without a cursor it returns all existing records, in pages. A page may have fewer changes than `limit`; `has_more` says whether there are more. With `wait` the server responds only when there is a change, or when the time is over. A cursor is valid for 24 hours: an expired one gets 410 with a `resync_cursor`, which is valid while deletions are kept (90 days). Clients must skip changes of unknown types; later versions may add types.",
          {
            codes: ["invalid_limit", ...cursorCodes, "not_found"],
            parameters: {
              limit: {
                type: "integer",
                minimum: 1,
                maximum: 500,
                default: 100,
                description: "The maximum number of changes in a page. It takes precedence over `limit` in the body."
              }
            }
          }
        )
      )
      .annotate(ReadOnly, true),
    HttpApiEndpoint.post("push", "/push", { payload: PushRequest, success: PushAnswer.pipe(created) })
      .annotateMerge(
        write(
          "pushChanges",
          "Push changes",
          "Applies changes made offline, in order. Each is applied as a whole or not at all, independently of the others. If the server has a newer revision of a record, the change is returned in `conflicts` and not written. A repeated `mutation_id` gets the same result and is not applied again. `changes` has the state after the push of each record that an entry changed or whose entry is a `duplicate`. A push reads and returns at most 32 MiB of records: entries beyond that are `rejected` with a problem `payload_too_large` (status 413, with `limit_bytes`); send them again, unchanged, in another push. `cursor` is the position after the push; continue to pull from the cursor of the last pull. With `cursor` in the body, a push of a client that does not know of a restore of the server yet is refused.",
          { codes: ["invalid_cursor", "cursor_expired", "not_found"] }
        )
      )
      .annotate(DryRunnable, true)
      .annotate(Extensive, true),
    HttpApiEndpoint.get("stream", "/stream", {
      query: {
        cursor: page.cursor,
        limit: page.limit,
        types: Schema.optionalKey(Schema.String),
        notebooks: Schema.optionalKey(Schema.String)
      },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
    })
      .annotateMerge(
        read(
          "streamChanges",
          "Stream changes",
          "Server-sent events, starting from `Last-Event-ID`, else from `cursor`, else from now. First `ready` with the cursor; then a `change` for each change entry, with its cursor as id; `reminder` when one of the caller's own reminders fires; `cursor` with a new cursor after ten minutes without a change; and `bye` with a reason (`shutdown`, `token_expired`, `revoked`, `slow`, `restored`, `notebooks`) before the server closes the stream. With `types` it sends only changes of these types, and `reminder` only if they include reminders. Resuming from the last id neither skips nor repeats a change. An expired cursor gets 410 before the stream opens. Clients must skip events with other names; later versions may add events.",
          {
            codes: [...cursorCodes, "validation_failed", "too_many_streams"],
            events: { data: "StreamData", item: "StreamEvent" },
            parameters: {
              cursor: {
                type: "string",
                maxLength: 2048,
                description: "Where to start: the cursor of a pull or of an earlier event, with the same `types`."
              },
              types: {
                type: "array",
                items: { type: "string", enum: syncTypes },
                description:
                  "Only changes of records of these types; without it, of all types. The cursors of the stream are valid only with the same types, in pulls too."
              },
              notebooks: {
                type: "array",
                items: { type: "string" },
                maxItems: 50,
                description:
                  "Only changes in these notebooks and those in them, as in a pull with `notebooks`: each record in its newest state, without `reminder`."
              },
              limit: {
                type: "integer",
                minimum: 1,
                maximum: 100,
                description: "Accepted and ignored: a stream has no pages."
              }
            }
          }
        )
      )
      .annotate(ResponseType, "text/event-stream"),
    HttpApiEndpoint.get("cursor", "/cursor", { query: page, success: NewestCursor }).annotateMerge(
      read(
        "getSyncCursor",
        "Get the newest cursor",
        "Returns a sync object with the newest cursor and no changes, for clients that need only changes from now on, or must know their workspace. The page parameters are accepted and ignored.",
        { example: { changes: [] } }
      )
    ),
    HttpApiEndpoint.get("devices", "/devices", { query: page, success: list(Device) }).annotateMerge(
      readAll(
        "listDevices",
        "List devices",
        "The caller's devices. Devices that have not synced for 90 days are removed. A user has at most 100 devices: the next one replaces the device that has not synced for the longest time, those without a session first.",
        listing(deviceList)
      )
    ),
    HttpApiEndpoint.make("DELETE")("deleteDevice", "/devices/:id", { params: id, success: Deleted }).annotateMerge(
      writeAll("deleteDevice", "Remove a device", "Removes the device and ends its session.")
    ),
    HttpApiEndpoint.get("getPushSubscription", "/devices/:id/push", {
      params: id,
      success: PushSubscription
    }).annotateMerge(
      readAll(
        "getPushSubscription",
        "Get a push subscription",
        "The public key for the Web Push subscription of one of the caller's devices, and its current endpoint."
      )
    ),
    HttpApiEndpoint.put("putPushSubscription", "/devices/:id/push", {
      params: id,
      payload: PushSubscribe,
      success: PushSubscription
    }).annotateMerge(
      writeAll(
        "putPushSubscription",
        "Subscribe to Web Push",
        "Sends reminders to the device from now on. The body is the result of `PushSubscription.toJSON()` in a browser that subscribed with `public_key`. The new subscription replaces an earlier one. It ends with the device, with the session or API key that sent it, and when the push service reports that it has ended; clients should send it at each start."
      )
    ),
    HttpApiEndpoint.make("DELETE")("deletePushSubscription", "/devices/:id/push", {
      params: id,
      success: Deleted
    }).annotateMerge(
      writeAll(
        "deletePushSubscription",
        "Unsubscribe from Web Push",
        "Stops Web Push to the device. The device can still sync. The response has the id of the device.",
        { deletes: "device" }
      )
    )
  )
  .prefix("/sync")
  .annotateMerge(describing("Sync", "Incremental sync with cursors, for clients that work offline.")) {}
