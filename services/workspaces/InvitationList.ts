import { emailPart } from "../Email.ts"
import { listOf } from "../lists/ListSpec.ts"
import { Invitation } from "./Invitation.ts"

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
  sorted: ["created_at", "email", "role", "status"]
})
