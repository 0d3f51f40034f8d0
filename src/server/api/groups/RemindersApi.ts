import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Reminder,
  ReminderChannels,
  ReminderCreate,
  reminderList,
  ReminderUpdate
} from "../../../../services/notes/reminders/Reminder.ts"
import { Access, reads, writes } from "../Authorization.ts"
import { created, Deleted, id, list, page } from "../Envelopes.ts"
import { listing, operation } from "../Operation.ts"

const read = reads("notes:read")
const write = writes("notes:write")

const codes = ["unresolved_reference", "quota_exceeded"] as const

export class RemindersApi extends HttpApiGroup.make("reminders")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(Reminder) })
      .annotateMerge(
        operation(
          "listReminders",
          "List reminders",
          "Reminders of all members, the earliest first. `filter=done=false` leaves out those that have fired or were dismissed.",
          listing(reminderList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: ReminderCreate, success: Reminder.pipe(created) })
      .annotateMerge(
        operation(
          "createReminder",
          "Create a reminder",
          "Notifies its creator once, at `remind_at`; if that is in the past, at once. A firing reminder raises the event `reminder.fired`, on every `channel`.",
          { codes }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("channels", "/channels", { success: ReminderChannels })
      .annotateMerge(
        operation(
          "getReminderChannels",
          "Get the channels that work",
          "Says by which channels a reminder reaches the caller now, so that an app offers these."
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Reminder })
      .annotateMerge(operation("getReminder", "Get a reminder", "`done` is true if it has fired or was dismissed."))
      .annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: ReminderUpdate, success: Reminder })
      .annotateMerge(
        operation(
          "updateReminder",
          "Change, dismiss or re-arm a reminder",
          "Only supplied fields change. `done: true` dismisses it. A `remind_at` in the future arms it again, and so does `done: false`.",
          { codes }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(operation("deleteReminder", "Delete a reminder", "Deletes the reminder; it will not fire."))
      .annotate(Access, write)
  )
  .prefix("/reminders")
  .annotateMerge(
    OpenApi.annotations({
      title: "Reminders",
      description:
        "Notifications about a note at a given time. A reminder does not fire while its note is in the trash; one that became due meanwhile fires when the note is restored."
    })
  ) {}
