import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Note, NoteCreate, NoteUpdate, NoteVersion } from "../../services/notes/Note.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, Deleted, id, list, optionalBody, page } from "./Envelopes.ts"

const read = reads("notes:read")
const write = writes("notes:write")
const describe = (summary: string) => OpenApi.annotations({ summary })

export class NotesApi extends HttpApiGroup.make("notes")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Note) })
      .annotateMerge(describe("List notes")).annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: NoteCreate, success: Note.pipe(created) })
      .annotateMerge(describe("Create a note")).annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Note })
      .annotateMerge(describe("Get a note")).annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: NoteUpdate, success: Note })
      .annotateMerge(describe("Change a note: only supplied fields")).annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", {
      params: id,
      query: { permanent: Schema.optionalKey(Schema.String) },
      success: Deleted
    })
      .annotateMerge(describe("Put a note into the trash, or remove it for good")).annotate(Access, write),
    HttpApiEndpoint.post("duplicate", "/:id/duplicate", {
      params: id,
      payload: optionalBody(NoteUpdate),
      success: Note
    })
      .annotateMerge(describe("Copy a note")).annotate(Access, write),
    HttpApiEndpoint.post("archive", "/:id/archive", { params: id, payload: optionalBody(NoteUpdate), success: Note })
      .annotateMerge(describe("Archive a note")).annotate(Access, write),
    HttpApiEndpoint.post("restore", "/:id/restore", { params: id, payload: optionalBody(NoteUpdate), success: Note })
      .annotateMerge(describe("Restore an archived or deleted note")).annotate(Access, write),
    HttpApiEndpoint.get("versions", "/:id/versions", {
      params: id,
      query: { limit: page.limit, cursor: page.cursor },
      success: list(NoteVersion)
    })
      .annotateMerge(describe("List the versions of a note, newest first")).annotate(Access, read),
    HttpApiEndpoint.get("version", "/:id/versions/:version", {
      params: { ...id, version: Schema.String },
      success: NoteVersion
    })
      .annotateMerge(describe("Get a version of a note")).annotate(Access, read),
    HttpApiEndpoint.post("restoreVersion", "/:id/versions/:version/restore", {
      params: { ...id, version: Schema.String },
      payload: optionalBody(NoteUpdate),
      success: Note
    })
      .annotateMerge(describe("Make an earlier version the current one")).annotate(Access, write)
  )
  .prefix("/notes")
  .annotateMerge(OpenApi.annotations({ title: "Notes" }))
{}
