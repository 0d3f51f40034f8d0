import { Effect } from "effect"
import * as Restores from "../../../services/writer/Restores.ts"
import { Command } from "effect/cli"
import { syncFolder } from "./folders/FolderCommand.ts"
import { action } from "./OperatorCommand.ts"

const reset = action("reset", {
  description:
    "End all sync cursors, and raise the numbers of later changes, after the database was restored by other means than sheaf restore",
  examples: [["sheaf sync reset", "End the cursors after the database was restored by other means than sheaf restore"]],
  input: {},
  run: () => Effect.map(Restores.reset, (workspaces) => ({ workspaces })),
  remark: "All sync cursors have ended: clients pull everything again."
})

export const sync = syncFolder.pipe(Command.withSubcommands([reset]))
