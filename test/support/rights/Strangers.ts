import { makeFactor } from "../factors/Factors.ts"
import { register } from "../people/People.ts"
import { Team } from "../people/Team.ts"
import { invitations, notes, resources, segmentOf } from "../Resources.ts"
import type { TestApp } from "../TestApp.ts"

/** A word in the records of the hidden workspace, and nowhere else. */
export const mark = "Zanzibar"

/** Returns an id of the same form that never existed. */
export const never = (id: string) => `${id.slice(0, 3)}0VZZ${"0".repeat(id.length - 7)}`

export interface Stranger {
  readonly title: string
  readonly headers: Record<string, string>
  /** The headers for the comparison request, which name a workspace that never existed. */
  readonly instead?: Record<string, string>
  /** The expected status: 404, or 401 for a credential that has ended. */
  readonly status: 404 | 401
  /** The credential lacks rights in its own workspace, so the response may be a 403 that names no id. */
  readonly isLimited?: boolean
}

/** Creates a workspace with a record of every resource, and every kind of caller without access to it. */
export const strangersTo = async (app: TestApp) => {
  const [hidden, team] = await Promise.all([Team.start(app, mark), Team.start(app, "Others")])
  const ids: Record<string, string> = {}
  for (const resource of resources) {
    const { named } = resource
    ids[segmentOf(resource)] =
      resource === notes
        ? await hidden.note()
        : await hidden.make(resource, named === undefined ? {} : { [named]: mark })
  }
  ids["users"] = hidden.owner.user_id
  ids["factors"] = await makeFactor(app, hidden.owner.user_id)
  ids["jobs"] = ids["exports"]!
  // None is of a workspace.
  ids["mails"] = ids["backups"] = ids["checks"] = ids["exports"]!
  ids["reverts"] = (await hidden.post(`/change-sets/${ids["change-sets"]}/revert`, { preview: true })).id
  ids["deliveries"] = (await hidden.post(`/webhooks/${ids["webhooks"]}/test`, {})).id
  await hidden.patch(`/notes/${ids["notes"]}`, { title: mark, body: mark, tags: [mark] })
  const roles = ["owner", "admin", "editor", "viewer"] as const
  const keys = await Promise.all(roles.map((role) => team.key(role)))
  const person = await team.member("owner")
  const [invitee, former] = await Promise.all([register(app), hidden.member("admin")])
  await hidden.make(invitations, { email: invitee.email })
  const formerKey = await hidden.issue(former.user_id, ["notes:read", "notes:write"])
  const worked = await app.call("GET", "/notes", undefined, formerKey.headers)
  if (worked.body.data.length === 0) throw new Error("the former member's key never worked")
  await app.call("DELETE", `/workspaces/${hidden.id}/members/${former.member_id}`, undefined, hidden.owner.headers)
  const gone = await Team.start(app)
  const goneKey = await gone.key("owner")
  await app.call("DELETE", `/workspaces/${gone.id}`, undefined, gone.owner.headers)

  const { "workspace-id": _, ...home } = person.headers
  const naming = (headers: Record<string, string>) => ({
    headers: { ...headers, "workspace-id": hidden.id },
    instead: { ...headers, "workspace-id": never(hidden.id) }
  })
  const { "workspace-id": __, ...formerHome } = former.headers
  const living: ReadonlyArray<Omit<Stranger, "status">> = [
    ...keys.map(({ headers, role }) => ({
      title: `key of ${role}`,
      headers,
      isLimited: role === "editor" || role === "viewer"
    })),
    { title: "session at home", headers: home },
    { title: "session elsewhere", headers: person.headers },
    { title: "session that names the workspace", ...naming(home) },
    { title: "invitee", headers: invitee.headers },
    { title: "invitee who names the workspace", ...naming(invitee.headers) },
    { title: "former member", headers: formerHome },
    { title: "former member who names the workspace", ...naming(formerHome) },
    { title: "owner of a deleted workspace", headers: gone.owner.headers }
  ]
  const strangers: ReadonlyArray<Stranger> = [
    ...living.map((each) => ({ ...each, status: 404 as const })),
    { title: "key of a former member", headers: formerKey.headers, status: 401 },
    { title: "key of a deleted workspace", headers: goneKey.headers, status: 401 }
  ]
  return {
    /** The workspace that the strangers must not see. */
    hidden,
    /** The workspace of the strangers. */
    team,
    /** The id of a record in the hidden workspace, by the last path segment of its collection. */
    ids: ids as Readonly<Record<string, string>>,
    strangers
  }
}
