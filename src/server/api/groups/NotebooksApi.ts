import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Notebook,
  NotebookCreate,
  notebookList,
  NotebookMove,
  NotebookRestore,
  NotebookUpdate
} from "../../../../services/notes/notebooks/Notebook.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))
const write = operations(withinReach(writes("notes:write")))
const treeCodes = ["unresolved_reference", "notebook_depth_exceeded"] as const

export class NotebooksApi extends HttpApiGroup.make("notebooks")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Notebook) }).annotateMerge(
      read("listNotebooks", "List notebooks", "All notebooks of the workspace, on every level.", listing(notebookList))
    ),
    HttpApiEndpoint.post("create", "/", { payload: NotebookCreate, success: Notebook.pipe(created) }).annotateMerge(
      write(
        "createNotebook",
        "Create a notebook",
        "At the top, or under `parent_id`. Notebooks nest up to five levels deep; siblings may have the same name.",
        { codes: [...treeCodes, "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Notebook }).annotateMerge(
      read(
        "getNotebook",
        "Get a notebook",
        "`note_count` counts the notes directly inside, without those in the trash."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: NotebookUpdate, success: Notebook }).annotateMerge(
      write(
        "updateNotebook",
        "Change a notebook",
        "Only supplied fields change; `null` removes the color or icon, or moves the notebook to the top level.",
        { codes: ["notebook_cycle", ...treeCodes] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", {
      params: id,
      query: { move_notes_to: Schema.optionalKey(Schema.String) },
      success: Deleted
    }).annotateMerge(
      write(
        "deleteNotebook",
        "Delete a notebook",
        "Also deletes the notebooks inside it. Their notes are moved to the trash, or to another notebook. The notebook can be restored for 30 days.",
        {
          codes: ["unresolved_reference"],
          parameters: {
            move_notes_to: {
              type: "string",
              pattern: "^nb_",
              description: "The notebook to move the notes into, instead of the trash."
            }
          }
        }
      )
    ),
    HttpApiEndpoint.post("move", "/:id/move", { params: id, payload: NotebookMove, success: Notebook }).annotateMerge(
      write(
        "moveNotebook",
        "Move a notebook",
        "Moves the notebook with everything inside it under `parent_id`, or to the top level when that is null. A move into one of its own descendants is refused.",
        { codes: ["notebook_cycle", ...treeCodes] }
      )
    ),
    HttpApiEndpoint.post("restore", "/:id/restore", {
      params: id,
      payload: optionalBody(NotebookRestore),
      success: Notebook
    }).annotateMerge(
      write(
        "restoreNotebook",
        "Restore a notebook",
        "Within 30 days of its deletion, restores the notebook, the notebooks inside it and the notes that were moved to the trash with it, in their old place: under its parent, at the top level if the parent no longer exists, or under `parent_id` of the body. Notes that were in the trash before stay there. Each notebook raises `notebook.created`, parents first, and each note `note.restored`. A notebook that is not deleted is returned unchanged.",
        { codes: ["restore_window_expired", "quota_exceeded", ...treeCodes] }
      )
    )
  )
  .prefix("/notebooks")
  .annotateEndpoints(DryRunnable, true)
  .annotateMerge(describing("Notebooks", "Folders of notes, up to five levels deep.")) {}
