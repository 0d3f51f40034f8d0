import { Schema } from "effect"
import { email as emailSchema, emailPart } from "../Email.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { isAtLeast, type Role, roles } from "../Principal.ts"
import * as Text from "../Text.ts"
import { aboutRole } from "./Member.ts"

export const statuses = ["pending", "accepted", "expired"] as const

const email = { description: "The address that is invited.", examples: ["anna@example.org"] }

const fields = {
  id: Fields.ownId("iv"),
  email: Schema.String.annotate(email),
  role: Schema.Literals(roles).annotate(aboutRole),
  status: Schema.Literals(statuses).annotate({
    description: "The status at the time of the response.",
    examples: ["pending"]
  }),
  expires_at: Fields.time("Until when it can be accepted."),
  created_at: Fields.createdAt,
  invited_by: Fields.id("us", "The user who invited.")
}

/** An invitation (contract 4). */
export const Invitation = Schema.Struct(fields).annotate({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type

/** The response to create and resend. Without SMTP it contains the link that the mail would contain (contract 4). */
export const InvitationSent = Schema.Struct({
  ...fields,
  accept_url: Schema.optionalKey(
    Schema.String.annotate({
      description: "The link for the invited person, if the server has no SMTP. It is shown in this response only.",
      format: "uri",
      examples: [`${Fields.exampleOrigin}/invitations/accept?token=sfi_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G`]
    })
  )
}).annotate({
  identifier: "InvitationSent"
})
export type InvitationSent = typeof InvitationSent.Type

const expires_at = Schema.optionalKey(
  Schema.NullOr(Text.Timestamp).annotate({
    description: "Until when it can be accepted, at most 30 days ahead. Default: seven days.",
    examples: ["2026-03-01T12:00:00.000Z"]
  })
)
const ignored = (example: string) => Schema.optionalKey(Text.Ignored.annotate({ examples: [example] }))

export const InvitationCreate = Schema.Struct({
  email: emailSchema(email),
  role: Schema.optionalKey(
    Text.oneOf(roles, "unknown_role").annotate({
      description: "The role of the new member, at most the caller's own. Default: `editor`.",
      examples: ["editor"]
    })
  ),
  expires_at,
  status: ignored("pending"),
  current_password: Fields.currentPassword
}).annotate({ identifier: "InvitationCreate" })
export type InvitationCreate = typeof InvitationCreate.Type

/** Address and role do not change: these members of the body are ignored. */
export const InvitationResend = Schema.Struct({
  expires_at,
  email: ignored("anna@example.org"),
  role: ignored("editor"),
  status: ignored("pending")
}).annotate({ identifier: "InvitationResend" })
export type InvitationResend = typeof InvitationResend.Type

export const InvitationAccept = Schema.Struct({
  token: Fields.text("The token in the link.", "sfi_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G")
}).annotate({ identifier: "InvitationAccept" })
export type InvitationAccept = typeof InvitationAccept.Type

/** Invitations, with their status at the time $2. */
export const invitationList = listOf(Invitation, {
  path: "/invitations",
  from: `(SELECT workspace_id, id, email, email_key, role,
      CASE WHEN accepted_at IS NOT NULL THEN 'accepted' WHEN expires_at > $2::text THEN 'pending' ELSE 'expired' END
        AS status,
      expires_at, created_at, invited_by
    FROM invitations) dated`,
  sort: ["-created_at", "email", "role", "status"],
  filter: ["id", "email", "role", "status", "created_at", "expires_at"],
  words: ["email"],
  enums: ["role", "status"],
  as: { email: "email_key" },
  normal: { email: emailPart },
  unindexedSorts: ["created_at", "email", "role", "status"]
})

/** Rights to invitations (contract 4): the caller must be at least each of the returned roles. */

/** For roles up to the caller's own. The same right is needed to send an invitation again and to delete it. */
export const rolesToInvite = (role: Role): ReadonlyArray<Role> => ["admin", role]

/** Whether the inviter still has the right to invite: an invitation must not give back a right that they lost. */
export const mayInvite = (inviter: Role | null, role: Role): boolean =>
  inviter !== null && rolesToInvite(role).every((least) => isAtLeast(inviter, least))
