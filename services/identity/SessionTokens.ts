import { Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { Invalid } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { RandomnessShape } from "../Randomness.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { Secrets } from "../secrets/Secrets.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import type { Policies } from "../workspaces/Plans.ts"
import { foreignDevice, isForeign, makeRoom } from "./KnownDevices.ts"
import {
  type App,
  devices,
  refreshTokens,
  type SessionRow,
  sessions,
  type SignedIn,
  type UserRow
} from "./IdentityTables.ts"
import { scopesOf } from "./Scopes.ts"
import type { TokenResponse } from "./Session.ts"
import * as Tokens from "../Tokens.ts"
import type { User } from "./User.ts"

/** Milliseconds for which tokens are valid: one hour and 90 days (contract 4, tokens). */
export const accessLife = 3600_000
export const refreshLife = 90 * 24 * 3600_000
/** Milliseconds after which a session ends, even if it is used: 365 days (contract 4, tokens). */
export const sessionLife = 365 * 24 * 3600_000

/** Maximum number of sessions per user, and of connected apps. The one that was idle for longest ends first. */
const maxSessions = 100

export interface Pair {
  readonly access: Redacted.Redacted
  readonly refresh: Redacted.Redacted
}

/**
 * The parts of a refresh token after `sfr_`: the family, which all tokens of a session share, a secret, a MAC of both,
 * and the checksum of every token. Lengths are in characters. The MAC identifies a token of this server that is no longer
 * stored: only such a token, sent again, ends its session.
 */
const familyLength = 14
const secretLength = 8

const startOf = (refresh: string, length: number): string => refresh.slice("sfr_".length, "sfr_".length + length)

/** Returns the stored hash of a refresh token's family. It identifies the session of a token that is no longer stored. */
export const familyOf = (refresh: string): string => Tokens.digestOf(startOf(refresh, familyLength))

/** Returns the refresh tokens with this start, by the current key and by the previous one. */
const authenticated = (secrets: Secrets["Service"], start: string) =>
  secrets.derivations("refresh-token", Buffer.from(start)).map((mac) => Tokens.of("sfr", mac, start))

/** Returns the family of a well-formed refresh token, or null if this server did not make the token. */
export const provenFamilyOf = (secrets: Secrets["Service"], refresh: string): string | null => {
  const isGenuine = authenticated(secrets, startOf(refresh, familyLength + secretLength)).some((token) =>
    timingSafeEqual(Buffer.from(Redacted.value(token)), Buffer.from(refresh))
  )
  return isGenuine ? familyOf(refresh) : null
}

const fresh = (randomness: RandomnessShape, secrets: Secrets["Service"]): Pair => ({
  access: Tokens.make(randomness, "sfa"),
  refresh: authenticated(secrets, randomness.text(familyLength + secretLength))[0]!
})

/**
 * Returns the successors of a refresh token. They are the same each time, so that a client that lost the response gets it
 * again, and two simultaneous requests get the same one. They can be derived only from both the token and this server's
 * key. During a change of the key there are two: the first is current, the other one may have been issued before.
 */
export const successors = (secrets: Secrets["Service"], refresh: string): readonly [Pair, ...Array<Pair>] => {
  const derived = (kind: "sfa" | "sfr", start?: string) =>
    secrets
      .derivations("session-token", Buffer.from(`${kind}\n${refresh}`))
      .map((bytes) => Tokens.of(kind, bytes, start))
  const following = derived("sfr", startOf(refresh, familyLength)).map(
    (token, index) => authenticated(secrets, startOf(Redacted.value(token), familyLength + secretLength))[index]!
  )
  return derived("sfa").map((access, index) => ({ access, refresh: following[index]! })) as [Pair, ...Array<Pair>]
}

export const userOf = ({
  created_at,
  email,
  id,
  is_operator,
  locale,
  name,
  password_hash,
  security_mails,
  timezone
}: UserRow): User => ({
  id,
  email,
  name,
  locale,
  timezone,
  security_mails,
  operator: is_operator,
  has_password: password_hash !== null,
  created_at
})

/** The tokens of a session, and what belongs to them. */
export interface Issued {
  readonly pair: Pair
  readonly session: SessionRow
  readonly user: UserRow
}

/** Seconds until a time. */
export const secondsUntil = (time: string, now: number): number => Math.floor((Date.parse(time) - now) / 1000)

/** The response to a sign-in, in a draft of the user's personal workspace. */
export const tokensOf = (
  { pair, session, user }: Issued,
  { millis: now, workspace_id }: Pick<LockedDraft, "millis" | "workspace_id">
): TokenResponse => ({
  access_token: Redacted.value(pair.access),
  token_type: "Bearer",
  expires_in: secondsUntil(session.access_expires_at, now),
  refresh_token: Redacted.value(pair.refresh),
  refresh_expires_in: secondsUntil(session.expires_at, now),
  scope: scopesOf(user).join(" "),
  session_id: session.id,
  device_id: session.device_id!,
  workspace_id,
  user: userOf(user)
})

/** Ends a session with all its tokens. */
export const end = (draft: LockedDraft, session: Ending, reason: string): void => {
  draft.remove(sessions, session.id)
  AuditTrail.log(draft, {
    type: "session.revoked",
    resource: "session",
    resource_id: session.id,
    data: { ...(session.app === null ? { device_id: session.device_id } : { app: session.device_name }), reason }
  })
}

/** What the end of a session needs. */
export type Ending = Pick<SessionRow, "id" | "device_id" | "device_name" | "app">

/** Returns the sessions of a user, also those of apps. In a locked draft of their personal workspace. */
export const sessionsOf = (draft: LockedDraft, user_id: string) =>
  draft.runSql<Ending>(
    `SELECT id, device_id, device_name, app FROM sessions WHERE workspace_id = $1 AND user_id = $2
      ORDER BY last_active_at DESC, id DESC`,
    [draft.workspace_id, user_id]
  )

/**
 * Ends all sessions of a user, or all but one, all connected apps, and the codes for which more would be connected. Returns
 * how many have ended. In a locked draft.
 */
export const endAll = Effect.fnUntraced(function* (
  draft: LockedDraft,
  user_id: string,
  reason: string,
  except?: string
) {
  const ending = (yield* sessionsOf(draft, user_id)).filter(({ id }) => id !== except)
  yield* draft.runSql("DELETE FROM authorization_codes WHERE workspace_id = $1 AND user_id = $2", [
    draft.workspace_id,
    user_id
  ])
  for (const session of ending) end(draft, session, reason)
  return ending.length
})

export interface DeviceInput {
  readonly id?: string
  readonly name?: string
  readonly platform?: string
}

/** Returns the device of a sign-in: the given one or a new one. Other devices may end to make room for a new one. */
const deviceFor = Effect.fnUntraced(function* (
  draft: LockedDraft,
  user: UserRow,
  session_id: string,
  input: DeviceInput,
  limits: Policies["limits"]
) {
  if (input.id !== undefined) {
    if (!Ids.isClientMade("sy", input.id)) {
      return yield* Invalid.field("device.id", "invalid", "must be sy_ and 16 to 40 of [0-9A-Za-z_-]")
    }
    const known = yield* draft.get(devices, input.id)
    if (known?.user_id === user.id) return { device: known, ended: [], isNew: false }
    if (known !== undefined || (yield* Effect.orDie(isForeign(draft.sql, user.id, input.id))))
      return yield* foreignDevice
  }
  const ended = yield* makeRoom(draft, user.id, limits)
  const device = {
    id: input.id ?? draft.newId("sy"),
    user_id: user.id,
    credential_id: session_id,
    name: input.name ?? "Unnamed device",
    platform: input.platform ?? "unknown",
    last_sync_at: draft.now,
    created_at: draft.now
  }
  draft.add(devices, device)
  AuditTrail.log(draft, {
    type: "device.registered",
    resource: "device",
    resource_id: device.id,
    data: { name: device.name, platform: device.platform }
  })
  return { device, ended, isNew: true }
})

/** Adds the session of a device or an app, with its first tokens, to a draft of the user's personal workspace. */
const add = (
  draft: LockedDraft,
  user: UserRow,
  pair: Pair,
  own: Pick<SessionRow, "id" | "device_id" | "device_name" | "platform" | "app" | "id_token" | keyof SignedIn>,
  data: object
): SessionRow => {
  const at = (life: number) => new Date(draft.millis + life).toISOString()
  const session: SessionRow = {
    ...own,
    user_id: user.id,
    access_hash: Tokens.digest(pair.access),
    access_expires_at: at(accessLife),
    access_used: false,
    previous_access_hash: null,
    previous_access_expires_at: null,
    user_agent: draft.actor.user_agent?.slice(0, 400).toWellFormed() ?? null,
    ip: draft.actor.ip,
    last_active_at: draft.now,
    authenticated_at: draft.now,
    created_at: draft.now,
    expires_at: at(refreshLife)
  }
  draft.add(sessions, session)
  draft.add(refreshTokens, {
    hash: Tokens.digest(pair.refresh),
    session_id: session.id,
    family: familyOf(Redacted.value(pair.refresh)),
    used_at: null,
    expires_at: session.expires_at
  })
  AuditTrail.log(draft, { type: "session.created", resource: "session", resource_id: session.id, data })
  return session
}

const byPassword = { signed_in_by: "password", second_factor: null } as const

/** Signs a user in, in a draft of their personal workspace. `isNew` is true if the user never signed in on the device. */
export const start = Effect.fnUntraced(function* (
  draft: LockedDraft,
  secrets: Secrets["Service"],
  user: UserRow,
  input: DeviceInput,
  limits: Policies["limits"],
  by: SignedIn & { readonly id_token?: string | null } = byPassword
) {
  const id = draft.newId("se")
  const { device, ended, isNew } = yield* deviceFor(draft, user, id, input, limits)
  const pair = fresh(draft.randomness, secrets)
  const { id: device_id, name: device_name, platform } = device
  const own = { id, device_id, device_name, platform, app: null, id_token: null, ...by }
  const session = add(draft, user, pair, own, { device_id, device_name })
  let others = 0
  for (const old of yield* sessionsOf(draft, user.id)) {
    if (ended.some((device) => device.id === old.device_id)) end(draft, old, "device_revoked")
    else if (old.app === null && ++others >= maxSessions) end(draft, old, "too_many")
  }
  return { tokens: tokensOf({ pair, session, user }, draft), device, isNew }
})

/** Connects an app with given tokens, in a draft of the user's personal workspace. */
export const startApp = Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow, app: App, pair: Pair) {
  const by = { ...(app.signed_in ?? byPassword), id_token: null }
  const own = { id: draft.newId("se"), device_id: null, device_name: app.name, platform: "app", app, ...by }
  const { name, notebooks, scopes } = app
  const data = { app: name, scopes, ...(notebooks === undefined ? {} : { notebooks }) }
  const session = add(draft, user, pair, own, data)
  if (app.workspace_id !== draft.workspace_id) {
    // The log of the workspace in which it acts has it too, for its admins.
    const entry = { action: "session.created", resource: "session", resource_id: session.id, data } as const
    const entryId = AuditTrail.auditId(draft.randomness, draft.millis)
    yield* Effect.orDie(AuditTrail.insertEntry(draft.sql, app.workspace_id, draft.actor, draft.millis, entry, entryId))
  }
  const others = (yield* sessionsOf(draft, user.id)).filter((old) => old.app !== null)
  for (const old of others.slice(maxSessions - 1)) end(draft, old, "too_many")
  return session
})
