import { Console, Effect } from "effect"
import { Argument } from "effect/cli"
import { dirname } from "node:path"
import { apply as applyAll, type Step } from "../../../services/admin/Applying.ts"
import { Database } from "../../../services/database/Database.ts"
import { readDeclaration, secretPlaces } from "./ApplyFiles.ts"
import { onDatabase } from "./CommandServices.ts"
import { command, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

/** The lock of a run, until the end of its connection: runs follow each other. */
const applyLock = 0x5e4f_0015

const alone = Effect.gen(function* () {
  const connection = yield* (yield* Database).write.reserve
  const query = (text: string) => connection.execute(text, [], undefined)
  yield* query("SET lock_timeout = '120s'")
  yield* Effect.mapError(
    query(`SELECT pg_advisory_lock(${applyLock})`),
    () => new Refused({ message: "Another sheaf apply has been running for two minutes" })
  )
})

export const apply = command("apply", {
  description:
    "Make users, workspaces, members, webhooks and API keys as a file declares them, in YAML or JSON. What the file does " +
    "not name stays. The exit code is 0 if the server is as declared, 1 if something was refused, and with --dry-run 3 if " +
    "something would change",
  examples: [
    ["sheaf apply sheaf.yaml --dry-run", "Show what would change"],
    ["sheaf apply sheaf.yaml", "Change it"],
    ["sheaf apply - --json < sheaf.yaml", "Read standard input, and print JSON"]
  ],
  input: {
    file: Argument.String("file").pipe(Argument.withDescription("The file, or - for standard input")),
    dryRun: isSet("dry-run", "Change nothing")
  },
  run: Effect.fnUntraced(function* ({ dryRun, file }) {
    const declared = yield* readDeclaration(file)
    const places = secretPlaces(file === "-" ? "." : dirname(file))
    const steps = yield* onDatabase(
      Effect.scoped(Effect.andThen(dryRun ? Effect.void : alone, applyAll(declared, places, dryRun)))
    )
    yield* Output.list(["status", "kind", "name", "detail"], (last: Step | undefined) =>
      Effect.succeed(last === undefined ? steps : [])
    )
    const count = (wanted: Step["status"]) => steps.filter(({ status }) => status === wanted).length
    const kinds = (["created", "changed", "removed", "unchanged", "refused"] as const).map(
      (status) => `${count(status)} ${status}`
    )
    if (!(yield* Output.Json)) yield* Console.log(`${dryRun ? "Without --dry-run: " : ""}${kinds.join(", ")}`)
    if (count("refused") > 0) return yield* new Refused({ message: `${count("refused")} refused` })
    if (dryRun && count("unchanged") < steps.length) {
      return yield* new Refused({ message: "There is something to change", code: 3 })
    }
  })
})
