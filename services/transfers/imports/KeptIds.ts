import { Effect } from "effect"
import * as Notebooks from "../../notes/notebooks/Notebooks.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { resourceCounters } from "../../Resources.ts"
import type { Draft } from "../../writer/Draft.ts"

/**
 * Whether imported records may keep their ids: only if the workspace has nothing but an empty Inbox, which is then
 * removed if the export has other notebooks. `isKnown`: the workspace has or had a record of the export, or a note in
 * its trash.
 */
export const keepIds = Effect.fnUntraced(function* (draft: Draft, isKnown: boolean, ids: ReadonlySet<string>) {
  const [inbox, ...others] = (yield* draft.all(notebooks)).values()
  const isEmpty =
    resourceCounters.every((counter) => counter === "notebooks" || draft.head[counter] === 0) &&
    others.length === 0 &&
    (inbox === undefined || (inbox.name === "Inbox" && inbox.parent_id === null && inbox.note_count === 0))
  if (isKnown || !isEmpty) return false
  if (inbox !== undefined && ids.size > 0 && !ids.has(inbox.id)) {
    Notebooks.records.remove(draft, inbox, "notebook.deleted")
  }
  return true
})
