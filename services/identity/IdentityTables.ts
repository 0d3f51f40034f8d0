import type { UserId, WorkspaceId } from "../Ids.ts"
import type { Reach } from "../Reach.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** The row of a user is in their personal workspace, whose writer orders its changes. */
export const users = Table.make(
  "users",
  {
    id: Column.text<UserId>(),
    email: Column.text(),
    email_key: Column.text(),
    /** Whether the user has shown that they read mail to the address, or the operator set it. */
    email_proven: Column.boolean,
    name: Column.text(),
    locale: Column.text(),
    timezone: Column.text(),
    /** null if no password was ever set. */
    password_hash: Column.nullable(Column.text()),
    /** Whether the user gets mails about sign-ins and changes of the account. */
    security_mails: Column.boolean,
    /** Whether the user may administer the server. */
    is_operator: Column.boolean,
    /** Since when all credentials of the user are refused; null if they are not. */
    suspended_at: Column.nullable(Column.text()),
    created_at: Column.text()
  },
  { key: ["id"] }
)
export type UserRow = Table.Row<typeof users>

/** SQL condition that the account with an id, an SQL expression, is deleted: its memberships and keys may not have ended yet. */
export const isDeletedText = (user_id: string): string =>
  `EXISTS (SELECT FROM account_deletions d WHERE d.user_id = ${user_id})`

/** An app that a user has connected (contract 4, Connected apps). */
export interface App {
  /** The URL of its metadata document, or the id of its registration. */
  readonly client_id: string
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  /** The only workspace in which it acts. */
  readonly workspace_id: WorkspaceId
  /** What it reaches there; absent for everything. */
  readonly notebooks?: Reach
  /** The sign-in of the user who connected it; absent if it was by password alone. */
  readonly signed_in?: SignedIn
}

/** What a session began with. A provider asks for the factors that it wants, and a passkey is two at once. */
type SignedInBy = "passkey" | "password" | "provider"

/** What completes a sign-in by password. */
export type SecondFactor = "passkey" | "recovery_code" | "totp"

/** How a session was begun, and completed. */
export type SignedIn = Pick<SessionRow, "signed_in_by" | "second_factor">

/** Sign-ins of users on devices, and apps that they have connected. */
export const sessions = Table.make(
  "sessions",
  {
    id: Column.text(),
    user_id: Column.text(),
    /** null for an app. */
    device_id: Column.nullable(Column.text()),
    /** The name of the app, for an app. */
    device_name: Column.text(),
    platform: Column.text(),
    /** null for a sign-in. */
    app: Column.nullable(Column.json<App>()),
    signed_in_by: Column.text<SignedInBy>(),
    /** null for a sign-in by password alone, and for others. */
    second_factor: Column.nullable(Column.text<SecondFactor>()),
    /** Encrypted; null unless a provider has signed the user in. */
    id_token: Column.nullable(Column.text()),
    access_hash: Column.text(),
    access_expires_at: Column.text(),
    /** Whether the access token was used: the client has received it. */
    access_used: Column.boolean,
    /** The previous token stays valid until it expires, so that a refresh does not break running requests. */
    previous_access_hash: Column.nullable(Column.text()),
    previous_access_expires_at: Column.nullable(Column.text()),
    user_agent: Column.nullable(Column.text()),
    ip: Column.nullable(Column.text()),
    last_active_at: Column.text(),
    /** When the user last authenticated: by the sign-in, or later with any factor. */
    authenticated_at: Column.text(),
    created_at: Column.text(),
    expires_at: Column.text()
  },
  { key: ["id"] }
)
export type SessionRow = Table.Row<typeof sessions>

/** The current refresh token of a session, and the previous one, which may be sent again for a while. */
export const refreshTokens = Table.make(
  "refresh_tokens",
  {
    hash: Column.text(),
    session_id: Column.text(),
    /** The hash of the common start of all tokens of the session; null for tokens that were issued without a family. */
    family: Column.nullable(Column.text()),
    used_at: Column.nullable(Column.text()),
    expires_at: Column.text()
  },
  { key: ["hash"] }
)

/** Tokens that confirm an address, each for the address that it was mailed to. */
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

/** The subjects of OpenID providers that sign a user in. */
export const userIdentities = Table.make(
  "user_identities",
  {
    id: Column.text(),
    user_id: Column.text(),
    issuer: Column.text(),
    subject: Column.text(),
    /** The address that the provider has named last. No sign-in depends on it. */
    email: Column.nullable(Column.text()),
    created_at: Column.text(),
    /** null until it has signed the user in. */
    last_sign_in_at: Column.nullable(Column.text())
  },
  { key: ["id"] }
)
export type UserIdentityRow = Table.Row<typeof userIdentities>

/** Links by which users connect a provider without a sign-in, which the operator makes, by the digests of their tokens. */
export const identityLinks = Table.make(
  "identity_links",
  {
    hash: Column.text(),
    user_id: Column.text(),
    expires_at: Column.text()
  },
  { key: ["hash"] }
)

/** What a user has for a sign-in in addition to the password: authenticator apps (RFC 6238) and passkeys (WebAuthn). */
export const factors = Table.make(
  "factors",
  {
    id: Column.text(),
    user_id: Column.text<UserId>(),
    kind: Column.text<"passkey" | "totp">(),
    name: Column.text(),
    /** Encrypted; null for a passkey. */
    secret: Column.nullable(Column.text()),
    /** The last time step whose code was used: none is used twice. */
    last_step: Column.nullable(Column.bigint),
    /** The id that the authenticator has chosen; this, the key, the counter and the host are null for an authenticator app. */
    credential_id: Column.nullable(Column.text()),
    /** COSE, in base64url. */
    public_key: Column.nullable(Column.text()),
    /** The number of signatures that the authenticator has counted; 0 if it does not count. */
    counter: Column.nullable(Column.bigint),
    /** The host that it is for. */
    rp_id: Column.nullable(Column.text()),
    /** How browsers reach the authenticator of a passkey. */
    transports: Column.texts(),
    created_at: Column.text(),
    last_used_at: Column.nullable(Column.text())
  },
  { key: ["id"] }
)
export type FactorRow = Table.Row<typeof factors>

/** The recovery codes that are left, by their digests. */
export const recoveryCodes = Table.make(
  "recovery_codes",
  { hash: Column.text(), user_id: Column.text() },
  { key: ["hash"] }
)

/** Links that create the first account, by the digests of their tokens. */
export const setupLinks = Table.make(
  "setup_links",
  {
    hash: Column.text(),
    user_id: Column.text(),
    used_at: Column.nullable(Column.text()),
    expires_at: Column.text()
  },
  { key: ["hash"] }
)

/** Devices of a workspace: created at log-in in the personal workspace, in others when they first sync there. */
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
