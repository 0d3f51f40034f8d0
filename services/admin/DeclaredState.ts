import { Effect } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { emailKey } from "../Email.ts"
import type { WorkspaceId } from "../Ids.ts"
import type { Plan, Role } from "../Principal.ts"

interface FoundUser {
  readonly id: string
  readonly name: string
  readonly operator: boolean
  readonly suspended: boolean
  readonly plan: Plan
  readonly workspace_id: WorkspaceId
}

interface FoundWorkspace {
  readonly id: WorkspaceId
  readonly name: string
  readonly plan: Plan
  readonly seats: number
  readonly deleted_at: string | null
}

interface FoundWebhook {
  readonly id: string
  readonly events: ReadonlyArray<string>
  readonly active: boolean
  readonly secret: string
  readonly previous_secret: null
}

interface FoundKey {
  readonly id: string
  readonly secret_hash: string
  readonly scopes: ReadonlyArray<string>
  readonly expires_at: string | null
}

/** Reads what a declaration names as the database has it. */
export const make = Effect.map(Database, ({ read }) => {
  const first = <Row extends object>(text: string, params: ReadonlyArray<unknown>) =>
    Effect.map(runSql<Row>(read, text, params), ([row]) => row)
  return {
    user: (email: string) =>
      first<FoundUser>(
        `SELECT u.id, u.name, u.is_operator AS operator, u.suspended_at IS NOT NULL AS suspended, w.plan, u.workspace_id
        FROM users u JOIN workspaces w ON w.workspace_id = u.workspace_id WHERE u.email_key = $1`,
        [emailKey(email)]
      ),
    workspace: (slug: string) =>
      first<FoundWorkspace>(
        "SELECT workspace_id AS id, name, plan, seats, deleted_at FROM workspaces WHERE slug = $1",
        [slug]
      ),
    role: (workspace_id: string, email: string) =>
      Effect.map(
        first<{ readonly role: Role }>(
          `SELECT m.role FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND u.email_key = $2`,
          [workspace_id, emailKey(email)]
        ),
        (row) => row?.role
      ),
    /** The webhook of the operator: one of a member is left to the members. */
    webhook: (workspace_id: string, url: string) =>
      first<FoundWebhook>(
        `SELECT id, events, active, secret, NULL AS previous_secret FROM webhooks
        WHERE workspace_id = $1 AND url = $2 AND created_by IS NULL AND updated_by IS NULL ORDER BY id LIMIT 1`,
        [workspace_id, url]
      ),
    key: (workspace_id: string, email: string, name: string) =>
      first<FoundKey>(
        `SELECT k.id, k.secret_hash, k.scopes, k.expires_at FROM api_keys k JOIN users u ON u.id = k.user_id
        WHERE k.workspace_id = $1 AND u.email_key = $2 AND k.name = $3 ORDER BY k.id LIMIT 1`,
        [workspace_id, emailKey(email), name]
      )
  }
})
