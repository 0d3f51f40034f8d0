import { Clock, Console, Effect, Option, Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { Randomness } from "../../../../services/Randomness.ts"
import { OperatorKeys, type OwnedKey } from "../../../../services/identity/operators/OperatorKeys.ts"
import * as Tokens from "../../../../services/Tokens.ts"
import { type Grantable, grantable, isGrantable } from "../../../../services/identity/Scopes.ts"
import { action, command, group } from "../OperatorCommand.ts"
import * as Output from "../Output.ts"
import { onDatabase } from "../CommandServices.ts"
import { email, isName } from "./UserCommands.ts"

const units = { h: 3600_000, d: 24 * 3600_000, w: 7 * 24 * 3600_000 } as const

/** Milliseconds of a number of hours, days or weeks, such as `90d`. */
const parseSpan = (text: string): number | undefined => {
  const [, count, unit] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * units[unit as keyof typeof units]
}

const add = action("add", {
  description: "Create an API key for a user",
  examples: [["sheaf key add anna@example.org --name laptop --expires 90d", "A key for 90 days"]],
  input: {
    email,
    name: Flag.String("name").pipe(
      Flag.filter(isName, () => "Expected a line of 1 to 100 characters"),
      Flag.withDescription("The name of the key, such as its purpose")
    ),
    workspace: Flag.String("workspace").pipe(
      Flag.withDescription("The id or slug of a workspace of the user; default: the personal workspace"),
      Flag.withDefault(undefined)
    ),
    scopes: Flag.String("scopes").pipe(
      Flag.map((text) => [...new Set(text.split(",").map((scope) => scope.trim()))]),
      Flag.filterMap(
        (scopes) => Option.liftPredicate(scopes, (all): all is Array<Grantable> => all.every(isGrantable)),
        () => `Expected scopes separated by commas, of: ${grantable.join(", ")}`
      ),
      Flag.withDescription("Scopes separated by commas; default: all"),
      Flag.withDefault(undefined)
    ),
    expires: Flag.String("expires").pipe(
      Flag.filterMap(
        (text) => Option.fromUndefinedOr(parseSpan(text)),
        () => "Expected a duration such as 12h, 90d or 4w"
      ),
      Flag.withDescription("A duration such as 12h, 90d or 4w; default: the key does not expire"),
      Flag.withDefault(undefined)
    )
  },
  run: Effect.fnUntraced(function* ({ email, expires, name, scopes, workspace }) {
    const now = yield* Clock.currentTimeMillis
    const expires_at = expires === undefined ? null : new Date(now + expires).toISOString()
    return yield* (yield* OperatorKeys).add({ email, expires_at, name, scopes, workspace })
  }),
  remark: "The secret is shown only once."
})

const make = command("make", {
  description: "Generate a key for BOOTSTRAP_API_KEY, without storing it",
  examples: [["BOOTSTRAP_API_KEY=$(sheaf key make) sheaf serve", "Start with this key"]],
  input: {},
  run: Effect.fnUntraced(function* () {
    const secret = Redacted.value(Tokens.make(yield* Randomness, "sfk"))
    // Only the secret, so that a shell can assign it to a variable.
    yield* (yield* Output.Json) ? Output.show({ secret }) : Console.log(secret)
  })
})

const list = command("list", {
  description: "List all API keys, or those of a user; --json also shows their scopes",
  examples: [["sheaf key list anna@example.org", "List the keys of a user"]],
  input: { email: Argument.optional(email) },
  run: ({ email }) =>
    onDatabase(
      Effect.flatMap(OperatorKeys, (keys) =>
        Output.list(
          ["id", "email", "workspace", "name", "prefix", "last_used_at", "expires_at", "created_at"],
          (last: OwnedKey | undefined) => keys.all(last?.id ?? "", Option.getOrUndefined(email))
        )
      )
    )
})

const revoke = action("revoke", {
  description: "End an API key; the running server refuses it within a second",
  examples: [["sheaf key revoke ak_4kJ2…", "End a key"]],
  input: { id: Argument.String("id").pipe(Argument.withDescription("The key's id, such as ak_…")) },
  run: ({ id }) =>
    Effect.as(
      Effect.flatMap(OperatorKeys, (keys) => keys.revoke(id)),
      { id, revoked: true }
    )
})

export const key = group("key", "API keys", [add, list, revoke, make])
