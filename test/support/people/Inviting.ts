import type { Policies } from "../../../services/workspaces/Plans.ts"
import { register, type Person } from "./People.ts"
import { Team } from "./Team.ts"
import { epoch, planLimits, startApp } from "../TestApp.ts"

const policies: Policies = { signUp: "open", planChanges: "owner", ownedWorkspaces: 0, limits: planLimits }

/** A timestamp `millis` after the start of the test clock, as the API formats it. */
export const after = (millis: number): string => new Date(epoch + millis).toISOString()

/** Starts an App with a workspace whose owner invites users. */
export const startInviting = async () => {
  const app = await startApp({ settings: { policies } })
  const owner = await register(app)
  const team = await Team.of(app, owner, "Team <b>&</b>")
  const workspace = team.id
  const path = `/workspaces/${workspace}/invitations`
  let count = 0
  /** The owner, whose access token expires after one hour of test time; replace it to sign in again. */
  const who = { owner }
  return {
    app,
    who,
    workspace,
    path,
    fresh: () => `invitee-${++count}@sheaf.test`,
    invite: (input: object, by: Person = who.owner, at = path) => app.call("POST", at, input, by.headers),
    accept: (token: string, by: Person) => app.call("POST", "/invitations/accept", { token }, by.headers),
    get: (id: string) => app.call("GET", `${path}/${id}`, undefined, who.owner.headers),
    changesOf: (from = 0) => team.changes(from),
    page: async (token: string) => {
      const response = await fetch(`${new URL(app.url).origin}/invitations/accept?token=${token}`)
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
  }
}
