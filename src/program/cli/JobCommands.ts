import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { OperatorJobs, type OwnedJob } from "../../../services/transfers/OperatorJobs.ts"
import { onDatabase } from "./CommandServices.ts"
import { action, command, group, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"

const target = Argument.String("id").pipe(
  Argument.withDescription("The id of the export or import, such as ex_… or im_…")
)

const list = command("list", {
  description: "List exports and imports that wait, run or have failed, of all workspaces",
  examples: [
    ["sheaf job list", "What runs, waits, or has failed"],
    ["sheaf job list --workspace personal --all --json", "Everything of a workspace, as JSON"]
  ],
  input: {
    workspace: Flag.String("workspace").pipe(
      Flag.withDefault(undefined),
      Flag.withDescription("The id or slug of a workspace; default: all workspaces")
    ),
    all: isSet("all", "Also exports and imports that succeeded")
  },
  run: ({ all, workspace }) =>
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
})

const cancel = action("cancel", {
  description:
    "End an export or import as failed; the running server stops it within a second. Notes that an import has created stay",
  examples: [["sheaf job cancel im_4kJ2…", "Stop an import"]],
  input: { id: target },
  run: ({ id }) =>
    Effect.as(
      Effect.flatMap(OperatorJobs, (jobs) => jobs.cancel(id)),
      { id, cancelled: true }
    )
})

const retry = action("retry", {
  description:
    "Queue a failed export or import again. An import continues where it ended: no note is created twice. Its file must " +
    "still be there, which is certain for an hour after it failed",
  examples: [["sheaf job retry ex_4kJ2…", "Repeat an export"]],
  input: { id: target },
  run: ({ id }) =>
    Effect.as(
      Effect.flatMap(OperatorJobs, (jobs) => jobs.retry(id)),
      { id, queued: true }
    ),
  remark: "The running server starts it when its turn comes."
})

export const job = group("job", "Exports and imports, which the server runs in the background", [list, cancel, retry])
