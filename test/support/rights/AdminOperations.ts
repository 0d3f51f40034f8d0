import { eventually } from "../flows/eventually.ts"
import { password, register } from "../People.ts"
import { Team } from "../Team.ts"
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
    "UPDATE exports SET status = 'failed', error = 'The disk is full', blob = NULL, size_bytes = NULL WHERE id = $1",
    [id]
  )
  return id
}

const on =
  (
    method: string,
    path: (id: string) => string,
    make: (team: Team, isSpent: boolean) => Promise<string>,
    body?: object
  ) =>
  async (team: Team, _: unknown, isSpent: boolean) => ({ method, path: path(await make(team, isSpent)), body })

const operation = ({ role, scopes }: Right, status: number, prepare: Operation["prepare"]): Operation => ({
  scopes,
  role,
  status,
  prepare
})

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
  adminPurgeWorkspace: operation(
    writes,
    200,
    on("POST", (id) => `/admin/workspaces/${id}/purge`, workspace)
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
  )
}
