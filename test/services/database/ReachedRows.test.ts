import { describe, expect, it } from "vitest"
import { limitedTables } from "../../../services/database/ReachedRows.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

/** Tables of a workspace whose rows say nothing about its notes. */
const open = [
  "api_keys",
  "audit_unsent",
  "authorization_codes",
  "blobs",
  "content_places",
  "devices",
  "email_confirmations",
  "failed_mails",
  "factors",
  "heads",
  "idempotency_keys",
  "identity_links",
  "invitations",
  "key_request_counts",
  "key_requests",
  "mails",
  "members",
  "mutations",
  "password_resets",
  "push_subscriptions",
  "recovery_codes",
  "refresh_tokens",
  "request_days",
  "restores",
  "sessions",
  "setup_links",
  "staged_files",
  "user_identities",
  "users",
  "workspaces"
]

describe("the tables of a workspace", () => {
  it("are limited for credentials that reach some notebooks, or say nothing about notes", async () => {
    const rows = await app.sql(
      `SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'workspace_id'
        AND table_name IN (SELECT tablename FROM pg_tables) ORDER BY 1`
    )
    expect(rows.map(({ table_name }) => table_name).toSorted()).toEqual([...limitedTables, ...open].toSorted())
  })
})
