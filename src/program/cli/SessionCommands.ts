import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { OperatorSessions, type OwnedSession } from "../../../services/identity/operators/OperatorSessions.ts"
import { onDatabase } from "./CommandServices.ts"
import * as Output from "./Output.ts"
import { email } from "./UserCommands.ts"

const list = Command.make("list", { email: Argument.optional(email) }, ({ email }) =>
  onDatabase(
    Effect.flatMap(OperatorSessions, (sessions) =>
      Output.list(
        ["id", "email", "device_name", "platform", "ip", "last_active_at", "expires_at"],
        (last: OwnedSession | undefined) => sessions.all(last, Option.getOrUndefined(email))
      )
    )
  )
).pipe(
  Command.withDescription("List the sessions of all users, or of one"),
  Command.withExamples([{ command: "sheaf session list anna@example.org", description: "List the sessions of a user" }])
)

const revoke = Command.make(
  "revoke",
  { id: Argument.String("id").pipe(Argument.withDescription("The session's id, such as se_…")) },
  Effect.fnUntraced(function* ({ id }) {
    yield* onDatabase(Effect.flatMap(OperatorSessions, (sessions) => sessions.revoke(id)))
    yield* Output.show({ id, revoked: true })
  })
).pipe(
  Command.withDescription("End a session; the running server refuses its tokens within a second"),
  Command.withExamples([{ command: "sheaf session revoke se_4kJ2…", description: "End one session" }])
)

export const session = Command.make("session").pipe(
  Command.withDescription("Sessions of users, which signed in with a password"),
  Command.withSubcommands([list, revoke])
)
