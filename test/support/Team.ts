import type { WorkspaceId } from "../../services/Ids.ts"
import type { Role } from "../../services/Principal.ts"
import { register, type SignedIn } from "./SignIn.ts"
import type { TestApp } from "./TestApp.ts"

/** A further workspace of a person. */
export const workspaceOf = async (app: TestApp, owner: SignedIn, name = "Team"): Promise<WorkspaceId> => {
  const answer = await app.call("POST", "/workspaces", { name }, owner.headers)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.id
}

/** Invites a person, who accepts; answers with the member's id. */
export const join = async (
  app: TestApp,
  owner: SignedIn,
  workspace: string,
  invitee: SignedIn,
  role: Role
): Promise<string> => {
  const { email } = invitee
  const invited = await app.call("POST", `/workspaces/${workspace}/invitations`, { email, role }, owner.headers)
  if (invited.status !== 201) throw new Error(invited.text)
  const token = new URL(invited.body.accept_url).searchParams.get("token")
  const accepted = await app.call("POST", "/invitations/accept", { token }, invitee.headers)
  if (accepted.status !== 200) throw new Error(accepted.text)
  const [member] = await app.sql("SELECT id FROM members WHERE workspace_id = $1 AND user_id = $2", [
    workspace,
    invitee.user_id
  ])
  return member.id
}

/** What the log of a workspace tells, from a place on. */
export const changesIn = async (app: TestApp, workspace: string, from: number): Promise<ReadonlyArray<any>> =>
  (
    await app.sql("SELECT type, resource_id, actor_id, data FROM changes WHERE workspace_id = $1 ORDER BY seq", [
      workspace
    ])
  ).slice(from)

export interface Joined extends SignedIn {
  /** The member's. */
  readonly id: string
}

export interface Team {
  readonly workspace: WorkspaceId
  /** Of its members. */
  readonly path: string
  /** The member's id of who founded it. */
  readonly first: string
  readonly add: (role: Role) => Promise<Joined>
}

/** A further workspace of a person, to which others can be added. */
export const teamOf = async (app: TestApp, owner: SignedIn): Promise<Team> => {
  const workspace = await workspaceOf(app, owner)
  const path = `/workspaces/${workspace}/members`
  const first = (await app.call("GET", path, undefined, owner.headers)).body.data[0].id
  const add = async (role: Role) => {
    const one = await register(app)
    return { ...one, id: await join(app, owner, workspace, one, role) }
  }
  return { workspace, path, first, add }
}
