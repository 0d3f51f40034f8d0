import type { Change, Schemas } from "../../client/SheafClient.ts"
import { texts as common } from "../Messages.ts"
import { open } from "../Navigation.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { texts } from "../notes/NoteMessages.ts"

type Reminder = Schemas["Reminder"]

/** Whether a reminder has fired, and was not dismissed before its time. */
const isFired = ({ done, remind_at, updated_at }: Reminder): boolean =>
  done && Date.parse(remind_at) <= Date.parse(updated_at)

const show = async (store: WorkspaceStore, { id, note_id }: Reminder): Promise<void> => {
  const { title } = await store.client.getNote({ id: note_id })
  const action = { label: texts.reminders.open, run: () => open({ kind: "all" }, note_id) }
  notify(texts.reminders.fired(title || common.untitled), action, id, true)
}

/** Shows the user's reminders that have fired, until the user closes them: a mail or notification may reach no one. */
export const showFired = async (store: WorkspaceStore, changes: ReadonlyArray<Change>): Promise<void> => {
  for (const { data, type } of changes) {
    if (type !== "reminder" || data === null) continue
    const reminder = data as Reminder
    if (reminder.user_id === store.account.id && isFired(reminder)) await attempt(() => show(store, reminder))
  }
}
