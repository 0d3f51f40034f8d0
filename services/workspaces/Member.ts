import { Schema } from "effect"
import { time } from "../Fields.ts"
import { roles } from "../Principal.ts"
import * as Text from "../Text.ts"

/** interface.md "Member". */
export const Member = Schema.Struct({
  id: Schema.String,
  user_id: Schema.String,
  role: Schema.Literals(roles),
  email: Schema.String,
  name: Schema.String,
  created_at: time("When it was made.")
}).annotate({ identifier: "Member" })
export type Member = typeof Member.Type

/** `user_id` and `email` are the server's: whatever they say is ignored (contract, rule 2). */
export const MemberUpdate = Schema.Struct({
  role: Text.oneOf(roles, "unknown_role"),
  user_id: Schema.optionalKey(Text.Ignored),
  email: Schema.optionalKey(Text.Ignored)
}).annotate({ identifier: "MemberUpdate" })
export type MemberUpdate = typeof MemberUpdate.Type
