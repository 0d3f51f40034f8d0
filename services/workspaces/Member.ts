import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { roles } from "../Principal.ts"
import * as Text from "../Text.ts"

export const aboutRole = {
  description: "The role of the member: `owner`, `admin`, `editor` or `viewer`.",
  examples: ["editor" as const]
}
const email = "anna@example.org"

/** A member of a workspace (contract 4). */
export const Member = Schema.Struct({
  id: Fields.ownId("mb"),
  user_id: Fields.id("us", "The user's id."),
  role: Schema.Literals(roles).annotate(aboutRole),
  email: Fields.text("The e-mail address of the person.", email),
  name: Fields.text("The name of the person.", "Anna"),
  created_at: Fields.createdAt
}).annotate({ identifier: "Member" })
export type Member = typeof Member.Type

/** Only the server sets `user_id` and `email`: requests may contain them, and they are ignored (contract, rule 2). */
export const MemberUpdate = Schema.Struct({
  role: Text.oneOf(roles, "unknown_role").annotate(aboutRole),
  user_id: Schema.optionalKey(Text.Ignored.annotate({ examples: [Fields.exampleId("us")] })),
  email: Schema.optionalKey(Text.Ignored.annotate({ examples: [email] })),
  current_password: Fields.currentPassword
}).annotate({ identifier: "MemberUpdate" })
export type MemberUpdate = typeof MemberUpdate.Type
