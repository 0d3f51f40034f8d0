import { Effect } from "effect"
import * as Restores from "../../../services/writer/Restores.ts"
import { Command } from "effect/cli"
import { input, syncFolder } from "./folders/FolderCommand.ts"
import { action, command } from "./OperatorCommand.ts"

const reset = action("reset", {
  description:
    "End all sync cursors, and raise the numbers of later changes, after the database was restored by other means than sheaf restore",
  examples: [["sheaf sync reset", "End the cursors after the database was restored by other means than sheaf restore"]],
  input: {},
  run: () => Effect.map(Restores.reset, (workspaces) => ({ workspaces })),
  remark: "All sync cursors have ended: clients pull everything again."
})

export const sync = command("sync", {
  description:
    "Keep a folder of Markdown files equal to the notes of a workspace on any server, or end sync cursors after a restore",
  examples: [
    ["sheaf sync notes --connect https://sfk_…@notes.example.org", "Keep both equal until Ctrl-C; later without --connect"],
    ["sheaf sync vault --once --dry-run", "Print what a sync would do"],
    ["sheaf sync docs --once --push-only --notebook Handbook", "Publish a folder"]
  ],
  input,
  run: syncFolder
}).pipe(Command.withSubcommands([reset]))
