import type { Plan, Role } from "../Principal.ts"
import * as Table from "../storage/Table.ts"

export interface WorkspaceRow {
  readonly name: string
  readonly slug: string
  readonly plan: Plan
  readonly seats: number
  readonly created_at: string
  /** The operator can bring it back for 30 days. */
  readonly deleted_at: string | null
}

/** One row a workspace. Its writer keeps it at hand: the plan is asked for with every note that is made. */
export const workspaces = Table.make<WorkspaceRow>("workspaces", {
  columns: { name: "text", slug: "text", plan: "text", seats: "int", created_at: "text", deleted_at: "text" },
  key: [],
  resident: true
})

export interface MemberRow {
  readonly id: string
  readonly user_id: string
  readonly role: Role
  readonly created_at: string
}

export const members = Table.make<MemberRow>("members", {
  columns: { id: "text", user_id: "text", role: "text", created_at: "text" },
  key: ["id"]
})

export interface InvitationRow {
  readonly id: string
  /** As it was written, for people. */
  readonly email: string
  readonly email_key: string
  readonly role: Role
  readonly token_hash: string
  /** The token went to the address alone; else whoever invites was shown it too. */
  readonly is_mailed: boolean
  /** Neither accepted nor followed by a later one to the same address. */
  readonly open: boolean
  readonly expires_at: string
  readonly accepted_at: string | null
  readonly accepted_by: string | null
  readonly invited_by: string
  readonly created_at: string
}

export const invitations = Table.make<InvitationRow>("invitations", {
  columns: {
    id: "text",
    email: "text",
    email_key: "text",
    role: "text",
    token_hash: "text",
    is_mailed: "boolean",
    open: "boolean",
    expires_at: "text",
    accepted_at: "text",
    accepted_by: "text",
    invited_by: "text",
    created_at: "text"
  },
  key: ["id"]
})
