import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Device, PullRequest, PushRequest, SyncObject } from "../../services/sync/SyncObject.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, Deleted, id, list, optionalBody, page } from "./Envelopes.ts"

const read = reads("notes:read")
const write = writes("notes:write")
const describe = (summary: string) => OpenApi.annotations({ summary })

export class SyncApi extends HttpApiGroup.make("sync")
  .add(
    HttpApiEndpoint.post("pull", "/pull", {
      query: { limit: page.limit },
      payload: optionalBody(PullRequest),
      success: SyncObject.pipe(created)
    })
      .annotateMerge(describe("Changes since a cursor")).annotate(Access, read),
    HttpApiEndpoint.post("push", "/push", { payload: PushRequest, success: SyncObject.pipe(created) })
      .annotateMerge(describe("Push changes made offline")).annotate(Access, write),
    HttpApiEndpoint.get("stream", "/stream", {
      query: { cursor: page.cursor, limit: page.limit },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
    })
      .annotateMerge(describe("Live changes as server-sent events")).annotate(Access, read),
    HttpApiEndpoint.get("cursor", "/cursor", { query: page, success: SyncObject })
      .annotateMerge(describe("The newest cursor")).annotate(Access, read),
    HttpApiEndpoint.get("devices", "/devices", { query: page, success: list(Device) })
      .annotateMerge(describe("List devices that synced in the last 90 days")).annotate(Access, read),
    HttpApiEndpoint.make("DELETE")("deleteDevice", "/devices/:id", { params: id, success: Deleted })
      .annotateMerge(describe("Remove a device")).annotate(Access, write)
  )
  .prefix("/sync")
  .annotateMerge(OpenApi.annotations({ title: "Sync" }))
{}
