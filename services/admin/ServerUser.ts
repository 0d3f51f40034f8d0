import { Schema } from "effect"
import { email } from "../Email.ts"
import * as Fields from "../Fields.ts"
import { isDeletedText } from "../identity/IdentityTables.ts"
import { about, NewPassword } from "../identity/User.ts"
import { listOf } from "../lists/ListSpec.ts"
import { plans } from "../Principal.ts"
import * as Text from "../Text.ts"

const suspended = "Whether all credentials of the user are refused. Nothing of the user is deleted."

/** A user of the server, as operators see it (contract 11). */
export const ServerUser = Schema.Struct({
  id: Fields.ownId("us"),
  email: Schema.String.annotate(about.email),
  email_confirmed: Schema.Boolean.annotate({
    description: "Whether the user has shown that they read mail to the address, or an operator set it.",
    examples: [true]
  }),
  name: Schema.String.annotate(about.name),
  operator: Schema.Boolean.annotate(about.operator),
  has_password: Schema.Boolean.annotate({ description: "Whether the user has a password.", examples: [true] }),
  second_factors: Fields.count("Number of second factors: authenticator apps and passkeys.", 1),
  sessions: Fields.count("Number of sessions that have not ended.", 2),
  workspaces: Fields.count("Number of workspaces of which the user is a member.", 1),
  workspace_id: Fields.id("ws", "The user's personal workspace."),
  last_active_at: Schema.NullOr(Fields.time("When a session of the user was last used; null without a session.")),
  suspended_at: Schema.NullOr(Fields.time("Since when all credentials of the user are refused; else null.")).annotate({
    examples: [null]
  }),
  created_at: Fields.createdAt
}).annotate({ identifier: "ServerUser" })
export type ServerUser = typeof ServerUser.Type

export const ServerUserCreate = Schema.Struct({
  email: email(about.email),
  name: Schema.optionalKey(
    Text.singleLine(100, {
      description: "The name shown to people. Default: the first part of the address.",
      examples: about.name.examples
    })
  ),
  password: NewPassword,
  plan: Schema.optionalKey(
    Text.oneOf(plans, "unknown_plan").annotate({
      description: "The plan of the personal workspace. Default: `free`.",
      examples: ["free"]
    })
  ),
  current_password: Fields.currentPassword
}).annotate({ identifier: "ServerUserCreate" })
export type ServerUserCreate = typeof ServerUserCreate.Type

/** The response to the removal of all second factors of a user. */
export const RemovedFactors = Schema.Struct({
  removed: Fields.count("The number of factors that were removed.", 2)
}).annotate({ identifier: "RemovedFactors" })

export const ServerUserUpdate = Schema.Struct({
  email: Schema.optionalKey(
    email({ description: "Another address, which counts as confirmed.", examples: about.email.examples })
  ),
  name: Schema.optionalKey(Text.singleLine(100, about.name)),
  operator: Schema.optionalKey(Schema.Boolean.annotate(about.operator)),
  suspended: Schema.optionalKey(Schema.Boolean.annotate({ description: suspended, examples: [true] })),
  current_password: Fields.currentPassword
}).annotate({ identifier: "ServerUserUpdate" })
export type ServerUserUpdate = typeof ServerUserUpdate.Type

/** A link by which a user sets another password. No other response contains it. */
export const PasswordLink = Schema.Struct({
  url: Fields.text(
    "The page on which the user sets another password.",
    "https://sheaf.example/password/reset?token=sfp_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"
  ),
  expires_at: Fields.time("Until when it works. It works once.")
}).annotate({ identifier: "PasswordLink" })
export type PasswordLink = typeof PasswordLink.Type

/** The users whose accounts are not deleted. */
export const serverUserList = listOf(ServerUser, {
  path: "/admin/users",
  from: `(SELECT u.id, u.email, u.email_key, u.email_proven AS email_confirmed, u.name, u.is_operator AS operator,
      u.password_hash IS NOT NULL AS has_password,
      (SELECT count(*)::int FROM factors f WHERE f.user_id = u.id) AS second_factors, u.workspace_id, u.suspended_at, u.created_at,
      (SELECT count(*)::int FROM sessions s WHERE s.workspace_id = u.workspace_id AND s.user_id = u.id AND s.app IS NULL) AS sessions,
      (SELECT count(*)::int FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id
        AND w.deleted_at IS NULL WHERE m.user_id = u.id) AS workspaces,
      (SELECT max(s.last_active_at) FROM sessions s WHERE s.workspace_id = u.workspace_id AND s.user_id = u.id)
        AS last_active_at
    FROM users u WHERE NOT ${isDeletedText("u.id")}) u`,
  sort: ["-created_at", "email"],
  filter: ["id", "email", "name", "operator", "suspended", "created_at"],
  words: ["email", "name"],
  indexed: { id: "few" },
  sorts: { email: { sql: "email_key", type: "text" } },
  filters: { suspended: { type: "boolean", sql: "(suspended_at IS NOT NULL)" } }
})
