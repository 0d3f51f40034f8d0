import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Share, ShareCreate, shareList, ShareUpdate } from "../../../../services/notes/shares/Share.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))
const write = operations(withinReach(writes("notes:write")))

export class SharesApi extends HttpApiGroup.make("shares")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Share) }).annotateMerge(
      read("listShares", "List shares", "Newest first. Shares of notes in the trash are left out.", listing(shareList))
    ),
    HttpApiEndpoint.post("create", "/", { payload: ShareCreate, success: Share.pipe(created) }).annotateMerge(
      write(
        "createShare",
        "Share a note",
        "Creates a public link to the note. Anyone with `url` can read the note: as a page, or as `application/json`, `text/markdown` or `text/plain` (the same Markdown), depending on `Accept`. If the share has a `password`, the page asks for it; programs send it in the header `Share-Password`. The page always shows the current state of the note. Front matter and comments (`%%…%%`, `<!-- … -->`) are not published. Files in the note have URLs of the share, which end with it; links to other notes become plain text. A share ends when the user who created it leaves the workspace or becomes a viewer, and with the API key that created it if that expires.",
        { codes: ["unresolved_reference", "quota_exceeded"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Share }).annotateMerge(
      read("getShare", "Get a share", "Returned also after it has expired. Returns 404 while its note is in the trash.")
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: ShareUpdate, success: Share })
      .annotateMerge(
        write(
          "updateShare",
          "Change a share",
          "Only supplied fields change; link and note stay. After a change of the password all readers must enter it again. A share whose creator left the workspace or became a viewer has ended: an admin can renew it by setting `expires_at` to null or to a time in the future, and becomes `created_by`.",
          { codes: ["insufficient_role"] }
        )
      )
      .annotate(DryRunnable, true),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(write("deleteShare", "Delete a share", "The link becomes invalid at once. The note stays."))
      .annotate(DryRunnable, true)
  )
  .prefix("/shares")
  .annotateMerge(describing("Shares", "Public, read-only links to notes.")) {}
