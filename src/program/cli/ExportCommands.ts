import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { exportFormats } from "../../../services/transfers/exports/Export.ts"
import { exportToFile } from "../../../services/transfers/exports/ExportToFile.ts"
import * as Output from "./Output.ts"
import { onDatabase } from "./CommandServices.ts"

export const exports = Command.make(
  "export",
  {
    workspace: Flag.String("workspace").pipe(Flag.withDescription("The id or slug of the workspace")),
    out: Flag.String("out").pipe(Flag.withDescription("The file to create, which must not exist")),
    format: Flag.Literals("format", exportFormats).pipe(
      Flag.withDefault("markdown" as const),
      Flag.withDescription("Markdown files, or lossless JSON")
    )
  },
  Effect.fnUntraced(function* ({ format, out, workspace }) {
    const made = yield* onDatabase(
      Effect.gen(function* () {
        const operator = yield* Operator
        const id = yield* operator.workspace(workspace)
        yield* operator.recordExport(id, format)
        return yield* exportToFile(id, format, out)
      })
    )
    yield* Output.show(made)
  })
).pipe(
  Command.withDescription("Export a workspace to a ZIP"),
  Command.withExamples([
    { command: "sheaf export --workspace personal --out personal.zip", description: "As Markdown files" },
    { command: "sheaf export --workspace personal --out all.zip --format json", description: "Without loss" }
  ])
)
