import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { OperatorJobs, type OwnedJob } from "../../../services/transfers/OperatorJobs.ts"
import { onDatabase } from "./CommandServices.ts"
import * as Output from "./Output.ts"

const target = Argument.String("id").pipe(
  Argument.withDescription("The id of the export or import, such as ex_… or im_…")
)

const list = Command.make(
  "list",
  {
    workspace: Flag.String("workspace").pipe(
      Flag.withDefault(undefined),
      Flag.withDescription("The id or slug of a workspace; default: all workspaces")
    ),
    all: Flag.Boolean("all").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Also exports and imports that succeeded")
    )
  },
  ({ all, workspace }) =>
    onDatabase(
      Effect.gen(function* () {
        const jobs = yield* OperatorJobs
        const workspace_id = workspace === undefined ? undefined : yield* (yield* Operator).workspace(workspace)
        yield* Output.list(
          ["id", "kind", "workspace", "state", "progress", "age", "attempts", "next_at", "error"],
          (last: OwnedJob | undefined) => jobs.all(last, { workspace_id, ended: all })
        )
      })
    )
).pipe(
  Command.withDescription("List exports and imports that wait, run or have failed, of all workspaces"),
  Command.withExamples([
    { command: "sheaf job list", description: "What runs, waits, or has failed" },
    { command: "sheaf job list --workspace personal --all --json", description: "Everything of a workspace, as JSON" }
  ])
)

const cancel = Command.make(
  "cancel",
  { id: target },
  Effect.fnUntraced(function* ({ id }) {
    yield* onDatabase(Effect.flatMap(OperatorJobs, (jobs) => jobs.cancel(id)))
    yield* Output.show({ id, cancelled: true })
  })
).pipe(
  Command.withDescription(
    "End an export or import as failed; the running server stops it within a second. Notes that an import has created stay"
  ),
  Command.withExamples([{ command: "sheaf job cancel im_4kJ2…", description: "Stop an import" }])
)

const retry = Command.make(
  "retry",
  { id: target },
  Effect.fnUntraced(function* ({ id }) {
    yield* onDatabase(Effect.flatMap(OperatorJobs, (jobs) => jobs.retry(id)))
    yield* Output.show({ id, queued: true }, "The running server starts it when its turn comes.")
  })
).pipe(
  Command.withDescription(
    "Queue a failed export or import again. An import continues where it ended: no note is created twice. Its file must " +
      "still be there, which is certain for an hour after it failed"
  ),
  Command.withExamples([{ command: "sheaf job retry ex_4kJ2…", description: "Repeat an export" }])
)

export const job = Command.make("job").pipe(
  Command.withDescription("Exports and imports, which the server runs in the background"),
  Command.withSubcommands([list, cancel, retry])
)
