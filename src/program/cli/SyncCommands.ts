import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Restores from "../../../services/writer/Restores.ts"
import * as Output from "./Output.ts"
import { onDatabase } from "./CommandServices.ts"

const reset = Command.make(
  "reset",
  {},
  Effect.fnUntraced(function* () {
    const workspaces = yield* onDatabase(Restores.reset)
    yield* Output.show({ workspaces }, "All sync cursors have ended: clients pull everything again.")
  })
).pipe(
  Command.withDescription(
    "End all sync cursors, and raise the numbers of later changes, after the database was restored by other means than sheaf restore"
  ),
  Command.withExamples([
    {
      command: "sheaf sync reset",
      description: "End the cursors after the database was restored by other means than sheaf restore"
    }
  ])
)

export const sync = Command.make("sync").pipe(Command.withDescription("Sync"), Command.withSubcommands([reset]))
