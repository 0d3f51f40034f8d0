import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Tag, TagCreate, TagMerge, TagUpdate } from "../../services/notes/Tag.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, Deleted, id, list, page } from "./Envelopes.ts"

const read = reads("notes:read")
const write = writes("notes:write")
const describe = (summary: string) => OpenApi.annotations({ summary })

export class TagsApi extends HttpApiGroup.make("tags")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Tag) })
      .annotateMerge(describe("List tags")).annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: TagCreate, success: Tag.pipe(created) })
      .annotateMerge(describe("Create a tag")).annotate(Access, write),
    HttpApiEndpoint.post("merge", "/merge", { payload: TagMerge, success: Tag.pipe(created) })
      .annotateMerge(describe("Merge tags into one")).annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Tag })
      .annotateMerge(describe("Get a tag")).annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: TagUpdate, success: Tag })
      .annotateMerge(describe("Rename or recolour a tag")).annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(describe("Delete a tag and take it off its notes")).annotate(Access, write)
  )
  .prefix("/tags")
  .annotateMerge(OpenApi.annotations({ title: "Tags" }))
{}
