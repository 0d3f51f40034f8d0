import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Share, ShareCreate, ShareUpdate } from "../../services/notes/Share.ts"
import { shareList } from "../../services/notes/ShareTable.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, Deleted, id, list, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

const read = reads("notes:read")
const write = writes("notes:write")

export class SharesApi extends HttpApiGroup.make("shares")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Share) })
      .annotateMerge(
        operation("listShares", "List shares", "The newest first; not those of notes in the trash.", listing(shareList))
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: ShareCreate, success: Share.pipe(created) })
      .annotateMerge(
        operation(
          "createShare",
          "Share a note",
          "Makes a public link to the note: whoever has `url` may read it, as a page, and by `Accept` as `application/json` or `text/markdown`. With a `password`, readers are asked for it; programs send it in the header `Share-Password`. The page always shows the note as it is now. Files that it shows are reached by signed addresses; links to other notes are plain text there.",
          { codes: ["unresolved_reference", "quota_exceeded"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Share })
      .annotateMerge(
        operation("getShare", "Get a share", "Also when its time is over. While its note is in the trash: 404.")
      )
      .annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: ShareUpdate, success: Share })
      .annotateMerge(
        operation(
          "updateShare",
          "Change a share",
          "Only supplied fields change; link and note stay. Another password asks all readers again."
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(operation("deleteShare", "Delete a share", "Its link ends at once. The note stays."))
      .annotate(Access, write)
  )
  .prefix("/shares")
  .annotateMerge(OpenApi.annotations({ title: "Shares", description: "Public, read-only links to notes." })) {}
