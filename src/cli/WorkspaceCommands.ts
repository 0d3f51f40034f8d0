import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isEmail } from "../../services/Email.ts"
import { Operator } from "../../services/identity/Operator.ts"
import { plans } from "../../services/Principal.ts"
import { type OwnedWorkspace, Workspaces } from "../../services/workspaces/Workspaces.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"
import { onDatabase } from "./CommandServices.ts"

const target = Argument.String("workspace").pipe(Argument.withDescription("Its id or slug"))

const list = Command.make(
  "list",
  {
    deleted: Flag.Boolean("deleted").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Those that can still be restored")
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
).pipe(Command.withDescription("All workspaces but for the deleted ones, or those alone"))

const plan = Command.make(
  "plan",
  {
    workspace: target,
    plan: Argument.Literals("plan", plans).pipe(Argument.withDescription("The plan that it is to have")),
    seats: Flag.Int("seats").pipe(
      Flag.filter(
        (seats) => seats >= 1 && seats <= 100_000,
        () => "Expected a number from 1 to 100000"
      ),
      Flag.withDescription("How many seats it is to have; else as many as before"),
      Flag.withDefault(undefined)
    )
  },
  Effect.fnUntraced(function* ({ plan, seats, workspace }) {
    const changed = yield* onDatabase(
      Effect.gen(function* () {
        const id = yield* (yield* Operator).workspace(workspace)
        return yield* (yield* Workspaces).setPlan(id, plan, seats)
      })
    )
    yield* Output.show(changed)
  })
).pipe(Command.withDescription("Set the plan and the seats of a workspace"))

const restore = Command.make(
  "restore",
  {
    workspace: target,
    owner: Flag.String("owner").pipe(
      Flag.filter(isEmail, () => "Expected an e-mail address"),
      Flag.withDescription("The address of a user to make an owner: needed when no owner is left"),
      Flag.withDefault(undefined)
    )
  },
  Effect.fnUntraced(function* ({ owner, workspace }) {
    const restored = yield* onDatabase(
      Effect.gen(function* () {
        const operator = yield* Operator
        const id = yield* operator.workspace(workspace)
        const workspaces = yield* Workspaces
        // Whether it can be restored at all is asked before anybody is given it.
        yield* workspaces.restorable(id)
        if (owner !== undefined) yield* operator.makeOwner(id, owner)
        // What can be restored is refused only for want of an owner.
        return yield* Effect.catchTag(
          workspaces.restore(id),
          "Conflict",
          ({ detail }) => new Refused({ message: `${detail}: name a user with --owner EMAIL` })
        )
      })
    )
    yield* Output.show(restored)
  })
).pipe(Command.withDescription("Bring back a workspace that was deleted in the last 30 days"))

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("Workspaces"),
  Command.withSubcommands([list, plan, restore])
)
