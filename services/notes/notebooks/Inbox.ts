import { Effect } from "effect"
import { Invalid } from "../../Errors.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import type { Draft } from "../../writer/Draft.ts"
import { type NotebookRow, notebooks } from "./Notebook.ts"
import { createRow } from "./Notebooks.ts"

/** The notebook "Inbox", where notes without a notebook go. */

const createInbox = (draft: Draft) =>
  // The top level always has room.
  Effect.orDie(createRow(draft, { name: "Inbox", icon: "inbox" }))

/** Creates the records of a new workspace (contract 4). */
export const createInitialRecords = (draft: Draft) => {
  draft.count("notebooks", 1)
  return createInbox(draft)
}

/** Returns the oldest notebook "Inbox", at any level; undefined if there is none. */
export const inboxIn = (tree: ReadonlyMap<string, NotebookRow>): NotebookRow | undefined => {
  let oldest: NotebookRow | undefined
  for (const row of tree.values()) {
    if (row.name !== "Inbox") continue
    const isOlder =
      oldest === undefined ||
      row.created_at < oldest.created_at ||
      (row.created_at === oldest.created_at && row.id < oldest.id)
    if (isOlder) oldest = row
  }
  return oldest
}

/** Returns the notebook "Inbox". If there is none, creates it at the top level. */
export const inbox = Effect.fnUntracedEager(function* (draft: Draft, quotas: Quotas["Service"]) {
  // Which notebook it would be depends on notebooks that the caller does not reach.
  if (draft.reach !== undefined) return yield* Invalid.field("notebook_id", "required", "is required")
  const found = inboxIn(yield* draft.all(notebooks))
  if (found !== undefined) return found
  yield* quotas.take(draft, "notebooks", 1)
  return yield* createInbox(draft)
})
