import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ChangedRecord,
  ChangeSet,
  changeSetList,
  Revert,
  RevertedRecord,
  RevertRequest
} from "../../../../services/changesets/ChangeSet.ts"
import { revertedList } from "../../../../services/changesets/RevertLists.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { created, id, list, optionalBody, page } from "../Envelopes.ts"
import { Previewable } from "../Conventions.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))

const recordsQuery = { limit: Schema.optionalKey(Schema.String), cursor: Schema.optionalKey(Schema.String) }

export class ChangeSetsApi extends HttpApiGroup.make("changeSets")
  .add(
    HttpApiEndpoint.get("list", "/change-sets", { query: page, success: list(ChangeSet) }).annotateMerge(
      read("listChangeSets", "List change sets", "Newest first. They are kept for 90 days.", listing(changeSetList))
    ),
    HttpApiEndpoint.get("get", "/change-sets/:id", { params: id, success: ChangeSet }).annotateMerge(
      read("getChangeSet", "Get a change set", "A group of changes, with the numbers of its records and changes.")
    ),
    HttpApiEndpoint.get("records", "/change-sets/:id/records", {
      params: id,
      query: recordsQuery,
      success: list(ChangedRecord)
    }).annotateMerge(
      read(
        "listChangedRecords",
        "List the records of a change set",
        "Each record that the set has changed, by type and id: its versions before and after, the members that differ, and the changed lines of the text."
      )
    ),
    HttpApiEndpoint.post("revert", "/change-sets/:id/revert", {
      params: id,
      payload: optionalBody(RevertRequest),
      success: Revert.pipe(created)
    })
      .annotate(Previewable, true)
      .annotateMerge(
        operations(withinReach(writes("notes:write")))(
          "revertChangeSet",
          "Revert a change set",
          "Takes the changes of the set back; with `preview` it only shows what that would do. A record without later changes is as it was before; one with later changes of others keeps their text, and is merged. Created notes without later changes go to the trash, and trashed ones come back. It runs in the background, in steps between the changes of others: get the revert until its `status` is `done`. A revert is a change set too, so that it can be reverted. A request while the same revert waits or runs returns that one.",
          { codes: ["invalid_state"] }
        )
      ),
    HttpApiEndpoint.get("getRevert", "/reverts/:id", { params: id, success: Revert }).annotateMerge(
      read(
        "getRevert",
        "Get a revert",
        "A revert of a change set, or the preview of one, with the numbers of its outcomes so far. Previews are kept until the next preview of the set, others for 90 days."
      )
    ),
    HttpApiEndpoint.get("reverted", "/reverts/:id/records", {
      params: id,
      query: page,
      success: list(RevertedRecord)
    }).annotateMerge(
      read(
        "listRevertedRecords",
        "List the outcomes of a revert",
        "The outcome for each record, in the order of the revert.",
        listing(revertedList)
      )
    )
  )
  .annotateMerge(
    describing(
      "Change sets",
      "Changes that belong together, such as those of an assistant or an import: list them, and take them back as one."
    )
  ) {}
