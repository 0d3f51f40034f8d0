import { scopes } from "../../services/identity/Scopes.ts"
import { Files, someBytes } from "./Files.ts"
import { eventually } from "./flows/eventually.ts"
import { connectApp } from "./oauth/OAuthFlow.ts"
import { logIn } from "./people/People.ts"
import { type Member, Team } from "./people/Team.ts"
import { fresh, type Operation, plain, type Right } from "./rights/Operation.ts"

/** An operation on one record, besides get, update and delete. */
interface Action {
  /** POST by default. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE"
  /** The rest of the path after the id. */
  readonly rest: string
  /** Makes the body, if a request needs one. */
  readonly body?: (team: Team) => Promise<object>
  /** Brings the record into the state that the operation needs. */
  readonly before?: (team: Team, id: string, caller: Member) => Promise<unknown>
}

/**
 * A resource of the API (contract 3–5), with everything that the tests of all resources need. A new resource gets an
 * entry in `resources` and its own test file.
 */
export interface Resource {
  /** The name in operation ids, as in `getNote`. */
  readonly name: string
  /** The name in the id of the list operation, when it is not the name with an s. */
  readonly plural?: string
  /** The path of the collection. */
  readonly path: string
  /** The prefix of ids. */
  readonly prefix: string
  readonly reads: Right
  readonly writes: Right
  /** The member that contains the name of a record. */
  readonly named?: string
  /**
   * Makes a valid body with different values each time. Omitted when records are not created by a POST to the
   * collection.
   */
  readonly body?: (team: Team) => Promise<object>
  /** Makes the body of a PATCH. Omitted when there is no PATCH. */
  readonly change?: () => object
  /** Operations that do not exist. */
  readonly lacks?: ReadonlyArray<"get" | "delete">
  /** Other operations on one record, by operation id. */
  readonly actions?: Readonly<Record<string, Action>>
  /** Operations of other forms, and exceptions from the usual ones, by operation id. */
  readonly special?: Readonly<Record<string, Partial<Operation>>>
  /**
   * Creates a record on which the caller may run every operation, and returns its id. By default the owner of the team
   * posts the body.
   */
  readonly make?: (team: Team, caller: Member, more: object) => Promise<string>
  /** Names of body members and parameters that contain an id of this resource. */
  readonly references?: ReadonlyArray<string>
  /** How the resource is stored, if clients sync it. */
  readonly synced?: {
    readonly type: string
    readonly table: string
    /** The column that counts its revisions. */
    readonly revision: string
    /** An SQL condition under which a row is deleted for clients. */
    readonly gone?: string
  }
}

const as =
  (role: Right["role"]) =>
  (...scopes: ReadonlyArray<string>): Right => ({ scopes, role })
const viewer = as("viewer")
const editor = as("editor")
const admin = as("admin")

let later = 0

/** Rights of content: viewers read it, editors write it (contract 4). */
const ofNotes = { reads: viewer("notes:read"), writes: editor("notes:write") }

/** Returns the id of the newest entry of a log that the owner may read. */
const newest = async (team: Team, path: string, filter: string): Promise<string> =>
  (await team.get(`${path}?${new URLSearchParams({ filter })}`)).data[0].id

const edited = (team: Team, id: string) => team.patch(`/notes/${id}`, { body: "second" })

export const notebooks: Resource = {
  name: "Notebook",
  path: "/notebooks",
  prefix: "nb",
  ...ofNotes,
  named: "name",
  body: async () => ({ name: fresh("notebook") }),
  change: () => ({ name: fresh("changed") }),
  actions: {
    moveNotebook: { rest: "/move", body: async (team) => ({ parent_id: await team.make(notebooks) }) },
    restoreNotebook: {
      rest: "/restore",
      before: (team, id) => team.app.call("DELETE", `/notebooks/${id}`, undefined, team.owner.headers)
    }
  },
  references: ["notebook_id", "parent_id", "move_notes_to"],
  synced: { type: "notebook", table: "notebooks", revision: "revision" }
}

export const tags: Resource = {
  name: "Tag",
  path: "/tags",
  prefix: "tg",
  ...ofNotes,
  named: "name",
  body: async () => ({ name: fresh("tag") }),
  change: () => ({ color: "#123456" }),
  special: {
    mergeTags: {
      ...ofNotes.writes,
      status: 201,
      prepare: async (team) => ({
        method: "POST",
        path: "/tags/merge",
        body: { source_ids: [await team.make(tags)], target_id: await team.make(tags) }
      })
    }
  },
  references: ["source_ids", "target_id", "sources", "target"],
  synced: { type: "tag", table: "tags", revision: "revision" }
}

export const notes: Resource = {
  name: "Note",
  path: "/notes",
  prefix: "nt",
  ...ofNotes,
  named: "title",
  body: async (team) => ({ notebook_id: await team.make(notebooks), title: fresh("note") }),
  change: () => ({ title: fresh("changed") }),
  actions: {
    editNote: { rest: "/edits", body: async () => ({ append: fresh("appended") }) },
    duplicateNote: { rest: "/duplicate" },
    archiveNote: { rest: "/archive" },
    restoreNote: { rest: "/restore", before: (team, id) => team.post(`/notes/${id}/archive`) },
    renderNote: { method: "GET", rest: "/rendered" },
    listNoteActivity: { method: "GET", rest: "/activity" },
    listNoteLinks: { method: "GET", rest: "/links" },
    listNeighbours: { method: "GET", rest: "/neighbours" },
    listNoteVersions: { method: "GET", rest: "/versions" },
    getNoteVersion: { method: "GET", rest: "/versions/1" },
    deleteNoteVersion: { method: "DELETE", rest: "/versions/1", before: edited },
    restoreNoteVersion: { rest: "/versions/1/restore", before: edited }
  },
  special: {
    listNoteSummaries: { ...ofNotes.reads, prepare: plain("GET", "/notes/summaries") },
    listProperties: { ...ofNotes.reads, prepare: plain("GET", "/properties") },
    findLinkedNote: {
      ...ofNotes.reads,
      prepare: async (team) => ({ method: "GET", path: `/notes/linked?target=${await team.make(notes)}` })
    }
  },
  references: ["note_id"],
  synced: { type: "note", table: "notes", revision: "version", gone: "deleted_at IS NOT NULL" }
}

export const attachments: Resource = {
  name: "Attachment",
  path: "/attachments",
  prefix: "at",
  reads: viewer("files:read", "notes:read"),
  writes: editor("files:write", "notes:write"),
  named: "filename",
  body: async (team) => ({ note_id: await team.make(notes), filename: fresh("file") }),
  change: () => ({ filename: fresh("changed") }),
  // Ready, so that all operations are possible.
  make: async (team, _, more) => {
    const { id } = await team.post("/attachments", {
      note_id: await team.make(notes),
      filename: fresh("file"),
      ...more
    })
    await new Files(team.app).put(await team.get(`/attachments/${id}`), someBytes())
    return id
  },
  actions: {
    completeAttachment: { rest: "/complete" },
    downloadAttachment: { method: "GET", rest: "/download" }
  },
  special: {
    createUpload: {
      ...editor("files:write", "notes:write"),
      status: 201,
      prepare: async (team) => ({
        method: "POST",
        path: await team.at("/attachments/uploads"),
        body: { note_id: await team.make(notes), filename: fresh("file") }
      })
    }
  },
  synced: { type: "attachment", table: "attachments", revision: "revision", gone: "trashed" }
}

/** Viewers may write comments (contract 4). */
export const comments: Resource = {
  name: "Comment",
  path: "/notes/{note_id}/comments",
  prefix: "cm",
  reads: viewer("notes:read"),
  writes: viewer("notes:write"),
  named: "body",
  body: async () => ({ body: fresh("comment") }),
  change: () => ({ body: fresh("changed") }),
  // Written by the caller, so that the caller may run all operations.
  make: async (team, { headers }, more) => {
    const path = await team.at("/notes/{note_id}/comments")
    const made = await team.app.call("POST", path, { body: fresh("comment"), ...more }, headers)
    return made.status === 201 ? made.body.id : (await team.post(path, { body: fresh("comment"), ...more })).id
  },
  references: ["parent_id"],
  synced: { type: "comment", table: "comments", revision: "revision", gone: "trashed" }
}

export const reminders: Resource = {
  name: "Reminder",
  path: "/reminders",
  prefix: "rm",
  ...ofNotes,
  body: async (team) => ({ note_id: await team.note(), remind_at: "2031-05-01T08:00:00Z" }),
  change: () => ({ remind_at: new Date(Date.UTC(2032, 0, 1) + 60_000 * ++later).toISOString() }),
  synced: { type: "reminder", table: "reminders", revision: "revision", gone: "trashed" }
}

export const templates: Resource = {
  name: "Template",
  path: "/templates",
  prefix: "tp",
  ...ofNotes,
  named: "name",
  body: async () => ({ name: fresh("template"), body: "{{date}}" }),
  change: () => ({ name: fresh("changed") }),
  actions: { applyTemplate: { rest: "/apply" } },
  synced: { type: "template", table: "templates", revision: "revision" }
}

/** A push subscription as a browser creates it. */
export const pushSubscription = {
  endpoint: "https://push.example.com/send/9f3b1c",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg"
  }
}

/** Public links. */
export const shares: Resource = {
  name: "Share",
  path: "/shares",
  prefix: "sh",
  ...ofNotes,
  body: async (team) => ({ note_id: await team.make(notes) }),
  change: () => ({ expires_at: "2099-01-01T00:00:00.000Z" })
}

/** The previous export: exports are made one after the other. */
let exported: Promise<unknown> = Promise.resolve()

export const exports: Resource = {
  name: "Export",
  path: "/exports",
  prefix: "ex",
  reads: viewer("export:read"),
  writes: editor("export:write"),
  // Every export gets a later time: only the newest finished exports are kept.
  body: async (team) => {
    await team.app.advance("1 millis")
    return { scope: "notebook", notebook_id: await team.make(notebooks) }
  },
  // Waits until the export is ready, so that its state no longer changes. One at a time, because the number of waiting
  // exports of a workspace is limited.
  make: (team, _, more) => {
    const made = exported.then(async () => {
      const { id } = await team.post("/exports", { ...(await exports.body!(team)), ...more })
      await eventually("the export is ready", async () => (await team.get(`/exports/${id}`)).status === "ready")
      return id as string
    })
    exported = made.catch(() => {})
    return made
  },
  lacks: ["delete"]
}

/** The previous import: imports are made one after the other. */
let brought: Promise<unknown> = Promise.resolve()

export const imports: Resource = {
  name: "Import",
  path: "/imports",
  prefix: "im",
  ...ofNotes,
  body: async () => ({ source: "markdown", filename: `${fresh("file")}.md` }),
  make: (team, _, more) => {
    const made = brought.then(async () => {
      await team.app.advance("1 millis")
      const begun = await team.post("/imports", { ...(await imports.body!(team)), ...more })
      await new Files(team.app).put(begun, Buffer.from("# Brought along"))
      await eventually("the import is done", async () => (await team.get(`/imports/${begun.id}`)).status === "done")
      return begun.id as string
    })
    brought = made.catch(() => {})
    return made
  },
  lacks: ["delete"]
}

export const changeSets: Resource = {
  name: "ChangeSet",
  path: "/change-sets",
  prefix: "cs",
  ...ofNotes,
  lacks: ["delete"],
  make: async (team) => {
    const id = `cs_${fresh("set").padStart(20, "0")}`
    const body = { notebook_id: await team.make(notebooks), title: fresh("Grouped") }
    await team.app.call("POST", "/notes", body, { ...team.owner.headers, "change-set": id })
    return id
  },
  actions: {
    listChangedRecords: { method: "GET", rest: "/records" },
    revertChangeSet: { rest: "/revert" }
  },
  special: { revertChangeSet: { status: 201 } }
}

/** A line in the text of a note. */
export const tasks: Resource = {
  name: "Task",
  path: "/tasks",
  prefix: "tk",
  ...ofNotes,
  named: "text",
  lacks: ["delete"],
  make: async (team, _, more) => {
    const { text = fresh("task") } = more as { readonly text?: string }
    const body = `- [ ] ${text} 📅 2026-12-01\n\nsee [[${text}]]`
    const { id } = await team.post("/notes", { notebook_id: await team.make(notebooks), title: fresh("note"), body })
    return (await team.get(`/tasks?filter=note_id=${id}`)).data[0].id
  },
  // With other words it would have another id.
  change: () => ({ done: true }),
  special: { listLinks: { ...ofNotes.reads, prepare: plain("GET", "/links") } }
}

/** A device belongs to a workspace after its first sync there. */
export const devices: Resource = {
  name: "Device",
  path: "/sync/devices",
  prefix: "sy",
  ...ofNotes,
  named: "name",
  lacks: ["get"],
  make: async ({ app, id }, { email, headers, kind }, more) => {
    const device = { name: fresh("device"), platform: "test", ...more }
    const there = kind === "key" ? headers : { ...(await logIn(app, email, { device })).headers, "workspace-id": id }
    return (await app.call("POST", "/sync/pull", { device }, there)).body.device_id
  },
  actions: {
    getPushSubscription: { method: "GET", rest: "/push" },
    putPushSubscription: { method: "PUT", rest: "/push", body: async () => pushSubscription },
    deletePushSubscription: {
      method: "DELETE",
      rest: "/push",
      before: ({ app }, id, { headers }) => app.call("PUT", `/sync/devices/${id}/push`, pushSubscription, headers)
    }
  }
}

export const events: Resource = {
  name: "Event",
  path: "/events",
  prefix: "ev",
  // Every scope may read events, but only those of resources that it covers.
  reads: viewer(...scopes),
  writes: viewer(...scopes),
  lacks: ["delete"],
  make: async (team) => {
    await team.make(tags)
    return newest(team, "/events", "resource_type=tag")
  },
  special: {
    getEvent: { status: (caller) => (caller.scopes.some((scope) => scope.startsWith("notes:")) ? 200 : 404) }
  }
}

/** Only editors and above have API keys, so viewers have none to read. */
export const apiKeys: Resource = {
  name: "ApiKey",
  path: "/api-keys",
  prefix: "ak",
  reads: editor("keys:read"),
  writes: editor("keys:write"),
  body: async () => ({ name: fresh("key") }),
  change: () => ({ name: fresh("changed") }),
  // With a scope of every caller that may rotate the key: a rotation must not add a scope.
  make: async (team, { user_id }) => (await team.issue(user_id, ["keys:read"])).key_id,
  actions: {
    rotateApiKey: { rest: "/rotate" },
    listKeyRequests: { method: "GET", rest: "/requests" }
  }
}

export const auditEntries: Resource = {
  name: "AuditEntry",
  plural: "AuditEntries",
  path: "/audit-log",
  prefix: "al",
  reads: admin("audit:read"),
  writes: admin("audit:read"),
  lacks: ["delete"],
  make: (team) => newest(team, "/audit-log", "action=workspace.created")
}

export const sessions: Resource = {
  name: "Session",
  path: "/me/sessions",
  prefix: "se",
  reads: viewer("profile"),
  writes: viewer("profile"),
  lacks: ["get"],
  make: async ({ app }, { email }) => (await logIn(app, email)).session_id
}

export const connectedApps: Resource = {
  name: "ConnectedApp",
  path: "/me/connected-apps",
  prefix: "se",
  reads: viewer("profile"),
  writes: viewer("profile"),
  make: async ({ app }, { email }) => {
    const person = await logIn(app, email)
    await connectApp(app, person)
    return (await app.call("GET", "/me/connected-apps", undefined, person.headers)).body.data[0].id
  }
}

let identified = 0

export const userIdentities: Resource = {
  name: "UserIdentity",
  plural: "UserIdentities",
  path: "/me/identities",
  prefix: "ui",
  reads: viewer("profile"),
  writes: viewer("profile"),
  lacks: ["get"],
  make: async ({ app }, { user_id }) => {
    const id = `ui_${fresh("identity").replace(/\W/g, "")}${String(++identified).padStart(20, "0")}`
    await app.sql(
      `INSERT INTO user_identities (workspace_id, id, user_id, issuer, subject, created_at)
      SELECT workspace_id, $2, id, 'https://login.example.org', $2, $3 FROM users WHERE id = $1`,
      [user_id, id, new Date(Date.now()).toISOString()]
    )
    return id
  }
}

export const workspaces: Resource = {
  name: "Workspace",
  path: "/workspaces",
  prefix: "ws",
  reads: viewer("profile", "members:read"),
  writes: admin("members:write"),
  body: async () => ({ name: fresh("Workspace") }),
  change: () => ({ name: fresh("Team") }),
  make: async ({ id }) => id,
  special: {
    // The new workspace belongs to the caller, whatever their role here.
    createWorkspace: { role: "viewer" },
    deleteWorkspace: {
      role: "owner",
      prepare: async (team, caller, isSpent) => {
        const other = isSpent ? await Team.start(team.app) : team
        const headers = isSpent ? (await other.like(caller)).headers : caller.headers
        return { method: "DELETE", path: `/workspaces/${other.id}?confirm=${other.slug}`, headers }
      }
    }
  }
}

export const members: Resource = {
  name: "Member",
  path: "/workspaces/{workspace_id}/members",
  prefix: "mb",
  reads: viewer("members:read"),
  // For other members; every member may leave.
  writes: admin("members:write"),
  change: () => ({ role: "viewer" }),
  make: async (team) => (await team.member("editor")).member_id
}

export const invitations: Resource = {
  name: "Invitation",
  path: "/workspaces/{workspace_id}/invitations",
  prefix: "iv",
  reads: admin("members:read"),
  writes: admin("members:write"),
  body: async () => ({ email: `${fresh("invitee")}@sheaf.test` }),
  actions: { resendInvitation: { rest: "/resend" } }
}

export const webhooks: Resource = {
  name: "Webhook",
  path: "/webhooks",
  prefix: "wh",
  reads: admin("webhooks:read"),
  writes: admin("webhooks:write"),
  // Events that every credential with the right to create webhooks may receive.
  body: async () => ({ url: `https://example.com/${fresh("hook")}`, events: ["webhook.*"] }),
  change: () => ({ url: `https://example.com/${fresh("changed")}` }),
  actions: {
    testWebhook: { rest: "/test" },
    listDeliveries: { method: "GET", rest: "/deliveries" }
  },
  special: {
    retryDelivery: {
      ...admin("webhooks:write"),
      prepare: async (team) => {
        const id = await team.make(webhooks)
        const delivery = await team.post(`/webhooks/${id}/test`, {})
        return { method: "POST", path: `/webhooks/${id}/deliveries/${delivery.id}/retry` }
      }
    }
  }
}

/** All resources. The records of later ones may use records of earlier ones. */
export const resources: ReadonlyArray<Resource> = [
  notebooks,
  tags,
  notes,
  templates,
  attachments,
  comments,
  reminders,
  shares,
  exports,
  imports,
  changeSets,
  tasks,
  devices,
  events,
  apiKeys,
  auditEntries,
  sessions,
  connectedApps,
  userIdentities,
  workspaces,
  members,
  invitations,
  webhooks
]

/** The resources that clients sync. */
export const syncedResources = resources.filter(
  (each): each is Resource & Required<Pick<Resource, "synced">> => each.synced !== undefined
)

/** The last segment of the collection's path, for example `notes`. */
export const segmentOf = ({ path }: Resource): string => path.slice(path.lastIndexOf("/") + 1)

/** Returns a valid body for a request to a path of the API description, if it needs one. */
export const bodyFor = async (team: Team, method: string, path: string): Promise<object | undefined> => {
  // With a factor, the users of these tests could not sign in again: it is no resource of theirs.
  if (method === "PATCH" && path === "/me/factors/{id}") return { name: fresh("Phone") }
  for (const { actions = {}, body, change, path: collection } of resources) {
    if (method === "POST" && path === collection) return body?.(team)
    if (method === "PATCH" && path === `${collection}/{id}`) return change?.()
    for (const { body, method: own = "POST", rest } of Object.values(actions)) {
      if (method === own && path === `${collection}/{id}${rest}`) return body?.(team)
    }
  }
  return undefined
}

const usual = (resource: Resource): Record<string, Operation> => {
  const { actions = {}, body, change, lacks = [], name, path, plural = `${name}s`, reads, writes } = resource
  const found: Record<string, Operation> = {
    [`list${plural}`]: {
      ...reads,
      status: 200,
      prepare: async (team) => ({ method: "GET", path: await team.at(path) })
    }
  }
  const onOne = (right: Right, method: string, { before, body, rest }: Action): Operation => ({
    ...right,
    status: 200,
    prepare: async (team, caller) => {
      const id = await team.make(resource, {}, caller)
      await before?.(team, id, caller)
      return { method, path: `${await team.at(path)}/${id}${rest}`, body: await body?.(team) }
    }
  })
  if (body !== undefined) {
    const prepare = async (team: Team) => ({ method: "POST", path: await team.at(path), body: await body(team) })
    found[`create${name}`] = { ...writes, status: 201, prepare }
  }
  if (!lacks.includes("get")) found[`get${name}`] = onOne(reads, "GET", { rest: "" })
  if (change !== undefined) {
    found[`update${name}`] = onOne(writes, "PATCH", { rest: "", body: async () => change() })
  }
  if (!lacks.includes("delete")) found[`delete${name}`] = onOne(writes, "DELETE", { rest: "" })
  for (const [id, action] of Object.entries(actions)) {
    const { method = "POST" } = action
    found[id] = onOne(method === "GET" ? reads : writes, method, action)
  }
  return found
}

/** Returns the operations of a resource by operation id, with the rights they need (contract 4). */
export const operationsOf = (resource: Resource): Record<string, Operation> => {
  const found = usual(resource)
  for (const [id, special] of Object.entries(resource.special ?? {})) {
    found[id] = { status: 200, ...resource.writes, prepare: plain("GET", resource.path), ...found[id], ...special }
  }
  return found
}
