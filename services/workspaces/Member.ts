import { Schema } from "effect"
import { emailPart } from "../Email.ts"
import { Conflict } from "../Errors.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { type PrincipalShape, type Role, roles } from "../Principal.ts"
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

/** OFFSET 0 keeps the planner from scanning all users in the order of their addresses. */
export const memberList = listOf(Member, {
  path: "/members",
  from: `(SELECT m.workspace_id, m.id, m.user_id, m.role, u.email, u.email_key, u.name, m.created_at
    FROM members m CROSS JOIN LATERAL (SELECT email, email_key, name FROM users WHERE id = m.user_id OFFSET 0) u) people`,
  sort: ["-created_at", "email", "role"],
  filter: ["id", "user_id", "email", "role", "created_at"],
  words: ["email"],
  enums: ["role"],
  as: { email: "email_key" },
  normal: { email: emailPart },
  unindexedSorts: ["created_at", "email", "role"]
})

/** Rights to members (contract 4): the caller must be at least each of the returned roles. */

/** For members up to the caller's own role, to a role up to the caller's own. */
export const rolesToChange = ({ role }: Pick<Member, "role">, to: Role): ReadonlyArray<Role> => ["admin", role, to]

/** For members up to the caller's own role. Every member may leave. */
export const rolesToRemove = (
  { user_id }: Pick<PrincipalShape, "user_id">,
  member: Pick<Member, "role" | "user_id">
): ReadonlyArray<Role> => (member.user_id === user_id ? [] : ["admin", member.role])

export const lastOwner = new Conflict({
  code: "last_owner",
  detail: "A workspace cannot be left without an owner"
})

const isHome = new Conflict({
  code: "invalid_state",
  detail: "The owner of a personal workspace cannot be changed"
})

/** Why a workspace cannot lose an owner: they are the last one, or the user of a personal workspace. */
export const whyOwnerStays = (workspace: {
  readonly owners: number
  readonly is_home: boolean
}): Conflict | undefined => (workspace.owners === 1 ? lastOwner : workspace.is_home ? isHome : undefined)
