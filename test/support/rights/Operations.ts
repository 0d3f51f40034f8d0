import { scopes } from "../../../services/identity/Scopes.ts"
import { makeFactor } from "../factors/Factors.ts"
import { someRequest } from "../oauth/OAuthFlow.ts"
import { mailTo } from "../people/Mail.ts"
import { logIn, password, register, tokenOf, unsigned } from "../people/People.ts"
import { Team } from "../people/Team.ts"
import { changeSets, operationsOf, resources } from "../Resources.ts"
import { adminOperations } from "./AdminOperations.ts"
import { type Call, fresh, type Operation, plain, type Right } from "./Operation.ts"

const operation = (
  { role, scopes }: Right,
  status: number,
  prepare: Operation["prepare"],
  refusesKeys = false
): Operation => ({ scopes, role, status, prepare, refusesKeys })

const reads: Right = { scopes: ["notes:read"], role: "viewer" }
const writes: Right = { scopes: ["notes:write"], role: "editor" }
const profile: Right = { scopes: ["profile"], role: "viewer" }
const any: Right = { scopes, role: "viewer" }

/** An operation on a factor of another user: with a factor, the users of these tests could not sign in again. */
const onFactor =
  (method: string, body?: object): Operation["prepare"] =>
  async ({ app }, { headers }, isSpent) => {
    if (!isSpent) return { method, path: "/me/factors/fa_0123456789abcdef", body, headers }
    const person = await register(app)
    return { method, path: `/me/factors/${await makeFactor(app, person.user_id)}`, body, headers: person.headers }
  }

const madeRevert = async (team: Team): Promise<string> =>
  (await team.post(`/change-sets/${await team.make(changeSets)}/revert`, { preview: true })).id

/**
 * Every operation that requires a credential, with its scopes and role (contract 4). A write for which the contract
 * names no role requires an editor.
 */
export const operations: Readonly<Record<string, Operation>> = {
  ...Object.assign({}, ...resources.map(operationsOf)),
  ...adminOperations,

  pullChanges: operation(reads, 201, plain("POST", "/sync/pull", {})),
  pushChanges: operation(writes, 201, async () => ({
    method: "POST",
    path: "/sync/push",
    body: { changes: [{ type: "tag", op: "upsert", data: { name: fresh("pushed") } }] }
  })),
  streamChanges: operation(reads, 200, plain("GET", "/sync/stream")),
  getSyncCursor: operation(reads, 200, plain("GET", "/sync/cursor")),

  searchNotes: operation(reads, 201, plain("POST", "/search", { query: "note" })),
  suggestCompletions: operation(reads, 200, plain("GET", "/search/suggest?q=no")),

  getRevert: operation(reads, 200, async (team) => ({ method: "GET", path: `/reverts/${await madeRevert(team)}` })),
  listRevertedRecords: operation(reads, 200, async (team) => ({
    method: "GET",
    path: `/reverts/${await madeRevert(team)}/records`
  })),

  getReminderChannels: operation(reads, 200, plain("GET", "/reminders/channels")),

  getUsage: operation(any, 200, plain("GET", "/usage")),

  getMe: operation(profile, 200, plain("GET", "/me")),
  updateMe: operation(profile, 200, async () => ({ method: "PATCH", path: "/me", body: { name: fresh("name") } })),
  deleteMe: operation(
    profile,
    200,
    async ({ app }, { headers }, isSpent) => ({
      method: "DELETE",
      path: "/me",
      body: { current_password: password },
      headers: isSpent ? (await register(app)).headers : headers
    }),
    true
  ),

  acceptInvitation: operation(
    { scopes: ["members:write"], role: "viewer" },
    200,
    async ({ app }, { email }) => {
      const invited = await (await Team.start(app)).post("/workspaces/{workspace_id}/invitations", { email })
      return { method: "POST", path: "/invitations/accept", body: { token: tokenOf({ body: invited }) } }
    },
    true
  ),

  logOut: operation(
    any,
    200,
    async ({ app, id }, { email, headers }, isSpent) => ({
      method: "POST",
      path: "/auth/logout",
      headers: isSpent ? { ...(await logIn(app, email)).headers, "workspace-id": id } : headers
    }),
    true
  ),
  revokeOtherSessions: operation(
    profile,
    200,
    async ({ app }, { headers }, isSpent) => ({
      method: "POST",
      path: "/me/sessions/revoke-others",
      headers: isSpent ? (await register(app)).headers : headers
    }),
    true
  ),
  describeApp: operation(
    profile,
    200,
    async ({ app }) => ({
      method: "POST",
      path: "/me/connected-apps/describe",
      body: { request: await someRequest(app) }
    }),
    true
  ),
  connectApp: operation(
    profile,
    200,
    async ({ app }) => ({ method: "POST", path: "/me/connected-apps", body: { request: await someRequest(app) } }),
    true
  ),
  // The servers of these tests have no provider.
  connectUserIdentity: operation(profile, 404, plain("POST", "/me/identities", { provider: 1 }), true),
  confirmUserIdentity: operation(profile, 404, plain("POST", "/me/identities/confirm", { provider: 1 }), true),
  confirmSignIn: operation(any, 200, plain("POST", "/auth/confirm", { current_password: password }), true),
  listFactors: operation(profile, 200, plain("GET", "/me/factors")),
  updateFactor: operation(profile, 200, onFactor("PATCH", { name: "Phone" }), true),
  deleteFactor: operation(profile, 200, onFactor("DELETE"), true),
  offerFactor: operation(profile, 200, plain("POST", "/me/factors/offers", { kind: "totp" }), true),
  // Other tests have an authenticator.
  addFactor: operation(profile, 409, plain("POST", "/me/factors", { token: "unknown", code: "000000" }), true),
  getRecoveryCodes: operation(profile, 200, plain("GET", "/me/recovery-codes")),
  makeRecoveryCodes: operation(profile, 409, plain("POST", "/me/recovery-codes"), true),
  changePassword: operation(
    any,
    200,
    plain("POST", "/auth/password", { current_password: password, new_password: password }),
    true
  )
}

interface OpenOperation {
  readonly status: number
  readonly prepare: (team: Team) => Promise<Call>
}

/** Operations that require no credential, and also work with any (contract 1). */
export const openOperations: Readonly<Record<string, OpenOperation>> = {
  registerUser: {
    status: 201,
    prepare: async () => ({
      method: "POST",
      path: "/auth/register",
      body: { email: `${fresh("open")}@sheaf.test`, password }
    })
  },
  logIn: {
    status: 200,
    prepare: async ({ owner: { email } }) => ({ method: "POST", path: "/auth/login", body: { email, password } })
  },
  // The servers of these tests have no passkeys, since their address is not HTTPS.
  offerPasskey: { status: 409, prepare: async () => ({ method: "POST", path: "/auth/passkey/options" }) },
  logInByPasskey: {
    status: 401,
    prepare: async () => ({
      method: "POST",
      path: "/auth/passkey",
      body: { token: "unknown", credential: { id: "unknown" } }
    })
  },
  refreshTokens: {
    status: 200,
    prepare: async ({ app }) => ({
      method: "POST",
      path: "/auth/refresh",
      body: { refresh_token: (await register(app)).refresh }
    })
  },
  forgotPassword: {
    status: 200,
    prepare: async ({ owner: { email } }) => ({ method: "POST", path: "/auth/forgot", body: { email } })
  },
  resetPassword: {
    status: 200,
    prepare: async ({ app }) => {
      const { email } = await register(app)
      await unsigned(app, "/auth/forgot", { email })
      const [token] = /sfp_\w+/.exec((await mailTo(app, email))[0]!.text)!
      return { method: "POST", path: "/auth/reset", body: { token, new_password: password } }
    }
  }
}
