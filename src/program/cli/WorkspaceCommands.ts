import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { isEmail } from "../../../services/Email.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { plans } from "../../../services/Principal.ts"
import { usageOf } from "../../../services/workspaces/WorkspaceUsage.ts"
import type { OwnedWorkspace } from "../../../services/workspaces/Workspace.ts"
import { Workspaces } from "../../../services/workspaces/Workspaces.ts"
import { confirm, yes } from "./Confirmation.ts"
import { action, command, group, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"
import { onDatabase } from "./CommandServices.ts"

const target = Argument.String("workspace").pipe(Argument.withDescription("The id or slug of the workspace"))

const list = command("list", {
  description: "List all workspaces, without deleted ones unless --deleted is set",
  examples: [
    ["sheaf workspace list", "List the workspaces"],
    ["sheaf workspace list --deleted", "List those that can be restored"]
  ],
  input: { deleted: isSet("deleted", "Only deleted workspaces, which can still be restored") },
  run: ({ deleted }) =>
    onDatabase(
      Effect.flatMap(Workspaces, (workspaces) =>
        Output.list(
          ["id", "slug", "name", "plan", "seats", "created_at", ...(deleted ? (["deleted_at"] as const) : [])],
          (last: OwnedWorkspace | undefined) => workspaces.all(last?.id ?? ""),
          ({ deleted_at }) => (deleted_at !== null) === deleted
        )
      )
    )
})

const usage = action("usage", {
  description: "Show what a workspace stores, and the limits of its plan; 0 is no limit",
  examples: [["sheaf workspace usage personal --json", "Show the usage as JSON"]],
  input: { workspace: target },
  run: Effect.fnUntraced(function* ({ workspace }) {
    const found = yield* usageOf(yield* (yield* Operator).workspace(workspace))
    // It was erased meanwhile.
    return found ?? (yield* new Refused({ message: `No such workspace: ${workspace}` }))
  })
})

const plan = action("plan", {
  description: "Set the plan and the seats of a workspace",
  examples: [["sheaf workspace plan personal team --seats 5", "Set the plan with five seats"]],
  input: {
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
  run: Effect.fnUntraced(function* ({ plan, seats, workspace }) {
    const id = yield* (yield* Operator).workspace(workspace)
    return yield* (yield* Workspaces).setPlan(id, seats === undefined ? { plan } : { plan, seats })
  })
})

const remove = command("delete", {
  description:
    "Delete a workspace for all members; it can be restored for 30 days, unless --purge is set. Delete a personal " +
    "workspace with its user",
  examples: [
    ["sheaf workspace delete project", "Delete a workspace, after a confirmation"],
    ["sheaf workspace delete project --purge --yes", "Erase it without a confirmation"]
  ],
  input: {
    workspace: target,
    purge: isSet("purge", "Erase it within two hours, also if it is deleted already: it cannot be restored"),
    yes
  },
  run: Effect.fnUntraced(function* ({ purge, workspace, yes }) {
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
})

const restore = action("restore", {
  description: "Restore a workspace that was deleted in the last 30 days",
  examples: [["sheaf workspace restore personal --owner anna@example.org", "Restore it with an owner"]],
  input: {
    workspace: target,
    owner: Flag.String("owner").pipe(
      Flag.filter(isEmail, () => "Expected an e-mail address"),
      Flag.withDescription("The address of a user to make an owner: required if no owner is left"),
      Flag.withDefault(undefined)
    )
  },
  run: Effect.fnUntraced(function* ({ owner, workspace }) {
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
})

export const workspace = group("workspace", "Workspaces", [list, usage, plan, remove, restore])
