import { Clock, Effect, Schema } from "effect"
import { Accounts } from "../../../services/identity/Accounts.ts"
import { Principal } from "../../../services/Principal.ts"
import { mayWrite } from "../../../services/Reach.ts"
import { refusalOf } from "../http/pipeline/RequestCaller.ts"
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
  notebooks: Schema.NullOr(Schema.Record(Schema.String, Schema.String)),
  now: Schema.String
})

export const CallerTools = Effect.gen(function* () {
  const accounts = yield* Accounts

  const whoami = Effect.fnUntraced(function* () {
    const principal = yield* Principal
    const { reach, role, scopes, user_id, workspace_id } = principal
    const user = scopes.has("profile") ? yield* accounts.get : undefined
    return {
      user_id,
      name: user?.name ?? null,
      timezone: user?.timezone ?? null,
      workspace_id,
      role,
      scopes: [...scopes],
      can_write: refusalOf(principal, write) === undefined && mayWrite(reach),
      notebooks: reach === undefined ? null : Object.fromEntries(reach.map(({ access, id }) => [id, access])),
      now: new Date(yield* Clock.currentTimeMillis).toISOString()
    }
  })

  return [
    McpTool.reading({
      name: "whoami",
      title: "Who am I",
      description:
        "Your user, workspace, role, scopes, and the time. Name and timezone need `profile`. Only `notebooks` exist for you, unless null.",
      access: undefined,
      args,
      result,
      run: whoami
    })
  ]
})
