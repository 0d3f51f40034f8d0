import { scopes } from "../../../services/identity/Scopes.ts"
import type { Role } from "../../../services/Principal.ts"
import { logIn, mailTo, password, register, unsigned } from "../SignIn.ts"
import { type Caller, Crew } from "../Crew.ts"

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Instead of the caller's own, where the call would cost them their credential. */
  readonly headers?: Record<string, string>
}

/** One operation as the documents have it: who may, and what works for who may. */
export interface Operation {
  /** One of them is enough. */
  readonly scopes: ReadonlyArray<string>
  readonly role: Role
  /** Not for API keys. */
  readonly isForPeople: boolean
  /** What an allowed call is answered with. */
  readonly status: number | ((caller: Caller) => number)
  /**
   * A call that works, on something that was made for it. Refused callers get what was made for the owner: `isSpent`
   * is false then, and nothing need be made that others would not get hold of.
   */
  readonly prepare: (crew: Crew, caller: Caller, isSpent: boolean) => Promise<Call>
}

type Prepare = Operation["prepare"]

let made = 0
const fresh = (what: string) => `${what} ${++made}`

const operation = (
  scopes: ReadonlyArray<string>,
  role: Role,
  status: Operation["status"],
  prepare: Prepare,
  isForPeople = false
): Operation => ({ scopes, role, isForPeople, status, prepare })

const plain =
  (method: string, path: string, body?: unknown): Prepare =>
  async () => ({ method, path, body })

/** A call on one thing that is made for it. */
const onA =
  (
    thing: (crew: Crew, caller: Caller) => Promise<string>,
    method: string,
    path: (id: string) => string,
    body?: () => unknown
  ): Prepare =>
  async (crew, caller) => ({ method, path: path(await thing(crew, caller)), body: body?.() })

const note = (crew: Crew) => crew.note()
const notebook = (crew: Crew) => crew.notebook()
const tag = (crew: Crew) => crew.tag()
const template = (crew: Crew) => crew.template()
const member = async (crew: Crew) => (await crew.session("editor")).member_id
const invitation = (crew: Crew) => crew.invitation()
// Of a scope that whoever may rotate it has: nobody gains one by that.
const key = async (crew: Crew, caller: Caller) => (await crew.issue(caller.user_id, ["keys:read"])).key_id
const base =
  (rest = "") =>
  async (crew: Crew) =>
    `/workspaces/${crew.id}${rest}`

/** Within the workspace that the path names. */
const inside =
  (method: string, rest: string, thing?: (crew: Crew) => Promise<string>, body?: () => unknown): Prepare =>
  async (crew) => ({
    method,
    path: (await base(rest)(crew)).replace("{id}", thing === undefined ? "" : await thing(crew)),
    body: body?.()
  })

/** The newest entry of a log that is the owner's to read. */
const newest = (path: string, filter: string) => async (crew: Crew) => {
  const query = new URLSearchParams({ filter })
  const { body } = await crew.app.call("GET", `${path}?${query}`, undefined, crew.owner.headers)
  return body.data[0].id
}

const readsNotes = ["notes:read"]
const writesNotes = ["notes:write"]
const readsWorkspaces = ["profile", "members:read"]
const readsMembers = ["members:read"]
const writesMembers = ["members:write"]
const any = scopes

/**
 * Every operation that needs somebody to have signed in, from the tables of interface.md and contract 4: the scopes
 * beside the resources, and the table of the roles. A write that names no role there is for editors and above.
 */
export const operations: Readonly<Record<string, Operation>> = {
  listNotes: operation(readsNotes, "viewer", 200, plain("GET", "/notes")),
  createNote: operation(writesNotes, "editor", 201, async (crew) => ({
    method: "POST",
    path: "/notes",
    body: { notebook_id: await crew.notebook(), title: fresh("made") }
  })),
  getNote: operation(
    readsNotes,
    "viewer",
    200,
    onA(note, "GET", (id) => `/notes/${id}`)
  ),
  updateNote: operation(
    writesNotes,
    "editor",
    200,
    onA(
      note,
      "PATCH",
      (id) => `/notes/${id}`,
      () => ({ title: fresh("changed") })
    )
  ),
  deleteNote: operation(
    writesNotes,
    "editor",
    200,
    onA(note, "DELETE", (id) => `/notes/${id}`)
  ),
  duplicateNote: operation(
    writesNotes,
    "editor",
    200,
    onA(note, "POST", (id) => `/notes/${id}/duplicate`)
  ),
  archiveNote: operation(
    writesNotes,
    "editor",
    200,
    onA(note, "POST", (id) => `/notes/${id}/archive`)
  ),
  restoreNote: operation(
    writesNotes,
    "editor",
    200,
    onA(
      (crew) => crew.note({ archived: true }),
      "POST",
      (id) => `/notes/${id}/restore`
    )
  ),
  listNoteVersions: operation(
    readsNotes,
    "viewer",
    200,
    onA(note, "GET", (id) => `/notes/${id}/versions`)
  ),
  getNoteVersion: operation(
    readsNotes,
    "viewer",
    200,
    onA(note, "GET", (id) => `/notes/${id}/versions/1`)
  ),
  deleteNoteVersion: operation(
    writesNotes,
    "editor",
    200,
    onA(
      async (crew) => {
        const id = await crew.note()
        await crew.app.call("PATCH", `/notes/${id}`, { body: "second" }, crew.owner.headers)
        return id
      },
      "DELETE",
      (id) => `/notes/${id}/versions/1`
    )
  ),
  restoreNoteVersion: operation(
    writesNotes,
    "editor",
    200,
    onA(
      async (crew) => {
        const id = await crew.note()
        await crew.app.call("PATCH", `/notes/${id}`, { body: "second" }, crew.owner.headers)
        return id
      },
      "POST",
      (id) => `/notes/${id}/versions/1/restore`
    )
  ),

  listTemplates: operation(readsNotes, "viewer", 200, plain("GET", "/templates")),
  createTemplate: operation(writesNotes, "editor", 201, plain("POST", "/templates", { name: "made" })),
  getTemplate: operation(
    readsNotes,
    "viewer",
    200,
    onA(template, "GET", (id) => `/templates/${id}`)
  ),
  updateTemplate: operation(
    writesNotes,
    "editor",
    200,
    onA(
      template,
      "PATCH",
      (id) => `/templates/${id}`,
      () => ({ name: fresh("changed") })
    )
  ),
  deleteTemplate: operation(
    writesNotes,
    "editor",
    200,
    onA(template, "DELETE", (id) => `/templates/${id}`)
  ),
  applyTemplate: operation(
    writesNotes,
    "editor",
    200,
    onA(template, "POST", (id) => `/templates/${id}/apply`)
  ),

  listNotebooks: operation(readsNotes, "viewer", 200, plain("GET", "/notebooks")),
  createNotebook: operation(writesNotes, "editor", 201, plain("POST", "/notebooks", { name: "made" })),
  getNotebook: operation(
    readsNotes,
    "viewer",
    200,
    onA(notebook, "GET", (id) => `/notebooks/${id}`)
  ),
  updateNotebook: operation(
    writesNotes,
    "editor",
    200,
    onA(
      notebook,
      "PATCH",
      (id) => `/notebooks/${id}`,
      () => ({ name: fresh("changed") })
    )
  ),
  deleteNotebook: operation(
    writesNotes,
    "editor",
    200,
    onA(notebook, "DELETE", (id) => `/notebooks/${id}`)
  ),
  moveNotebook: operation(writesNotes, "editor", 200, async (crew) => ({
    method: "POST",
    path: `/notebooks/${await crew.notebook()}/move`,
    body: { parent_id: await crew.notebook() }
  })),

  listTags: operation(readsNotes, "viewer", 200, plain("GET", "/tags")),
  createTag: operation(writesNotes, "editor", 201, async () => ({
    method: "POST",
    path: "/tags",
    body: { name: `made-${++made}` }
  })),
  mergeTags: operation(writesNotes, "editor", 201, async (crew) => ({
    method: "POST",
    path: "/tags/merge",
    body: { source_ids: [await crew.tag()], target_id: await crew.tag() }
  })),
  getTag: operation(
    readsNotes,
    "viewer",
    200,
    onA(tag, "GET", (id) => `/tags/${id}`)
  ),
  updateTag: operation(
    writesNotes,
    "editor",
    200,
    onA(
      tag,
      "PATCH",
      (id) => `/tags/${id}`,
      () => ({ color: "#123456" })
    )
  ),
  deleteTag: operation(
    writesNotes,
    "editor",
    200,
    onA(tag, "DELETE", (id) => `/tags/${id}`)
  ),

  pullChanges: operation(readsNotes, "viewer", 201, plain("POST", "/sync/pull", {})),
  pushChanges: operation(writesNotes, "editor", 201, async () => ({
    method: "POST",
    path: "/sync/push",
    body: { changes: [{ type: "tag", op: "upsert", data: { name: `pushed-${++made}` } }] }
  })),
  streamChanges: operation(readsNotes, "viewer", 200, plain("GET", "/sync/stream")),
  getSyncCursor: operation(readsNotes, "viewer", 200, plain("GET", "/sync/cursor")),
  listDevices: operation(readsNotes, "viewer", 200, plain("GET", "/sync/devices")),
  // A device is one of a workspace once it has synced there.
  deleteDevice: operation(writesNotes, "editor", 200, async ({ app, id }, { email, headers, kind }) => {
    const device = { name: fresh("device"), platform: "test" }
    const there = kind === "key" ? headers : { ...(await logIn(app, email, { device })).headers, "workspace-id": id }
    const { body } = await app.call("POST", "/sync/pull", { device }, there)
    return { method: "DELETE", path: `/sync/devices/${body.device_id}` }
  }),

  searchNotes: operation(readsNotes, "viewer", 201, plain("POST", "/search", { query: "note" })),
  suggestCompletions: operation(readsNotes, "viewer", 200, plain("GET", "/search/suggest?q=no")),

  // Any scope, but only of what it covers.
  listEvents: operation(any, "viewer", 200, plain("GET", "/events")),
  getEvent: operation(
    any,
    "viewer",
    (caller) => (caller.scopes.some((scope) => scope.startsWith("notes:")) ? 200 : 404),
    onA(
      async (crew) => {
        await crew.tag()
        return newest("/events", "resource_type=tag")(crew)
      },
      "GET",
      (id) => `/events/${id}`
    )
  ),
  getUsage: operation(any, "viewer", 200, plain("GET", "/usage")),

  // Keys of one's own are for editors, so that viewers have none to see.
  listApiKeys: operation(["keys:read"], "editor", 200, plain("GET", "/api-keys")),
  createApiKey: operation(["keys:write"], "editor", 201, plain("POST", "/api-keys", { name: "made" })),
  getApiKey: operation(
    ["keys:read"],
    "editor",
    200,
    onA(key, "GET", (id) => `/api-keys/${id}`)
  ),
  deleteApiKey: operation(
    ["keys:write"],
    "editor",
    200,
    onA(key, "DELETE", (id) => `/api-keys/${id}`)
  ),
  rotateApiKey: operation(
    ["keys:write"],
    "editor",
    200,
    onA(key, "POST", (id) => `/api-keys/${id}/rotate`)
  ),

  listAuditEntries: operation(["audit:read"], "admin", 200, plain("GET", "/audit-log")),
  getAuditEntry: operation(
    ["audit:read"],
    "admin",
    200,
    onA(newest("/audit-log", "action=workspace.created"), "GET", (id) => `/audit-log/${id}`)
  ),

  getMe: operation(["profile"], "viewer", 200, plain("GET", "/me")),
  updateMe: operation(["profile"], "viewer", 200, async () => ({
    method: "PATCH",
    path: "/me",
    body: { name: fresh("name") }
  })),
  listSessions: operation(["profile"], "viewer", 200, plain("GET", "/me/sessions")),
  deleteSession: operation(
    ["profile"],
    "viewer",
    200,
    onA(
      async ({ app }, { email }) => (await logIn(app, email)).session_id,
      "DELETE",
      (id) => `/me/sessions/${id}`
    )
  ),

  listWorkspaces: operation(readsWorkspaces, "viewer", 200, plain("GET", "/workspaces")),
  // It will be the caller's own, whatever they are here.
  createWorkspace: operation(writesMembers, "viewer", 201, plain("POST", "/workspaces", { name: "Made" })),
  getWorkspace: operation(readsWorkspaces, "viewer", 200, inside("GET", "")),
  updateWorkspace: operation(
    writesMembers,
    "admin",
    200,
    inside("PATCH", "", undefined, () => ({ name: fresh("Crew") }))
  ),
  deleteWorkspace: operation(writesMembers, "owner", 200, async (crew, caller, isSpent) => {
    const other = isSpent ? await Crew.start(crew.app) : crew
    const headers = isSpent ? (await other.like(caller)).headers : caller.headers
    return { method: "DELETE", path: `/workspaces/${other.id}?confirm=${other.slug}`, headers }
  }),

  listMembers: operation(readsMembers, "viewer", 200, inside("GET", "/members")),
  getMember: operation(readsMembers, "viewer", 200, inside("GET", "/members/{id}", member)),
  updateMember: operation(
    writesMembers,
    "admin",
    200,
    inside("PATCH", "/members/{id}", member, () => ({ role: "viewer" }))
  ),
  // Of others; to leave is for everybody.
  deleteMember: operation(writesMembers, "admin", 200, inside("DELETE", "/members/{id}", member)),

  listInvitations: operation(readsMembers, "admin", 200, inside("GET", "/invitations")),
  createInvitation: operation(
    writesMembers,
    "admin",
    201,
    inside("POST", "/invitations", undefined, () => ({ email: `made-${++made}@sheaf.test` }))
  ),
  getInvitation: operation(readsMembers, "admin", 200, inside("GET", "/invitations/{id}", invitation)),
  deleteInvitation: operation(writesMembers, "admin", 200, inside("DELETE", "/invitations/{id}", invitation)),
  resendInvitation: operation(writesMembers, "admin", 200, inside("POST", "/invitations/{id}/resend", invitation)),
  acceptInvitation: operation(
    writesMembers,
    "viewer",
    200,
    async ({ app }, { email }) => {
      const { id, owner } = await Crew.start(app)
      const { body } = await app.call("POST", `/workspaces/${id}/invitations`, { email }, owner.headers)
      const token = new URL(body.accept_url).searchParams.get("token")
      return { method: "POST", path: "/invitations/accept", body: { token } }
    },
    true
  ),

  logOut: operation(
    any,
    "viewer",
    200,
    async ({ app, id }, { email, headers }, isSpent) => ({
      method: "POST",
      path: "/auth/logout",
      headers: isSpent ? { ...(await logIn(app, email)).headers, "workspace-id": id } : headers
    }),
    true
  ),
  changePassword: operation(
    any,
    "viewer",
    200,
    plain("POST", "/auth/password", { current_password: password, new_password: password }),
    true
  )
}

interface OpenOperation {
  readonly status: number
  readonly prepare: (crew: Crew) => Promise<Call>
}

/** Those that nobody need have signed in for (contract 1): what works without a credential, and with any. */
export const openOperations: Readonly<Record<string, OpenOperation>> = {
  registerUser: {
    status: 201,
    prepare: async () => ({
      method: "POST",
      path: "/auth/register",
      body: { email: `open-${++made}@sheaf.test`, password }
    })
  },
  logIn: {
    status: 200,
    prepare: async ({ owner: { email } }) => ({ method: "POST", path: "/auth/login", body: { email, password } })
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
