import type { Plan, Role } from "../Principal.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** The credential that a record ends with (`CredentialTerm.ts`); null: it ends with none. */
export const ends_with = Column.nullable(Column.text())

/** One row a workspace. Its writer keeps it at hand: the plan is asked for with every note that is made. */
export const workspaces = Table.make(
  "workspaces",
  {
    name: Column.text(),
    slug: Column.text(),
    plan: Column.text<Plan>(),
    seats: Column.int,
    created_at: Column.text(),
    /** The operator can bring it back for 30 days. */
    deleted_at: Column.nullable(Column.text())
  },
  { key: [], resident: true }
)
export type WorkspaceRow = Table.Row<typeof workspaces>

export const members = Table.make(
  "members",
  {
    id: Column.text(),
    user_id: Column.text(),
    role: Column.text<Role>(),
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type MemberRow = Table.Row<typeof members>

export const invitations = Table.make(
  "invitations",
  {
    id: Column.text(),
    /** As it was written, for people. */
    email: Column.text(),
    email_key: Column.text(),
    role: Column.text<Role>(),
    token_hash: Column.text(),
    /** The token went to the address alone; else whoever invites was shown it too. */
    is_mailed: Column.boolean,
    /** Neither accepted nor followed by a later one to the same address. */
    open: Column.boolean,
    expires_at: Column.text(),
    accepted_at: Column.nullable(Column.text()),
    accepted_by: Column.nullable(Column.text()),
    invited_by: Column.text(),
    ends_with,
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type InvitationRow = Table.Row<typeof invitations>

/** Keys, each by the digest of its secret: what is shown of them is in `services/identity/ApiKey.ts`. */
export const apiKeys = Table.make(
  "api_keys",
  {
    id: Column.text(),
    user_id: Column.text(),
    name: Column.text(),
    prefix: Column.text(),
    secret_hash: Column.text(),
    previous_secret_hash: Column.nullable(Column.text()),
    previous_secret_expires_at: Column.nullable(Column.text()),
    scopes: Column.texts(),
    expires_at: Column.nullable(Column.text()),
    ends_with,
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type ApiKeyRow = Table.Row<typeof apiKeys>
