import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NoteActivity } from "../../../../services/activity/NoteActivity.ts"
import { NotePatch, PatchedNote } from "../../../../services/contents/NotePatch.ts"
import * as Fields from "../../../../services/Fields.ts"
import {
  LinkedNote,
  Note,
  NoteCreate,
  NoteSummary,
  NoteUpdate,
  NoteVersion,
  RenderedNote
} from "../../../../services/notes/Note.ts"
import { NoteEdits } from "../../../../services/notes/texts/EditRequest.ts"
import { noteList } from "../../../../services/notes/NoteTable.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))
const write = operations(withinReach(writes("notes:write")))

/** The delete envelope of a version: `id` is that of the note. */
const DeletedVersion = Schema.Struct({
  deleted: Fields.always,
  id: Fields.id("nt", "The note's id."),
  version: Schema.Int.annotate({ description: "The version that was deleted.", minimum: 1, examples: [3] })
}).annotate({ identifier: "DeletedVersion" })

export class NotesApi extends HttpApiGroup.make("notes")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Note) }).annotateMerge(
      read(
        "listNotes",
        "List notes",
        "Pinned notes come first unless `sort` names `pinned`. Archived notes are left out unless the filter mentions `archived`. Notes in the trash are listed when the filter mentions `deleted_at`: `deleted_at:*` lists the trash, and `sort=-deleted_at` puts the latest deletion first.",
        listing(noteList)
      )
    ),
    HttpApiEndpoint.get("summaries", "/summaries", { query: page, success: list(NoteSummary) }).annotateMerge(
      read(
        "listNoteSummaries",
        "List summaries of notes",
        "The list of `listNotes` with the same sort and filter, and an `excerpt` of each note instead of its body: small and fast for any size of notes.",
        listing(noteList)
      )
    ),
    HttpApiEndpoint.get("linked", "/linked", {
      query: { target: Schema.optionalKey(Schema.String), notebook_id: Schema.optionalKey(Schema.String) },
      success: LinkedNote
    }).annotateMerge(
      read(
        "findLinkedNote",
        "Find the note of a link",
        "Finds the note to which a link leads, such as one in a text that is being written, by the rules of `renderNote`. Returns 404 if there is none.",
        {
          parameters: {
            target: {
              type: "string",
              description: "The target of the link as written, with its `#` and place. Required.",
              examples: ["Trips/Vienna#Packing list"]
            },
            notebook_id: { type: "string", description: "The id of the notebook of the note that has the link." }
          }
        }
      )
    ),
    HttpApiEndpoint.post("create", "/", { payload: NoteCreate, success: Note.pipe(created) }).annotateMerge(
      write(
        "createNote",
        "Create a note",
        "Tags are given by name: unknown ones are created, and names that differ only in case are the same tag.",
        { codes: ["unresolved_reference", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Note }).annotateMerge(
      read("getNote", "Get a note", "Returns 404 for a note in the trash.")
    ),
    HttpApiEndpoint.get("rendered", "/:id/rendered", { params: id, success: RenderedNote }).annotateMerge(
      read(
        "renderNote",
        "Get a note as HTML",
        "The note as the page of a share shows it, for members: links to other notes stay, and a note beyond the limits of rendering is its whole plain text. Front matter and comments are not shown."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: NotePatch, success: PatchedNote }).annotateMerge(
      write(
        "updateNote",
        "Change a note",
        "Only supplied fields change; each change creates a new version. A request that changes nothing creates none. `version` in the body means the same as `If-Match`. With `links` the response says what became of links to the note; `update` makes one change set of the note and the links, in steps of 100 notes, and at most 10 000 notes.",
        { codes: ["unresolved_reference", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.post("edit", "/:id/edits", { params: id, payload: NoteEdits, success: Note }).annotateMerge(
      write(
        "editNote",
        "Edit parts of a note",
        "Changes parts of the text and keeps every other character: all parts are applied, in the order `tasks`, `replacements`, `under_heading`, `prepend`, `append`, `properties`, or none. `tasks` and `replacements` need the version that was read. The other parts are added to the text as it is at that moment: of two clients at once, none loses a text. A refusal has what the next request needs: `found_in_lines` and `text`, or `current_version` and `section`.",
        { codes: ["quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", {
      params: id,
      query: { permanent: Schema.optionalKey(Schema.String) },
      success: Deleted
    }).annotateMerge(
      write(
        "deleteNote",
        "Delete a note",
        "Moves the note to the trash, from which it can be restored for 30 days. With `permanent=true` it is erased with its history.",
        {
          parameters: {
            permanent: {
              type: "boolean",
              default: false,
              description: "Whether to erase the note at once."
            }
          }
        }
      )
    ),
    HttpApiEndpoint.post("duplicate", "/:id/duplicate", {
      params: id,
      payload: optionalBody(NoteUpdate),
      success: Note
    }).annotateMerge(
      write(
        "duplicateNote",
        "Copy a note",
        "The copy has `(copy)` appended to its title and starts at version 1. The body can give another notebook, title or tags.",
        { codes: ["unresolved_reference", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.post("archive", "/:id/archive", {
      params: id,
      payload: optionalBody(NoteUpdate),
      success: Note
    }).annotateMerge(
      write(
        "archiveNote",
        "Archive a note",
        "Lists leave out archived notes by default. A note that is already archived is returned unchanged."
      )
    ),
    HttpApiEndpoint.post("restore", "/:id/restore", {
      params: id,
      payload: optionalBody(NoteUpdate),
      success: Note
    }).annotateMerge(
      write(
        "restoreNote",
        "Restore a note",
        'Moves a note out of the archive or the trash; an active note is returned unchanged. If its notebook no longer exists, the note is moved to `notebook_id` of the body, or else to "Inbox".',
        { codes: ["restore_window_expired", "unresolved_reference", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.get("activity", "/:id/activity", {
      params: id,
      query: { limit: page.limit, cursor: page.cursor },
      success: list(NoteActivity)
    }).annotateMerge(
      read(
        "listNoteActivity",
        "List what happened to a note",
        "The events of the last 90 days about the note, and about its attachments, comments, reminders and shares, newest first: who made each change, on which device, by which way it came, and the version that it made. Conflicts of sync are events of their own, as are the copies that clients created in them. A note in the trash has its activity; an erased one is 404."
      )
    ),
    HttpApiEndpoint.get("versions", "/:id/versions", {
      params: id,
      query: { limit: page.limit, cursor: page.cursor },
      success: list(NoteVersion)
    }).annotateMerge(
      read("listNoteVersions", "List the versions of a note", "Newest first, including the current version.")
    ),
    HttpApiEndpoint.get("version", "/:id/versions/:version", {
      params: { ...id, version: Schema.String },
      success: NoteVersion
    }).annotateMerge(read("getNoteVersion", "Get a version of a note", "The note as it was at that version.")),
    HttpApiEndpoint.make("DELETE")("deleteVersion", "/:id/versions/:version", {
      params: { ...id, version: Schema.String },
      success: DeletedVersion
    }).annotateMerge(
      write(
        "deleteNoteVersion",
        "Delete a version of a note",
        "Erases an earlier version and frees the storage of its text; the current version cannot be removed (409). The note itself does not change, and the other versions keep their numbers and their texts. Raises the event `note.version_deleted`.",
        { codes: ["invalid_state"] }
      )
    ),
    HttpApiEndpoint.post("restoreVersion", "/:id/versions/:version/restore", {
      params: { ...id, version: Schema.String },
      payload: optionalBody(NoteUpdate),
      success: Note
    }).annotateMerge(
      write(
        "restoreNoteVersion",
        "Restore a version of a note",
        "Creates a new version with the content of the earlier one; the history is kept. Restoring the current version changes nothing.",
        { codes: ["quota_exceeded"] }
      )
    )
  )
  .prefix("/notes")
  .annotateEndpoints(DryRunnable, true)
  .annotateMerge(describing("Notes", "Markdown notes with a numbered version history, an archive and a trash.")) {}
