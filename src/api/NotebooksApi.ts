import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Notebook, NotebookCreate, NotebookMove, NotebookUpdate } from "../../services/notes/Notebook.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, Deleted, id, list, page } from "./Envelopes.ts"

const read = reads("notes:read")
const write = writes("notes:write")
const describe = (summary: string) => OpenApi.annotations({ summary })

export class NotebooksApi extends HttpApiGroup.make("notebooks")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Notebook) })
      .annotateMerge(describe("List notebooks")).annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: NotebookCreate, success: Notebook.pipe(created) })
      .annotateMerge(describe("Create a notebook")).annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Notebook })
      .annotateMerge(describe("Get a notebook")).annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: NotebookUpdate, success: Notebook })
      .annotateMerge(describe("Change a notebook: only supplied fields")).annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", {
      params: id,
      query: { move_notes_to: Schema.optionalKey(Schema.String) },
      success: Deleted
    })
      .annotateMerge(describe("Delete a notebook and those inside it")).annotate(Access, write),
    HttpApiEndpoint.post("move", "/:id/move", { params: id, payload: NotebookMove, success: Notebook })
      .annotateMerge(describe("Move a notebook under another, or to the top")).annotate(Access, write)
  )
  .prefix("/notebooks")
  .annotateMerge(OpenApi.annotations({ title: "Notebooks" }))
{}
