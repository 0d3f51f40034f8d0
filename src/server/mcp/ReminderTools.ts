import { Effect, Schema } from "effect"
import { NotFound, type SheafError } from "../../../services/Errors.ts"
import { channels } from "../../../services/notes/reminders/Reminder.ts"
import { Reminders } from "../../../services/notes/reminders/Reminders.ts"
import { timestamp } from "../../../services/Text.ts"
import * as McpTool from "./McpTool.ts"
import { note_id, write } from "./ToolFields.ts"
import * as TrashedNotes from "./TrashedNotes.ts"

const args = Schema.Struct({
  note_id,
  remind_at: timestamp({ description: "With an offset: whoami has the timezone." }),
  channel: Schema.optionalKey(
    Schema.Literals(channels).annotate({ description: "`push` by default; `webhook` is only an event." })
  ),
  mutation_id: McpTool.mutation_id
})

/** In the API the note is a member of the body; here it is what the call is about, as in the other tools. */
const noteOf = (error: SheafError): SheafError => (error.code === "unresolved_reference" ? NotFound.of("note") : error)

export const ReminderTools = Effect.gen(function* () {
  const reminders = yield* Reminders
  const inTrash = yield* TrashedNotes.make

  const createReminder = ({ mutation_id: _, ...input }: typeof args.Type) =>
    reminders.create(input).pipe(
      Effect.mapBoth({
        onFailure: noteOf,
        onSuccess: ({ channel, id, note_id, remind_at }) => ({ id, note_id, remind_at, channel })
      })
    )

  return [
    McpTool.writing({
      name: "create_reminder",
      title: "Create a reminder",
      description: "Reminds you of a note at a time.",
      access: write,
      args,
      result: Schema.Struct({
        id: Schema.String,
        note_id: Schema.String,
        remind_at: Schema.String,
        channel: Schema.String
      }),
      run: (args) => inTrash(args.note_id, createReminder(args))
    })
  ]
})
