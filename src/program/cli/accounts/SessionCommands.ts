import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { OperatorSessions, type OwnedSession } from "../../../../services/identity/operators/OperatorSessions.ts"
import { onDatabase } from "../CommandServices.ts"
import { action, command, group } from "../OperatorCommand.ts"
import * as Output from "../Output.ts"
import { email } from "./UserCommands.ts"

const list = command("list", {
  description: "List the sessions and connected apps of all users, or of one",
  examples: [["sheaf session list anna@example.org", "List the sessions of a user"]],
  input: { email: Argument.optional(email) },
  run: ({ email }) =>
    onDatabase(
      Effect.flatMap(OperatorSessions, (sessions) =>
        Output.list(
          ["id", "email", "device_name", "platform", "client_id", "ip", "last_active_at", "expires_at"],
          (last: OwnedSession | undefined) => sessions.all(last, Option.getOrUndefined(email))
        )
      )
    )
})

const revoke = action("revoke", {
  description: "End a session; the running server refuses its tokens within a second",
  examples: [["sheaf session revoke se_4kJ2…", "End one session"]],
  input: { id: Argument.String("id").pipe(Argument.withDescription("The session's id, such as se_…")) },
  run: ({ id }) =>
    Effect.as(
      Effect.flatMap(OperatorSessions, (sessions) => sessions.revoke(id)),
      { id, revoked: true }
    )
})

export const session = group("session", "Sessions of users, which signed in with a password", [list, revoke])
