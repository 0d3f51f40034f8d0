import type { UserId } from "../Ids.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** A user lives in their personal workspace: its writer orders what happens to them. */
export const users = Table.make(
  "users",
  {
    id: Column.text<UserId>(),
    email: Column.text(),
    email_key: Column.text(),
    /** Whether mail to the address was read by who has the account, or the operator vouches for it. */
    email_proven: Column.boolean,
    name: Column.text(),
    locale: Column.text(),
    timezone: Column.text(),
    /** null: no password was ever set. */
    password_hash: Column.nullable(Column.text()),
    /** Whether they want mails about sign-ins and changes of the account. */
    security_mails: Column.boolean,
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type UserRow = Table.Row<typeof users>

export const sessions = Table.make(
  "sessions",
  {
    id: Column.text(),
    user_id: Column.text(),
    device_id: Column.text(),
    device_name: Column.text(),
    platform: Column.text(),
    access_hash: Column.text(),
    access_expires_at: Column.text(),
    /** The one before stays good until its time is over: requests under way are not cut off by a refresh. */
    previous_access_hash: Column.nullable(Column.text()),
    previous_access_expires_at: Column.nullable(Column.text()),
    user_agent: Column.nullable(Column.text()),
    ip: Column.nullable(Column.text()),
    last_active_at: Column.text(),
    /** When its user last proved to be who they are: by the sign-in, or later by the password. */
    authenticated_at: Column.text(),
    created_at: Column.text(),
    expires_at: Column.text()
  },
  { key: ["id"] }
)
export type SessionRow = Table.Row<typeof sessions>

/** Of a session that lives: the one to go on with, and the one before it, which may be replayed for a while. */
export const refreshTokens = Table.make(
  "refresh_tokens",
  {
    hash: Column.text(),
    session_id: Column.text(),
    /** What all tokens of the session begin with, hashed; null of those that were issued before there was one. */
    family: Column.nullable(Column.text()),
    used_at: Column.nullable(Column.text()),
    expires_at: Column.text()
  },
  { key: ["hash"] }
)
export type RefreshTokenRow = Table.Row<typeof refreshTokens>

/** Tokens that confirm an address, each for the one that it was mailed to. */
export const emailConfirmations = Table.make(
  "email_confirmations",
  {
    hash: Column.text(),
    user_id: Column.text(),
    email_key: Column.text(),
    expires_at: Column.text()
  },
  { key: ["hash"] }
)

/** Devices as a workspace knows them: made at log-in in the personal one, elsewhere when they first sync there. */
export const devices = Table.make(
  "devices",
  {
    id: Column.text(),
    user_id: Column.text(),
    credential_id: Column.text(),
    name: Column.text(),
    platform: Column.text(),
    last_sync_at: Column.text(),
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type DeviceRow = Table.Row<typeof devices>
