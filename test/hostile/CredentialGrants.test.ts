import { beforeAll, describe, expect, it } from "vitest"
import { openApiDocument } from "../../src/server/openapi/OpenApiDocument.ts"
import { connectApp, someRequest } from "../support/oauth/OAuthFlow.ts"
import { logIn, password, register } from "../support/people/People.ts"
import { Team } from "../support/people/Team.ts"
import { EventStream } from "../support/EventStream.ts"
import { fromAnywhere } from "../support/FromAnywhere.ts"
import type { Call } from "../support/rights/Operation.ts"
import { type ApiResponse, epoch } from "../support/TestApp.ts"
import { makeFactor } from "../support/factors/Factors.ts"
import { pushSubscription, userIdentities } from "../support/Resources.ts"
import { useApp } from "../support/useApp.ts"

/**
 * The results of every operation that creates, extends, accepts or ends a credential, for every kind of caller.
 * Credentials named `own…` belong to the user that the operation affects, an admin with an API key of all scopes; the
 * others belong to other members.
 */
const kinds = [
  "ownSession",
  "ownKey",
  "ownEndingKey",
  "ownReplacedSecret",
  "ownNarrowKey",
  "otherSession",
  "otherKey",
  "viewersKey"
] as const
type Kind = (typeof kinds)[number]

interface Bearer {
  readonly secret: string
  readonly user_id: string
  readonly headers: Record<string, string>
  /** When the credential expires, or null. */
  readonly ends: string | null
}

/** The user that an operation affects, with credentials and a device. */
interface Person extends Bearer {
  readonly email: string
  readonly member_id: string
  readonly key_id: string
  /** A device from which the user has signed in and synced in the workspace. */
  readonly device_id: string
}

interface Row {
  readonly operation: string
  /** The variant of the operation, if there are several. */
  readonly title?: string
  readonly call: (person: Person, caller: Bearer) => Promise<Call>
  /** Whether the user or the caller loses what other rows need. */
  readonly spends?: true
  /** The expected status with the problem code: for all kinds, or by kind with `else` for the rest. */
  readonly out: string | { readonly [K in Kind | "else"]?: string }
  /** Checks that a successful call granted no more than the caller has. */
  readonly check?: (answer: ApiResponse, person: Person, caller: Bearer) => Promise<void>
}

const { app } = useApp({ settings: { trustedProxies: ["127.0.0.1"] } })
let team: Team
let stranger: Record<string, string>
let made = 0
const fresh = (what: string) => `${what}-${++made}`
const address = () => `${fresh("grant")}@sheaf.test`

beforeAll(async () => {
  team = await Team.start(app)
  stranger = (await register(app)).headers
})

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const ask = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
  app.call(method, path, body, { ...headers, ...fromAnywhere() })

const keyOf = async (headers: Record<string, string>, input: object = {}) => {
  const { body, status } = await ask("POST", "/api-keys", { name: fresh("key"), ...input }, headers)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as { readonly id: string; readonly secret: string }
}

const personOf = async (): Promise<Person> => {
  const signedIn = await team.member("admin")
  const { id: key_id } = await keyOf(signedIn.headers)
  const second = await logIn(app, signedIn.email)
  await ask("POST", "/sync/pull", {}, { ...second.headers, "workspace-id": team.id })
  return { ...signedIn, secret: signedIn.access, ends: null, key_id, device_id: second.device_id }
}

/** Creates a credential of a kind. A narrow key has one of the operation's scopes. */
const callerOf = async (kind: Kind, person: Person, scope: string): Promise<Bearer> => {
  const withKey = async (owner: Bearer, input: object = {}, ends: string | null = null): Promise<Bearer> => {
    const { secret } = await keyOf(owner.headers, input)
    return { secret, user_id: owner.user_id, headers: bearer(secret), ends }
  }
  const other = async () => {
    const { access, headers, user_id } = await team.member("admin")
    return { secret: access, user_id, headers, ends: null }
  }
  switch (kind) {
    case "ownSession":
      return person
    case "ownKey":
      return withKey(person)
    case "ownEndingKey": {
      const expires_at = new Date(epoch + 3600_000).toISOString()
      return withKey(person, { expires_at }, expires_at)
    }
    case "ownReplacedSecret": {
      const { id, secret } = await keyOf(person.headers)
      const { body } = await ask("POST", `/api-keys/${id}/rotate`, undefined, person.headers)
      return { secret, user_id: person.user_id, headers: bearer(secret), ends: body.previous_secret_expires_at }
    }
    case "ownNarrowKey":
      return withKey(person, { scopes: [scope] })
    case "otherSession":
      return other()
    case "otherKey":
      return withKey(await other())
    case "viewersKey": {
      const { headers, user_id } = await team.key("viewer")
      return { secret: headers["authorization"]!.slice("Bearer ".length), user_id, headers, ends: null }
    }
  }
}

/** Users and callers by kind, which rows share unless they spend them. */
const kept = new Map<string, Promise<Person | Bearer>>()
const once = <A extends Person | Bearer>(name: string, make: () => Promise<A>): Promise<A> => {
  if (!kept.has(name)) kept.set(name, make())
  return kept.get(name) as Promise<A>
}

const partiesOf = async (kind: Kind, scope: string, spends: boolean): Promise<readonly [Person, Bearer]> => {
  const person = await (spends ? personOf() : once(kind, personOf))
  const caller = () => callerOf(kind, person, scope)
  return [person, await (spends ? caller() : once(`${kind} ${kind === "ownNarrowKey" ? scope : ""}`, caller))]
}

const at = (path: string) => `/workspaces/${team.id}${path}`
const forKeys = "403 insufficient_scope"
const forRoles = "403 insufficient_role"
const notMore = "403 scope_not_grantable"
/** An operation that a replaced secret may not use. */
const notReplaced = "403 forbidden"
const whereSignedIn = (session: string, other: string) => ({ ownSession: session, otherSession: other, else: forKeys })
/** An operation on a record that only its owner can see. */
const ownOnly = { else: "200", otherSession: "404 not_found", otherKey: "404 not_found", viewersKey: "404 not_found" }

const signInOnly = (
  operation: string,
  path: string,
  body: (secret: string, person: Person) => object,
  code: string
): Row => ({
  operation,
  title: "with the caller's credential as the proof of identity",
  call: async (person, { secret }) => ({ method: "POST", path, body: body(secret, person) }),
  out: `401 ${code}`
})

const ofDevice = (
  operation: string,
  method: string,
  path: string,
  good: string,
  viewer: string,
  body?: object
): Row => ({
  operation,
  title: "on the user's device",
  call: async ({ device_id }, { headers }) => ({ method, path, body, headers: { ...headers, "device-id": device_id } }),
  // A session always uses its own device.
  out: { else: good, otherKey: "422 validation_failed", viewersKey: viewer }
})

const createKey = (title: string, input: (caller: Bearer) => object, out: Row["out"]): Row => ({
  operation: "createApiKey",
  title,
  call: async (_, caller) => ({ method: "POST", path: "/api-keys", body: { name: fresh("made"), ...input(caller) } }),
  out,
  check: async ({ body }, _, caller) => {
    expect(body.expires_at).toBe(caller.ends)
    const [row] = await app.sql("SELECT user_id FROM api_keys WHERE id = $1", [body.id])
    expect(row.user_id).toBe(caller.user_id)
  }
})

const invitation = async (role: string, email = address()) => {
  const { body } = await ask("POST", at("/invitations"), { email, role }, team.owner.headers)
  return { id: body.id as string, token: new URL(body.accept_url).searchParams.get("token") }
}

const webhookOf = async (): Promise<{ readonly id: string }> => {
  const input = { url: "https://example.com/", events: ["*"] }
  return (await ask("POST", "/webhooks", input, team.owner.headers)).body
}

const rows: ReadonlyArray<Row> = [
  createKey("with the default scopes", () => ({}), { else: "201", viewersKey: forRoles }),
  createKey(
    "with a later expiry than its own",
    ({ ends }) => ({
      expires_at: ends === null ? null : new Date(Date.parse(ends) + 1).toISOString()
    }),
    {
      else: "201",
      ownEndingKey: "422 validation_failed",
      ownReplacedSecret: "422 validation_failed",
      viewersKey: forRoles
    }
  ),
  createKey("with more scopes", () => ({ scopes: ["keys:write", "notes:write", "profile"] }), {
    else: "201",
    ownNarrowKey: notMore,
    viewersKey: forRoles
  }),
  {
    operation: "rotateApiKey",
    title: "of the user's key without expiry",
    call: async ({ key_id }) => ({ method: "POST", path: `/api-keys/${key_id}/rotate` }),
    out: {
      ownSession: "200",
      ownKey: "200",
      ownEndingKey: notMore,
      ownReplacedSecret: notReplaced,
      ownNarrowKey: notMore,
      otherSession: forRoles,
      otherKey: forRoles,
      viewersKey: forRoles
    },
    check: async ({ body }, { user_id }) => {
      expect((await ask("GET", "/me", undefined, bearer(body.secret))).body.id).toBe(user_id)
    }
  },
  {
    operation: "updateApiKey",
    title: "that reaches a notebook, to reach everything",
    call: async ({ headers }) => {
      const { body } = await ask("POST", "/notebooks", { name: fresh("notebook") }, headers)
      const notebooks = [{ id: body.id, access: "write", include_subnotebooks: true }]
      const { id } = await keyOf(headers, { notebooks })
      return { method: "PATCH", path: `/api-keys/${id}`, body: { notebooks: null } }
    },
    out: {
      ownSession: "200",
      ownKey: "200",
      ownEndingKey: notMore,
      ownReplacedSecret: notReplaced,
      ownNarrowKey: notMore,
      otherSession: forRoles,
      otherKey: forRoles,
      viewersKey: forRoles
    }
  },
  {
    operation: "deleteApiKey",
    spends: true,
    call: async ({ key_id }) => ({ method: "DELETE", path: `/api-keys/${key_id}` }),
    out: { else: "200", ownReplacedSecret: notReplaced, viewersKey: forRoles }
  },

  {
    operation: "registerUser",
    call: async (_, { headers }) => ({
      method: "POST",
      path: "/auth/register",
      body: { email: address(), password },
      headers
    }),
    out: "201",
    check: async ({ body }, person, caller) => expect([person.user_id, caller.user_id]).not.toContain(body.user.id)
  },
  signInOnly("logIn", "/auth/login", (secret, { email }) => ({ email, password: secret }), "invalid_credentials"),
  signInOnly("refreshTokens", "/auth/refresh", (secret) => ({ refresh_token: secret }), "invalid_token"),
  signInOnly("resetPassword", "/auth/reset", (secret) => ({ token: secret, new_password: password }), "invalid_token"),
  {
    operation: "forgotPassword",
    call: async ({ email }) => ({ method: "POST", path: "/auth/forgot", body: { email } }),
    out: "200",
    check: async ({ body }) => expect(body).toEqual({ accepted: true })
  },
  {
    operation: "logOut",
    spends: true,
    call: async () => ({ method: "POST", path: "/auth/logout" }),
    out: whereSignedIn("200", "200")
  },
  {
    operation: "changePassword",
    spends: true,
    call: async () => ({
      method: "POST",
      path: "/auth/password",
      body: { current_password: password, new_password: `${password}!` }
    }),
    out: whereSignedIn("200", "200")
  },
  {
    operation: "updateMe",
    spends: true,
    title: "with another e-mail address",
    call: async () => ({ method: "PATCH", path: "/me", body: { email: address(), current_password: password } }),
    out: whereSignedIn("200", "200"),
    check: async ({ body }, _, caller) => expect(body.id).toBe(caller.user_id)
  },
  {
    operation: "deleteMe",
    spends: true,
    call: async () => ({ method: "DELETE", path: "/me", body: { current_password: password } }),
    out: whereSignedIn("200", "200"),
    check: async ({ body }, _, caller) => expect(body.id).toBe(caller.user_id)
  },
  {
    operation: "deleteSession",
    call: async ({ email }) => ({ method: "DELETE", path: `/me/sessions/${(await logIn(app, email)).session_id}` }),
    out: ownOnly
  },

  {
    operation: "deleteConnectedApp",
    call: async ({ email }) => {
      const person = await logIn(app, email)
      await connectApp(app, person)
      const { body } = await app.call("GET", "/me/connected-apps", undefined, person.headers)
      return { method: "DELETE", path: `/me/connected-apps/${body.data[0].id}` }
    },
    out: ownOnly
  },
  {
    operation: "describeApp",
    call: async () => ({
      method: "POST",
      path: "/me/connected-apps/describe",
      body: { request: await someRequest(app) }
    }),
    out: whereSignedIn("200", "200")
  },
  {
    operation: "connectApp",
    call: async () => ({ method: "POST", path: "/me/connected-apps", body: { request: await someRequest(app) } }),
    out: whereSignedIn("200", "200")
  },

  {
    operation: "deleteUserIdentity",
    call: async (person) => ({
      method: "DELETE",
      path: `/me/identities/${await userIdentities.make!(team, { ...person, kind: "key" } as never, {})}`
    }),
    out: ownOnly
  },
  // The server has no provider.
  {
    operation: "connectUserIdentity",
    call: async () => ({ method: "POST", path: "/me/identities", body: { provider: 1 } }),
    out: whereSignedIn("404 not_found", "404 not_found")
  },
  {
    operation: "confirmUserIdentity",
    call: async () => ({ method: "POST", path: "/me/identities/confirm", body: { provider: 1 } }),
    out: whereSignedIn("404 not_found", "404 not_found")
  },

  // Keys and apps change no way to sign in.
  {
    operation: "offerFactor",
    call: async () => ({ method: "POST", path: "/me/factors/offers", body: { kind: "totp" } }),
    out: whereSignedIn("200", "200")
  },
  {
    operation: "addFactor",
    call: async () => ({ method: "POST", path: "/me/factors", body: { token: "unknown", code: "000000" } }),
    out: whereSignedIn("409 invalid_state", "409 invalid_state")
  },
  {
    operation: "updateFactor",
    spends: true,
    call: async ({ user_id }) => ({
      method: "PATCH",
      path: `/me/factors/${await makeFactor(app, user_id)}`,
      body: { name: "Phone" }
    }),
    out: whereSignedIn("200", "404 not_found")
  },
  {
    operation: "deleteFactor",
    spends: true,
    call: async ({ user_id }) => ({ method: "DELETE", path: `/me/factors/${await makeFactor(app, user_id)}` }),
    out: whereSignedIn("200", "404 not_found")
  },
  {
    operation: "makeRecoveryCodes",
    call: async () => ({ method: "POST", path: "/me/recovery-codes" }),
    out: whereSignedIn("409 invalid_state", "409 invalid_state")
  },
  {
    operation: "confirmSignIn",
    call: async () => ({ method: "POST", path: "/auth/confirm", body: { code: "000000" } }),
    out: whereSignedIn("401 invalid_code", "401 invalid_code")
  },
  // The server has no passkeys, since its address is not HTTPS.
  {
    operation: "offerPasskey",
    call: async () => ({ method: "POST", path: "/auth/passkey/options" }),
    out: "409 invalid_state"
  },
  signInOnly(
    "logInByPasskey",
    "/auth/passkey",
    (secret) => ({ token: secret, credential: { id: secret } }),
    "invalid_passkey"
  ),

  {
    operation: "revokeOtherSessions",
    spends: true,
    call: async () => ({ method: "POST", path: "/me/sessions/revoke-others" }),
    out: whereSignedIn("200", "200")
  },

  {
    operation: "createWorkspace",
    call: async () => ({ method: "POST", path: "/workspaces", body: { name: "Made" } }),
    out: "201",
    check: async ({ body }, _, caller) => {
      const [owner] = await app.sql("SELECT user_id FROM members WHERE workspace_id = $1", [body.id])
      expect(owner.user_id).toBe(caller.user_id)
      if (!caller.secret.startsWith("sfk_")) return
      const there = await ask("GET", "/notebooks", undefined, { ...caller.headers, "workspace-id": body.id })
      expect(there.body.code).toBe("workspace_mismatch")
    }
  },
  {
    operation: "updateWorkspace",
    call: async () => ({ method: "PATCH", path: at(""), body: { name: fresh("Team") } }),
    out: { else: "200", viewersKey: forRoles }
  },
  {
    operation: "deleteWorkspace",
    call: async () => ({ method: "DELETE", path: at("") }),
    out: forRoles
  },
  {
    operation: "updateMember",
    title: "promoting the user to owner",
    call: async ({ member_id }) => ({ method: "PATCH", path: at(`/members/${member_id}`), body: { role: "owner" } }),
    out: forRoles
  },
  {
    operation: "deleteMember",
    spends: true,
    call: async ({ member_id }) => ({ method: "DELETE", path: at(`/members/${member_id}`) }),
    out: { else: "200", viewersKey: forRoles },
    check: async (_, { key_id }) => expect(await app.sql("SELECT id FROM api_keys WHERE id = $1", [key_id])).toEqual([])
  },

  {
    operation: "createInvitation",
    title: "for the same role",
    call: async () => ({ method: "POST", path: at("/invitations"), body: { email: address(), role: "admin" } }),
    out: { else: "201", ownReplacedSecret: notReplaced, viewersKey: forRoles }
  },
  {
    operation: "createInvitation",
    title: "for a higher role",
    call: async () => ({ method: "POST", path: at("/invitations"), body: { email: address(), role: "owner" } }),
    out: { else: forRoles, ownReplacedSecret: notReplaced }
  },
  {
    operation: "resendInvitation",
    title: "for a higher role",
    call: async () => ({ method: "POST", path: at(`/invitations/${(await invitation("owner")).id}/resend`) }),
    out: { else: forRoles, ownReplacedSecret: notReplaced }
  },
  {
    operation: "deleteInvitation",
    title: "for a higher role",
    call: async () => ({ method: "DELETE", path: at(`/invitations/${(await invitation("owner")).id}`) }),
    out: forRoles
  },
  {
    operation: "acceptInvitation",
    title: "sent to the user",
    call: async ({ email }) => {
      const elsewhere = await Team.start(app)
      const { body } = await ask("POST", `/workspaces/${elsewhere.id}/invitations`, { email }, elsewhere.owner.headers)
      return {
        method: "POST",
        path: "/invitations/accept",
        body: { token: new URL(body.accept_url).searchParams.get("token") }
      }
    },
    out: whereSignedIn("200", "409 invalid_state")
  },

  ofDevice("pullChanges", "POST", "/sync/pull", "201", "422 validation_failed", {}),
  ofDevice("pushChanges", "POST", "/sync/push", "201", forRoles, { changes: [] }),
  ofDevice("streamChanges", "GET", "/sync/stream", "200", "422 validation_failed"),
  {
    operation: "getSyncCursor",
    call: async () => ({ method: "GET", path: "/sync/cursor" }),
    out: "200",
    // A cursor is a position, and grants no access to another workspace.
    check: async ({ body }) =>
      expect((await ask("POST", "/sync/pull", { cursor: body.cursor }, stranger)).status).toBe(400)
  },
  {
    operation: "deleteDevice",
    spends: true,
    call: async ({ device_id }) => ({ method: "DELETE", path: `/sync/devices/${device_id}` }),
    out: { else: "200", otherSession: "404 not_found", otherKey: "404 not_found", viewersKey: forRoles }
  },
  {
    operation: "putPushSubscription",
    call: async ({ device_id }) => ({ method: "PUT", path: `/sync/devices/${device_id}/push`, body: pushSubscription }),
    out: { else: "200", otherSession: "404 not_found", otherKey: "404 not_found", viewersKey: forRoles },
    // The subscription ends with the credential that created it.
    check: async (_, { device_id }, { ends, secret, user_id }) => {
      const [row] = await app.sql(
        `SELECT p.user_id, k.expires_at, k.id IS NULL AS is_session FROM push_subscriptions p
        LEFT JOIN api_keys k ON k.workspace_id = p.workspace_id AND k.id = p.key_id
        WHERE p.workspace_id = $1 AND device_id = $2`,
        [team.id, device_id]
      )
      expect(row.user_id).toBe(user_id)
      expect(row.is_session).toBe(!secret.startsWith("sfk_"))
      // A replaced secret expires before its key.
      if (ends === null) expect(row.expires_at).toBeNull()
    }
  },
  {
    operation: "createWebhook",
    title: "of all events",
    call: async () => ({ method: "POST", path: "/webhooks", body: { url: "https://example.com/", events: ["*"] } }),
    out: { else: "201", ownReplacedSecret: notReplaced, viewersKey: forRoles },
    // A webhook receives only what its creator may read.
    check: async ({ body }, _, { headers }) => {
      const [row] = await app.sql("SELECT scopes FROM webhooks WHERE id = $1", [body.id])
      const mayReadNotes = (await ask("GET", "/notes", undefined, headers)).status === 200
      expect(row.scopes.includes("notes:read")).toBe(mayReadNotes)
      await app.sql("DELETE FROM webhooks WHERE id = $1", [body.id])
    }
  },
  {
    operation: "createWebhook",
    title: "of notes",
    call: async () => ({
      method: "POST",
      path: "/webhooks",
      body: { url: "https://example.com/", events: ["note.*"] }
    }),
    out: { else: "201", ownNarrowKey: "403 insufficient_scope", ownReplacedSecret: notReplaced, viewersKey: forRoles }
  },
  {
    operation: "listWebhooks",
    call: async () => ({ method: "GET", path: "/webhooks" }),
    out: { else: "200", viewersKey: forRoles },
    check: async ({ body }) => {
      for (const { secret } of body.data) expect(secret).toBeNull()
    }
  },
  {
    operation: "getWebhook",
    call: async () => ({ method: "GET", path: `/webhooks/${(await webhookOf()).id}` }),
    out: { else: "200", viewersKey: forRoles },
    check: async ({ body }) => expect(body.secret).toBeNull()
  },
  {
    operation: "updateWebhook",
    title: "with a secret chosen by the caller",
    call: async () => {
      const { id } = await webhookOf()
      return { method: "PATCH", path: `/webhooks/${id}`, body: { rotate_secret: true } }
    },
    out: { else: "200", ownReplacedSecret: notReplaced, viewersKey: forRoles },
    check: async ({ body }, _, { headers }) => {
      const [row] = await app.sql("SELECT scopes FROM webhooks WHERE id = $1", [body.id])
      const mayReadNotes = (await ask("GET", "/notes", undefined, headers)).status === 200
      expect(row.scopes.includes("notes:read")).toBe(mayReadNotes)
    }
  },
  {
    operation: "deleteWebhook",
    call: async () => ({ method: "DELETE", path: `/webhooks/${(await webhookOf()).id}` }),
    out: { else: "200", viewersKey: forRoles }
  },
  {
    operation: "testWebhook",
    call: async () => ({ method: "POST", path: `/webhooks/${(await webhookOf()).id}/test` }),
    out: { else: "200", viewersKey: forRoles }
  },
  {
    operation: "retryDelivery",
    call: async () => {
      const { id } = await webhookOf()
      const { body } = await ask("POST", `/webhooks/${id}/test`, undefined, team.owner.headers)
      return { method: "POST", path: `/webhooks/${id}/deliveries/${body.id}/retry` }
    },
    out: { else: "200", viewersKey: forRoles }
  },
  {
    operation: "deletePushSubscription",
    call: async (person) => {
      const path = `/sync/devices/${person.device_id}/push`
      await ask("PUT", path, pushSubscription, person.headers)
      return { method: "DELETE", path }
    },
    out: { else: "200", otherSession: "404 not_found", otherKey: "404 not_found", viewersKey: forRoles }
  }
]

const document = openApiDocument("http://sheaf.test") as any
const operations = new Map<string, { readonly method: string; readonly each: any }>(
  Object.values<any>(document.paths).flatMap((item) =>
    Object.entries<any>(item).map(([method, each]) => [each.operationId as string, { method, each }] as const)
  )
)

/** Returns the names of all members that a successful response may have, at any depth. */
const membersOf = (schema: any, seen = new Set<unknown>()): ReadonlyArray<string> => {
  if (schema === null || typeof schema !== "object" || seen.has(schema)) return []
  seen.add(schema)
  const { $ref } = schema
  if (typeof $ref === "string")
    return membersOf(
      $ref
        .split("/")
        .slice(1)
        .reduce((node, part) => node[part], document),
      seen
    )
  const own = typeof schema.properties === "object" ? Object.keys(schema.properties) : []
  return [...own, ...Object.values(schema).flatMap((value) => membersOf(value, seen))]
}

const answersWithSecret = (each: any): boolean =>
  Object.entries<any>(each.responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, response]) => membersOf(response))
    // An `upload_url` is valid for one upload within 15 minutes: test/api/notes/Attachments.test.ts, Imports.test.ts.
    // A `download_url` is valid for one export, as long as that of an attachment: test/api/transfers/Exports.test.ts.
    .some(
      (name) =>
        /secret$|(^|_)token$|_url$/.test(name) &&
        !name.startsWith("previous_") &&
        !["upload_url", "download_url"].includes(name)
    )

/** Tags of operations on content and logs, which neither accept nor return a credential. */
const contentTags = [
  "Notes",
  "Notebooks",
  "Tags",
  "Templates",
  "Attachments",
  "Comments",
  "Reminders",
  "Shares",
  "Exports",
  "Imports",
  "Change sets",
  "Links, tasks and properties",
  "Search",
  "Events",
  "Audit log",
  "Usage"
]

const needsRow = ({ each, method }: { readonly method: string; readonly each: any }): boolean => {
  // Those of operators have a test of their own: test/api/admin/Admin.test.ts.
  if (each.operationId?.startsWith("admin") === true) return false
  // Those of OAuth take no credential: test/api/identity/ConnectedApps.test.ts.
  if (each.servers !== undefined) return false
  const isOfContent = each.tags.every((tag: string) => contentTags.includes(tag))
  return (
    answersWithSecret(each) ||
    (!isOfContent && method !== "get") ||
    each.operationId === "streamChanges" ||
    each.operationId === "getSyncCursor"
  )
}

describe("operations on credentials", () => {
  it("the table contains every operation that creates, extends or ends a credential", () => {
    const needed = [...operations].filter(([id, each]) => id !== undefined && needsRow(each)).map(([id]) => id)
    expect(needed.length).toBeGreaterThan(20)
    expect(needed.filter((id) => !rows.some(({ operation }) => operation === id))).toEqual([])
    expect(rows.map(({ operation }) => operation).filter((id) => !needed.includes(id))).toEqual([])
  })

  it.each(rows.map((row) => ({ title: "in general", ...row })))(
    "$operation, $title",
    async ({ call, check, operation, out, spends }) => {
      const scope = operations.get(operation)!.each["x-required-scopes"]?.[0] ?? "notes:read"
      const results = await Promise.all(
        kinds.map(async (kind) => {
          const [person, caller] = await partiesOf(kind, scope, spends === true)
          const { body, headers = caller.headers, method, path } = await call(person, caller)
          if (operation === "streamChanges") {
            const stream = await EventStream.open(app, { headers })
            stream.status === 200 ? stream.close() : await stream.ended()
            return [kind, stream.status === 200 ? "200" : `${stream.status} ${JSON.parse(stream.text).code}`] as const
          }
          const answer = await ask(method, path, body, headers)
          if (answer.status < 300) await check?.(answer, person, caller)
          return [kind, answer.status < 300 ? `${answer.status}` : `${answer.status} ${answer.body.code}`] as const
        })
      )
      const expected = kinds.map((kind) => [kind, typeof out === "string" ? out : (out[kind] ?? out.else)])
      expect(Object.fromEntries(results)).toEqual(Object.fromEntries(expected))
    }
  )
})
