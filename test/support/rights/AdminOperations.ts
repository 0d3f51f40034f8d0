import { eventually } from "../flows/eventually.ts"
import { password, register } from "../people/People.ts"
import { Team } from "../people/Team.ts"
import { fresh, type Operation, plain, type Right } from "./Operation.ts"

const reads: Right = { scopes: ["admin:read"], role: "viewer" }
const writes: Right = { scopes: ["admin:write"], role: "viewer" }

const user = async ({ app }: Team) => (await register(app)).user_id

/** Creates a workspace for the call, or names that of the team if the call will be refused. */
const workspace = async (team: Team, isSpent: boolean, isDeleted = false) => {
  if (!isSpent) return team.id
  const other = await Team.start(team.app)
  if (isDeleted) await team.app.call("DELETE", `/workspaces/${other.id}`, undefined, other.owner.headers)
  return other.id
}

/** An import whose file has not arrived, or an export that has failed. */
const waiting = async (team: Team) => (await team.post("/imports", { source: "markdown" })).id
const failed = async (team: Team) => {
  const { id } = await team.post("/exports", { scope: "workspace", format: "json" })
  await eventually("the export has ended", async () => (await team.get(`/exports/${id}`)).status === "ready")
  await team.app.sql(
    `UPDATE exports SET status = 'failed', error = 'The disk is full', blob = NULL, size_bytes = NULL
    WHERE workspace_id = $1 AND id = $2`,
    [team.id, id]
  )
  return id
}

const mail = async ({ app, id }: Team) => {
  const name = fresh("mail")
  await app.sql(
    `INSERT INTO failed_mails (workspace_id, id, recipient, sealed, attempts, error, created_at, failed_at)
    VALUES ($1, $2, 'to@sheaf.test', '', 1, '550', '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z')`,
    [id, name]
  )
  return name
}

const backup = async ({ app }: Team) => {
  const name = `bk_${fresh("backup").padStart(24, "0")}`
  await app.sql(
    `INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, bytes)
    VALUES ($1, 'manual', '/backup/sheaf.tar.zst', false, '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z', 1)`,
    [name]
  )
  return name
}

const checkRun = async ({ app }: Team) => {
  const name = `cr_${fresh("check").padStart(24, "0")}`
  await app.sql(
    `INSERT INTO check_runs (id, started_at, seen_at, ended_at, results)
    VALUES ($1, '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z', '[]')`,
    [name]
  )
  return name
}

const on =
  (
    method: string,
    path: (id: string) => string,
    make: (team: Team, isSpent: boolean) => Promise<string>,
    body?: object
  ) =>
  async (team: Team, _: unknown, isSpent: boolean) => ({ method, path: path(await make(team, isSpent)), body })

const operation = (right: Right, status: number, prepare: Operation["prepare"]): Operation => ({
  ...right,
  status,
  prepare
})

/** Refused for API keys. */
const bySession = (made: Operation): Operation => ({ ...made, refusesKeys: true })

/** The operations on the whole server (contract 11). Only operators have their scopes. */
export const adminOperations: Readonly<Record<string, Operation>> = {
  adminListUsers: operation(reads, 200, plain("GET", "/admin/users")),
  adminCreateUser: operation(writes, 201, async () => ({
    method: "POST",
    path: "/admin/users",
    body: { email: `${fresh("made")}@sheaf.test`, password }
  })),
  adminGetUser: operation(
    reads,
    200,
    on("GET", (id) => `/admin/users/${id}`, user)
  ),
  adminUpdateUser: operation(
    writes,
    200,
    on("PATCH", (id) => `/admin/users/${id}`, user, { name: "Other" })
  ),
  adminDeleteUser: operation(
    writes,
    200,
    on("DELETE", (id) => `/admin/users/${id}`, user)
  ),
  adminMakePasswordLink: operation(
    writes,
    200,
    on("POST", (id) => `/admin/users/${id}/password-link`, user)
  ),
  adminEndSessions: operation(
    writes,
    200,
    on("POST", (id) => `/admin/users/${id}/end-sessions`, user)
  ),
  adminResetFactors: operation(
    writes,
    200,
    on("POST", (id) => `/admin/users/${id}/reset-factors`, user)
  ),
  adminEndApps: operation(writes, 200, async () => ({
    method: "POST",
    path: "/admin/connected-apps/end",
    body: { client_id: "https://example.com/client" }
  })),

  adminListWorkspaces: operation(reads, 200, plain("GET", "/admin/workspaces")),
  adminGetWorkspace: operation(
    reads,
    200,
    on("GET", (id) => `/admin/workspaces/${id}`, workspace)
  ),
  adminUpdateWorkspace: operation(
    writes,
    200,
    on("PATCH", (id) => `/admin/workspaces/${id}`, workspace, { plan: "plus" })
  ),
  adminDeleteWorkspace: operation(
    writes,
    200,
    on("DELETE", (id) => `/admin/workspaces/${id}`, workspace)
  ),
  adminRestoreWorkspace: operation(
    writes,
    200,
    on(
      "POST",
      (id) => `/admin/workspaces/${id}/restore`,
      (team, isSpent) => workspace(team, isSpent, true)
    )
  ),
  adminPurgeWorkspace: bySession(
    operation(
      writes,
      200,
      on("POST", (id) => `/admin/workspaces/${id}/purge`, workspace)
    )
  ),

  adminListJobs: operation(reads, 200, plain("GET", "/admin/jobs")),
  adminGetJob: operation(
    reads,
    200,
    on("GET", (id) => `/admin/jobs/${id}`, waiting)
  ),
  adminCancelJob: operation(
    writes,
    200,
    on("POST", (id) => `/admin/jobs/${id}/cancel`, waiting)
  ),
  adminRetryJob: operation(
    writes,
    200,
    on("POST", (id) => `/admin/jobs/${id}/retry`, failed)
  ),

  adminReindexWorkspace: operation(
    writes,
    200,
    on("POST", (id) => `/admin/workspaces/${id}/reindex`, workspace)
  ),

  adminListMails: operation(reads, 200, plain("GET", "/admin/mails")),
  adminGetMail: operation(
    reads,
    200,
    on("GET", (id) => `/admin/mails/${id}`, mail)
  ),
  adminTestMail: operation(writes, 200, async () => ({
    method: "POST",
    path: "/admin/mails/test",
    body: { email: "test@sheaf.test" }
  })),
  adminResendMail: operation(
    writes,
    200,
    on("POST", (id) => `/admin/mails/${id}/resend`, mail)
  ),

  adminListBackups: operation(reads, 200, plain("GET", "/admin/backups")),
  // The app has no place for backups.
  adminBeginBackup: operation(writes, 409, plain("POST", "/admin/backups")),
  adminBeginDrill: operation(writes, 409, plain("POST", "/admin/backups/drill")),
  adminGetBackup: operation(
    reads,
    200,
    on("GET", (id) => `/admin/backups/${id}`, backup)
  ),
  adminDownloadBackup: bySession(
    operation(
      writes,
      200,
      on("POST", (id) => `/admin/backups/${id}/download`, backup)
    )
  ),

  adminGetServer: operation(reads, 200, plain("GET", "/admin/server")),
  adminListSettings: operation(reads, 200, plain("GET", "/admin/settings")),
  adminListNodes: operation(reads, 200, plain("GET", "/admin/nodes")),
  adminGetSeries: operation(reads, 200, plain("GET", "/admin/series?range=day")),
  adminListAuditEntries: operation(reads, 200, plain("GET", "/admin/audit-log")),
  adminListChecks: operation(reads, 200, plain("GET", "/admin/checks")),
  adminBeginCheck: operation(writes, 202, async ({ app }, _, isSpent) => {
    if (isSpent) await app.sql("UPDATE check_runs SET ended_at = started_at WHERE ended_at IS NULL")
    return { method: "POST", path: "/admin/checks" }
  }),
  adminGetCheck: operation(
    reads,
    200,
    on("GET", (id) => `/admin/checks/${id}`, checkRun)
  )
}
