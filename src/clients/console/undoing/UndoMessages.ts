import { translated } from "../ChosenLanguage.ts"
import type { Schemas } from "../../client/SheafClient.ts"

type Outcome = Schemas["RevertedRecord"]

/** All texts of the undo of changes. They are loaded with its dialog. */
export const undoTexts = translated("undo", {
  title: "Undo these changes",
  again: "Undo the undo",
  looking: "Looking at what the undo would do",
  lead: "Nothing has changed yet. The undo does this:",
  leadAgain: "The changes are undone already. When that is undone, they are there again:",
  nothing: "Nothing of it can be undone.",
  gone: "These changes cannot be undone any more. What that needs is kept for 90 days.",
  running: "Undoing",
  mayClose: "The server continues when you close this dialog.",
  done: "Undone.",
  doneAgain: "The changes are there again.",
  partly: (kept: number) =>
    kept === 1 ? "Undone. 1 record stays as it is." : `Undone. ${kept} records stay as they are.`,
  failed: "The server could not undo all of it. What it has undone stays undone.",
  details: "Details",
  more: "Show more",
  outcomes: {
    kept: (count: number) => `Stays as it is: ${count}`,
    merged: (count: number) => `As before, but for later changes: ${count}`,
    reverted: (count: number) => `As before: ${count}`
  } satisfies Record<Outcome["outcome"], unknown>,
  reasons: {
    changed_since: "Changed since then",
    deleted_since: "Deleted since then",
    restored_since: "Restored since then",
    not_kept: "The state before is not kept any more",
    not_empty: "Has other notes by now",
    is_file: "Files stay: their deletion could not be undone",
    refused: "Refused, such as by a limit or a name that is taken"
  } satisfies Record<NonNullable<Outcome["reason"]>, string>,
  fields: { body: "text", title: "title", name: "name", tags: "tags", pinned: "pin", notebook_id: "notebook" },
  because: (reason: string, members: ReadonlyArray<string>) =>
    members.length === 0 ? reason : `${reason}: ${new Intl.ListFormat("en").format(members)}`,
  types: {
    note: "Note",
    notebook: "Notebook",
    tag: "Tag",
    template: "Template",
    attachment: "File",
    comment: "Comment",
    reminder: "Reminder"
  } satisfies Record<Outcome["type"], string>
})
