import { listOf } from "../lists/ListSpec.ts"
import { Revert, RevertedRecord, titleOf } from "./ChangeSet.ts"

/** Reverts, with `running` for those that have begun. */
export const revertList = listOf(Revert, {
  path: "/reverts",
  from: `(SELECT r.workspace_id, r.id, r.change_set_id, r.preview, r.records, r.reverted, r.merged, r.kept,
      r.author_id, r.created_at, (SELECT s.id FROM change_sets s WHERE s.workspace_id = r.workspace_id AND s.id = r.reverted_by) AS reverted_by,
      CASE WHEN r.status = 'queued' AND d.attempts > 0 THEN 'running' ELSE r.status END AS status
    FROM reverts r LEFT JOIN due_reverts d ON d.workspace_id = r.workspace_id AND d.id = r.id) known`,
  sort: ["-created_at"],
  filter: ["id"]
})

/** The outcomes of a revert. */
export const revertedList = listOf(RevertedRecord, {
  path: "/reverts/records",
  from: `(SELECT o.workspace_id, o.revert_id, o.ordinal, o.type, o.record_id, o.record_id AS id, o.outcome, o.reason, o.members,
      ${titleOf("o.workspace_id", "o.type", "o.record_id")} AS title
    FROM revert_outcomes o) known`,
  sort: ["ordinal"],
  filter: ["type", "outcome", "reason"],
  enums: ["type", "outcome", "reason"]
})
