import { Schema } from "effect"
import { time } from "../Fields.ts"
import { Email } from "../Email.ts"
import { roles } from "../Principal.ts"
import * as Text from "../Text.ts"

export const statuses = ["pending", "accepted", "expired"] as const

const fields = {
  id: Schema.String,
  email: Schema.String,
  role: Schema.Literals(roles),
  /** As it is at the time of the answer. */
  status: Schema.Literals(statuses),
  expires_at: time("Until when it is good."),
  created_at: time("When it was made."),
  invited_by: Schema.String
}

/** interface.md "Invitation". */
export const Invitation = Schema.Struct(fields).annotate({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type

/** The answer of create and resend. Without SMTP it shows the link that a mail would (contract 4). */
export const InvitationSent = Schema.Struct({ ...fields, accept_url: Schema.optionalKey(Schema.String) }).annotate({
  identifier: "InvitationSent"
})
export type InvitationSent = typeof InvitationSent.Type

const expires_at = Schema.optionalKey(Schema.NullOr(Text.Timestamp))

export const InvitationCreate = Schema.Struct({
  email: Email,
  role: Schema.optionalKey(Text.oneOf(roles, "unknown_role")),
  expires_at,
  status: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "InvitationCreate" })
export type InvitationCreate = typeof InvitationCreate.Type

/** Address and role stay as they are: what the body says of them is ignored. */
export const InvitationResend = Schema.Struct({
  expires_at,
  email: Schema.optionalKey(Text.Ignored),
  role: Schema.optionalKey(Text.Ignored),
  status: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "InvitationResend" })
export type InvitationResend = typeof InvitationResend.Type

export const InvitationAccept = Schema.Struct({ token: Schema.String }).annotate({ identifier: "InvitationAccept" })
export type InvitationAccept = typeof InvitationAccept.Type
