import { Effect } from "effect"
import { Flag } from "effect/cli"
import { Contents } from "../../../services/contents/Contents.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { exportFormats } from "../../../services/transfers/exports/Export.ts"
import { exportToFile } from "../../../services/transfers/exports/ExportToFile.ts"
import { action } from "./OperatorCommand.ts"

export const exports = action("export", {
  description: "Export a workspace to a ZIP",
  examples: [
    ["sheaf export --workspace personal --out personal.zip", "As Markdown files"],
    ["sheaf export --workspace personal --out all.zip --format json", "Without loss"]
  ],
  input: {
    workspace: Flag.String("workspace").pipe(Flag.withDescription("The id or slug of the workspace")),
    out: Flag.String("out").pipe(Flag.withDescription("The file to create, which must not exist")),
    format: Flag.Literals("format", exportFormats).pipe(
      Flag.withDefault("markdown" as const),
      Flag.withDescription("Markdown files, or lossless JSON")
    )
  },
  run: Effect.fnUntraced(function* ({ format, out, workspace }) {
    const operator = yield* Operator
    const id = yield* operator.workspace(workspace)
    yield* operator.recordExport(id, format)
    return yield* Effect.provide(exportToFile(id, format, out), Contents.layer)
  })
})
