import { emailPart } from "../Email.ts"
import { listOf } from "../lists/ListSpec.ts"
import { Member } from "./Member.ts"

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
  sorted: ["created_at", "email", "role"]
})
