import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isEmail } from "../../../services/Email.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { plans } from "../../../services/Principal.ts"
import { usageOf } from "../../../services/workspaces/WorkspaceUsage.ts"
import { type OwnedWorkspace, Workspaces } from "../../../services/workspaces/Workspaces.ts"
import { confirm, yes } from "./Confirmation.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"
import { onDatabase } from "./CommandServices.ts"

const target = Argument.String("workspace").pipe(Argument.withDescription("The id or slug of the workspace"))

const list = Command.make(
  "list",
  {
    deleted: Flag.Boolean("deleted").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Only deleted workspaces, which can still be restored")
    )
  },
  ({ deleted }) =>
    onDatabase(
      Effect.flatMap(Workspaces, (workspaces) =>
        Output.list(
          ["id", "slug", "name", "plan", "seats", "created_at", ...(deleted ? (["deleted_at"] as const) : [])],
          (last: OwnedWorkspace | undefined) => workspaces.all(last?.id ?? ""),
          ({ deleted_at }) => (deleted_at !== null) === deleted
        )
      )
    )
).pipe(
  Command.withDescription("List all workspaces, without deleted ones unless --deleted is set"),
  Command.withExamples([
    { command: "sheaf workspace list", description: "List the workspaces" },
    { command: "sheaf workspace list --deleted", description: "List those that can be restored" }
  ])
)

const usage = Command.make(
  "usage",
  { workspace: target },
  Effect.fnUntraced(function* ({ workspace }) {
    const found = yield* onDatabase(
      Effect.gen(function* () {
        return yield* usageOf(yield* (yield* Operator).workspace(workspace))
      })
    )
    // It was erased meanwhile.
    if (found === undefined) return yield* new Refused({ message: `No such workspace: ${workspace}` })
    yield* Output.show(found)
  })
).pipe(
  Command.withDescription("Show what a workspace stores, and the limits of its plan; 0 is no limit"),
  Command.withExamples([{ command: "sheaf workspace usage personal --json", description: "Show the usage as JSON" }])
)

const plan = Command.make(
  "plan",
  {
    workspace: target,
    plan: Argument.Literals("plan", plans).pipe(Argument.withDescription("The new plan")),
    seats: Flag.Int("seats").pipe(
      Flag.filter(
        (seats) => seats >= 1 && seats <= 100_000,
        () => "Expected a number from 1 to 100000"
      ),
      Flag.withDescription("The new number of seats; default: unchanged"),
      Flag.withDefault(undefined)
    )
  },
  Effect.fnUntraced(function* ({ plan, seats, workspace }) {
    const changed = yield* onDatabase(
      Effect.gen(function* () {
        const id = yield* (yield* Operator).workspace(workspace)
        return yield* (yield* Workspaces).setPlan(id, seats === undefined ? { plan } : { plan, seats })
      })
    )
    yield* Output.show(changed)
  })
).pipe(
  Command.withDescription("Set the plan and the seats of a workspace"),
  Command.withExamples([
    { command: "sheaf workspace plan personal team --seats 5", description: "Set the plan with five seats" }
  ])
)

const remove = Command.make(
  "delete",
  {
    workspace: target,
    purge: Flag.Boolean("purge").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Erase it within two hours, also if it is deleted already: it cannot be restored")
    ),
    yes
  },
  Effect.fnUntraced(function* ({ purge, workspace, yes }) {
    const consequence = purge ? "It cannot be restored." : "It can be restored for 30 days."
    if (!yes) yield* confirm(`Delete the workspace ${workspace} for all members? ${consequence}`)
    const deleted = yield* onDatabase(
      Effect.gen(function* () {
        const id = yield* (yield* Operator).workspace(workspace)
        return yield* (yield* Workspaces).deleteAny(id, purge)
      })
    )
    yield* Output.show(
      deleted,
      purge ? "The running server erases it within two hours." : "To restore it: sheaf workspace restore WORKSPACE"
    )
  })
).pipe(
  Command.withDescription(
    "Delete a workspace for all members; it can be restored for 30 days, unless --purge is set. Delete a personal " +
      "workspace with its user"
  ),
  Command.withExamples([
    { command: "sheaf workspace delete project", description: "Delete a workspace, after a confirmation" },
    { command: "sheaf workspace delete project --purge --yes", description: "Erase it without a confirmation" }
  ])
)

const restore = Command.make(
  "restore",
  {
    workspace: target,
    owner: Flag.String("owner").pipe(
      Flag.filter(isEmail, () => "Expected an e-mail address"),
      Flag.withDescription("The address of a user to make an owner: required if no owner is left"),
      Flag.withDefault(undefined)
    )
  },
  Effect.fnUntraced(function* ({ owner, workspace }) {
    const restored = yield* onDatabase(
      Effect.gen(function* () {
        const operator = yield* Operator
        const id = yield* operator.workspace(workspace)
        const workspaces = yield* Workspaces
        // Checked before a user becomes its owner.
        yield* workspaces.restorable(id)
        if (owner !== undefined) yield* operator.makeOwner(id, owner)
        // A restorable workspace is refused only if it has no owner.
        return yield* Effect.catchTag(
          workspaces.restore(id),
          "Conflict",
          ({ detail }) => new Refused({ message: `${detail}: name a user with --owner EMAIL` })
        )
      })
    )
    yield* Output.show(restored)
  })
).pipe(
  Command.withDescription("Restore a workspace that was deleted in the last 30 days"),
  Command.withExamples([
    { command: "sheaf workspace restore personal --owner anna@example.org", description: "Restore it with an owner" }
  ])
)

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("Workspaces"),
  Command.withSubcommands([list, usage, plan, remove, restore])
)
