import { emailPart } from "../Email.ts"
import type { ListSpec } from "../Page.ts"
import { roles } from "../Principal.ts"
import { statuses } from "./Invitation.ts"

export const columns = ["id", "email", "role", "status", "expires_at", "created_at", "invited_by"]

/** As they are at the time in $2. */
export const dated = `(SELECT workspace_id, id, email, email_key, role,
    CASE WHEN accepted_at IS NOT NULL THEN 'accepted' WHEN expires_at > $2::text THEN 'pending' ELSE 'expired' END
      AS status,
    expires_at, created_at, invited_by
  FROM invitations) dated`

export const invitationList: ListSpec = {
  path: "/invitations",
  sorts: {
    created_at: { sql: "created_at", type: "text" },
    email: { sql: "email_key", type: "text" },
    role: { sql: `role COLLATE "C"`, type: "text" },
    status: { sql: `status COLLATE "C"`, type: "text" }
  },
  defaultSort: "-created_at",
  filters: {
    id: { type: "text", sql: "id" },
    email: { type: "text", sql: "email_key", normal: emailPart, isWords: true },
    role: { type: "enum", sql: "role", values: roles },
    status: { type: "enum", sql: "status", values: statuses },
    created_at: { type: "timestamp", sql: "created_at" },
    expires_at: { type: "timestamp", sql: "expires_at" }
  }
}
