import type { Plan, Role } from "../Principal.ts"
import type { Reach } from "../Reach.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** The credential that a record ends with (`CredentialTerm.ts`), or null. */
export const ends_with = Column.nullable(Column.text())

/** One row per workspace. Its writer caches it, because every new note needs the plan. */
export const workspaces = Table.make(
  "workspaces",
  {
    name: Column.text(),
    slug: Column.text(),
    plan: Column.text<Plan>(),
    seats: Column.int,
    /** From when members need a sign-in with two factors; null if they do not. */
    second_factor_from: Column.nullable(Column.text()),
    created_at: Column.text(),
    /** The operator can restore it for 30 days. */
    deleted_at: Column.nullable(Column.text()),
    /** When the operator asked for its erasure: then it cannot be restored. */
    purge_at: Column.nullable(Column.text())
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
    /** The address as it was written, for display. */
    email: Column.text(),
    email_key: Column.text(),
    role: Column.text<Role>(),
    token_hash: Column.text(),
    /** Whether the token was only mailed to the address. Otherwise the inviter has seen it too. */
    is_mailed: Column.boolean,
    /** Whether it is neither accepted nor replaced by a later invitation to the same address. */
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

/** API keys, with a digest of the secret. `services/identity/ApiKey.ts` is their public form. */
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
    notebooks: Column.nullable(Column.json<Reach>()),
    expires_at: Column.nullable(Column.text()),
    ends_with,
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type ApiKeyRow = Table.Row<typeof apiKeys>

/**
 * SQL for the user in whose group a workspace shares permits (`RoundRobinQueue.Key`): its first owner, so that a user
 * with several workspaces gets no more permits than a user with one. A workspace without an owner is its own group.
 * `workspace_id` is an SQL expression, such as a qualified column.
 */
export const ownerOf = (workspace_id: string): string =>
  `coalesce((SELECT o.user_id FROM members o WHERE o.workspace_id = ${workspace_id} AND o.role = 'owner'
    ORDER BY o.created_at, o.id LIMIT 1), ${workspace_id})`
