import { Schema } from "effect"
import { email, emailKey } from "../Email.ts"
import { ApiKeyCreate } from "../identity/ApiKey.ts"
import { plans, roles } from "../Principal.ts"
import * as Text from "../Text.ts"
import { WebhookCreate } from "../webhooks/Webhook.ts"
import { Slug, WorkspaceCreate } from "../workspaces/Workspace.ts"

/** What `sheaf apply` makes of a file: users, workspaces, API keys and webhooks. */

/** Where a secret is. The file has no secret itself. */
const Reference = Schema.Struct({
  env: Schema.optionalKey(Schema.String),
  file: Schema.optionalKey(Schema.String)
}).check(
  Schema.makeFilter(({ env, file }) => (env === undefined) !== (file === undefined), {
    message: "must name an environment variable, `env`, or a file, `file`"
  })
)
export type Reference = typeof Reference.Type

const state = { state: Schema.optionalKey(Text.oneOf(["present", "absent"], "invalid")) }

/** A secret that exists already, or the file into which a new one is written. */
const secret = { secret: Schema.optionalKey(Reference), secret_file: Schema.optionalKey(Schema.String) }
const oneSecret = Schema.makeFilter<{ readonly [Name in keyof typeof secret | "state"]?: unknown }>(
  (each) => each.state === "absent" || (each.secret === undefined) !== (each.secret_file === undefined),
  { message: "must have one of `secret` and `secret_file`" }
)

/** A list whose items have different keys: otherwise each run would undo a part of itself. */
const each = <A, I>(item: Schema.Codec<A, I>, keyOf: (item: A) => string) =>
  Schema.optionalKey(
    Schema.Array(item).check(
      Schema.makeFilter<ReadonlyArray<A>>((items) => new Set(items.map(keyOf)).size === items.length, {
        message: "must not name one twice"
      })
    )
  )

const Name = Text.singleLine(100)
const Plan = Schema.optionalKey(Text.oneOf(plans, "unknown_plan"))

const User = Schema.Struct({
  email: email(),
  name: Schema.optionalKey(Name),
  /** The plan of the personal workspace. */
  plan: Plan,
  operator: Schema.optionalKey(Schema.Boolean),
  suspended: Schema.optionalKey(Schema.Boolean),
  /** Only for a new user: it does not replace a password. */
  initial_password: Schema.optionalKey(Reference)
})

const Member = Schema.Struct({
  email: email(),
  role: Schema.optionalKey(Text.oneOf(roles, "unknown_role")),
  ...state
}).check(
  Schema.makeFilter(({ role, state }) => (role === undefined) === (state === "absent"), {
    message: "must have a role, or the state absent"
  })
)

const Webhook = Schema.Struct({
  url: WebhookCreate.fields.url,
  events: Schema.optionalKey(WebhookCreate.fields.events),
  active: Schema.optionalKey(Schema.Boolean),
  ...secret,
  ...state
}).check(oneSecret)

const Workspace = Schema.Struct({
  slug: Slug,
  name: Schema.optionalKey(Name),
  plan: Plan,
  seats: WorkspaceCreate.fields.seats,
  members: each(Member, ({ email }) => emailKey(email)),
  webhooks: each(Webhook, ({ url }) => url),
  ...state
})

const Key = Schema.Struct({
  name: Name,
  user: email(),
  /** The slug; default: the personal workspace of the user. */
  workspace: Schema.optionalKey(Slug),
  scopes: ApiKeyCreate.fields.scopes,
  expires_at: Schema.optionalKey(Text.Timestamp),
  ...secret,
  ...state
}).check(oneSecret)

export const Declaration = Schema.Struct({
  users: each(User, ({ email }) => emailKey(email)),
  workspaces: each(Workspace, ({ slug }) => slug),
  api_keys: each(Key, ({ name, user, workspace = "" }) => JSON.stringify([emailKey(user), workspace, name]))
})
export type Declaration = typeof Declaration.Type
export type DeclaredUser = typeof User.Type
export type DeclaredWorkspace = typeof Workspace.Type
export type DeclaredMember = typeof Member.Type
export type DeclaredWebhook = typeof Webhook.Type
export type DeclaredKey = typeof Key.Type
