import * as Table from "../storage/Table.ts"

/** A user lives in their personal workspace: its writer orders what happens to them. */
export interface UserRow {
  readonly id: string
  readonly email: string
  readonly email_key: string
  /** Whether mail to the address was read by who has the account, or the operator vouches for it. */
  readonly email_proven: boolean
  readonly name: string
  readonly locale: string
  readonly timezone: string
  /** null: no password was ever set. */
  readonly password_hash: string | null
  readonly created_at: string
}

export const users = Table.make<UserRow>("users", {
  columns: {
    id: "text",
    email: "text",
    email_key: "text",
    email_proven: "boolean",
    name: "text",
    locale: "text",
    timezone: "text",
    password_hash: "text",
    created_at: "text"
  },
  key: ["id"]
})

export interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly device_id: string
  readonly device_name: string
  readonly platform: string
  readonly access_hash: string
  readonly access_expires_at: string
  /** The one before stays good until its time is over: requests under way are not cut off by a refresh. */
  readonly previous_access_hash: string | null
  readonly previous_access_expires_at: string | null
  readonly user_agent: string | null
  readonly ip: string | null
  readonly last_active_at: string
  readonly created_at: string
  readonly expires_at: string
}

export const sessions = Table.make<SessionRow>("sessions", {
  columns: {
    id: "text",
    user_id: "text",
    device_id: "text",
    device_name: "text",
    platform: "text",
    access_hash: "text",
    access_expires_at: "text",
    previous_access_hash: "text",
    previous_access_expires_at: "text",
    user_agent: "text",
    ip: "text",
    last_active_at: "text",
    created_at: "text",
    expires_at: "text"
  },
  key: ["id"]
})

export interface RefreshTokenRow {
  readonly hash: string
  readonly session_id: string
  /** What all tokens of the session begin with, hashed; null of those that were issued before there was one. */
  readonly family: string | null
  readonly used_at: string | null
  readonly expires_at: string
}

/** Of a session that lives: the one to go on with, and the one before it, which may be replayed for a while. */
export const refreshTokens = Table.make<RefreshTokenRow>("refresh_tokens", {
  columns: { hash: "text", session_id: "text", family: "text", used_at: "text", expires_at: "text" },
  key: ["hash"]
})

export interface DeviceRow {
  readonly id: string
  readonly user_id: string
  readonly credential_id: string
  readonly name: string
  readonly platform: string
  readonly last_sync_at: string
  readonly created_at: string
}

/** Devices as a workspace knows them: made at log-in in the personal one, elsewhere when they first sync there. */
export const devices = Table.make<DeviceRow>("devices", {
  columns: {
    id: "text",
    user_id: "text",
    credential_id: "text",
    name: "text",
    platform: "text",
    last_sync_at: "text",
    created_at: "text"
  },
  key: ["id"]
})
