import { Clock, Effect, Schema } from "effect"
import { Accounts } from "../../../services/identity/Accounts.ts"
import { isAtLeast, Principal } from "../../../services/Principal.ts"
import * as McpTool from "./McpTool.ts"
import { write } from "./ToolFields.ts"

const args = Schema.Record(Schema.String, Schema.Never)

const result = Schema.Struct({
  user_id: Schema.String,
  name: Schema.NullOr(Schema.String),
  timezone: Schema.NullOr(Schema.String),
  workspace_id: Schema.String,
  role: Schema.String,
  scopes: Schema.Array(Schema.String),
  can_write: Schema.Boolean,
  now: Schema.String
})

export const CallerTools = Effect.gen(function* () {
  const accounts = yield* Accounts

  const whoami = Effect.fnUntraced(function* () {
    const { role, scopes, user_id, workspace_id } = yield* Principal
    const user = scopes.has("profile") ? yield* accounts.get : undefined
    return {
      user_id,
      name: user?.name ?? null,
      timezone: user?.timezone ?? null,
      workspace_id,
      role,
      scopes: [...scopes],
      can_write: isAtLeast(role, write.role) && write.scopes.some((scope) => scopes.has(scope)),
      now: new Date(yield* Clock.currentTimeMillis).toISOString()
    }
  })

  return [
    McpTool.reading({
      name: "whoami",
      title: "Who am I",
      description:
        "Your user, workspace, role and scopes, and the time. Without the scope `profile`, name and timezone are null.",
      access: undefined,
      args,
      result,
      run: whoami
    })
  ]
})
