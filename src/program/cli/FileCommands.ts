import { Console, Effect } from "effect"
import * as BlobCheck from "../../../services/files/BlobCheck.ts"
import { command, group } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"
import { onDatabase } from "./CommandServices.ts"

const check = command("check", {
  description: "Read all files in DATA_DIR or the bucket, and report files that are missing or do not match their hash",
  examples: [["sheaf files check", "Read and compare all files"]],
  input: {},
  run: Effect.fnUntraced(function* () {
    const { checked, faulty } = yield* onDatabase(
      Effect.gen(function* () {
        const { checked, next } = yield* BlobCheck.check({ isQuick: false })
        let faulty = 0
        yield* Output.list(
          ["workspace_id", "problem", "sha256", "attachments", "exports", "imports"],
          (_: BlobCheck.BlobFault | undefined) =>
            Effect.tap(next, (faults) => Effect.sync(() => (faulty += faults.length)))
        )
        return { checked: checked(), faulty }
      })
    )
    if (faulty > 0) {
      return yield* new Refused({ message: `Checked files: ${checked}. Missing or damaged: ${faulty}.` })
    }
    if (!(yield* Output.Json)) yield* Console.log(`Checked files: ${checked}. All are intact.`)
  })
})

export const files = group("files", "Files", [check])
