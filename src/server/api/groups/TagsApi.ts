import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Tag, TagCreate, tagList, TagMerge, TagUpdate } from "../../../../services/notes/tags/Tag.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))
const write = operations(writes("notes:write"))

export class TagsApi extends HttpApiGroup.make("tags")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Tag) }).annotateMerge(
      read("listTags", "List tags", "All tags of the workspace, including those without notes.", listing(tagList))
    ),
    HttpApiEndpoint.post("create", "/", { payload: TagCreate, success: Tag.pipe(created) }).annotateMerge(
      write(
        "createTag",
        "Create a tag",
        "Names are unique in a workspace without regard to case. Tags are also created by notes that name them.",
        { codes: ["already_exists", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.post("merge", "/merge", { payload: TagMerge, success: Tag.pipe(created) }).annotateMerge(
      write(
        "mergeTags",
        "Merge tags into one",
        "Moves all notes from the source tags to the target tag and deletes the sources, in one change. Tags are named by id or name; `sources` and `target` are accepted for `source_ids` and `target_id`.",
        { codes: ["unresolved_reference"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Tag }).annotateMerge(
      read("getTag", "Get a tag", "`note_count` counts the notes with the tag.")
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: TagUpdate, success: Tag }).annotateMerge(
      write(
        "updateTag",
        "Change a tag",
        "A new name is written into every note with the tag, each of which gets a new version.",
        { codes: ["already_exists"] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted }).annotateMerge(
      write(
        "deleteTag",
        "Delete a tag",
        "Removes the tag from all notes that have it, each of which gets a new version."
      )
    )
  )
  .prefix("/tags")
  .annotateEndpoints(DryRunnable, true)
  .annotateMerge(describing("Tags", "Labels of notes, with names that are unique in a workspace.")) {}
