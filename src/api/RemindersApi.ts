import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Reminder, ReminderCreate, ReminderUpdate } from "../../services/notes/Reminder.ts"
import { reminderList } from "../../services/notes/ReminderTable.ts"
import { Access, reads, writes } from "./Authorization.ts"
import { created, Deleted, id, list, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

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
          "The next to come first, of all members. `filter=done=false` leaves out what has fired.",
          listing(reminderList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: ReminderCreate, success: Reminder.pipe(created) })
      .annotateMerge(
        operation(
          "createReminder",
          "Create a reminder",
          "It tells its maker, once, at `remind_at`; a time that is past fires at once. Each firing raises `reminder.fired`, whatever its `channel`.",
          { codes }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: Reminder })
      .annotateMerge(operation("getReminder", "Get a reminder", "`done` tells whether it has fired, or was dismissed."))
      .annotate(Access, read),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: ReminderUpdate, success: Reminder })
      .annotateMerge(
        operation(
          "updateReminder",
          "Change, dismiss or re-arm a reminder",
          "Only supplied fields change. `done: true` dismisses it. A `remind_at` that lies ahead arms it again, as `done: false` does.",
          { codes }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(operation("deleteReminder", "Delete a reminder", "It does not fire any more."))
      .annotate(Access, write)
  )
  .prefix("/reminders")
  .annotateMerge(
    OpenApi.annotations({
      title: "Reminders",
      description:
        "Times at which people are told of a note. A reminder rests while its note is in the trash, and fires late when it was restored late."
    })
  ) {}
