import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Reminder,
  ReminderChannels,
  ReminderCreate,
  reminderList,
  ReminderUpdate
} from "../../../../services/notes/reminders/Reminder.ts"
import { reads, withinReach, writes } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { created, Deleted, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))
const write = operations(withinReach(writes("notes:write")))

const codes = ["unresolved_reference", "quota_exceeded"] as const

export class RemindersApi extends HttpApiGroup.make("reminders")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Reminder) }).annotateMerge(
      read(
        "listReminders",
        "List reminders",
        "Reminders of all members, the earliest first. `filter=done=false` leaves out those that have fired or were dismissed.",
        listing(reminderList)
      )
    ),
    HttpApiEndpoint.post("create", "/", { payload: ReminderCreate, success: Reminder.pipe(created) }).annotateMerge(
      write(
        "createReminder",
        "Create a reminder",
        "Notifies its creator once, at `remind_at`; if that is in the past, at once. A firing reminder raises the event `reminder.fired`, on every `channel`.",
        { codes }
      )
    ),
    HttpApiEndpoint.get("channels", "/channels", { success: ReminderChannels }).annotateMerge(
      read(
        "getReminderChannels",
        "Get the channels that work",
        "Says by which channels a reminder reaches the caller now, so that an app offers these."
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Reminder }).annotateMerge(
      read("getReminder", "Get a reminder", "`done` is true if it has fired or was dismissed.")
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: ReminderUpdate, success: Reminder }).annotateMerge(
      write(
        "updateReminder",
        "Change, dismiss or re-arm a reminder",
        "Only supplied fields change. `done: true` dismisses it. A `remind_at` in the future arms it again, and so does `done: false`.",
        { codes }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted }).annotateMerge(
      write("deleteReminder", "Delete a reminder", "Deletes the reminder; it will not fire.")
    )
  )
  .prefix("/reminders")
  .annotateEndpoints(DryRunnable, true)
  .annotateMerge(
    describing(
      "Reminders",
      "Notifications about a note at a given time. A reminder does not fire while its note is in the trash; one that became due meanwhile fires when the note is restored."
    )
  ) {}
