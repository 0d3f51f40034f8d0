import type { Schemas } from "../../client/SheafClient.ts"
import { texts as common } from "../Messages.ts"
import { open } from "../Navigation.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import type { Place } from "../workspace/Place.ts"
import { texts } from "./NoteMessages.ts"

/** Shows a reminder that has fired, until the user closes it. */
export const showReminder = (place: Place, { id, note_id }: Schemas["Reminder"]): Promise<boolean> =>
  attempt(async () => {
    const { title } = await place.client.getNote({ id: note_id })
    const action = { label: texts.reminders.open, run: () => open({ kind: "all" }, note_id) }
    notify(texts.reminders.fired(title || common.untitled), action, id, true)
  })
