import type { Role } from "../../../services/Principal.ts"
import { invitations } from "../Resources.ts"
import type { Call } from "./Operation.ts"
import type { Member, Team } from "../people/Team.ts"

/** A use of an operation with its own required role (contract 4, table of roles). */
export interface Variant {
  readonly title: string
  readonly role: Role
  readonly status?: number
  /** Whether the call ends the caller's membership. */
  readonly endsCaller?: boolean
  readonly prepare: (team: Team, caller: Member) => Promise<Call>
}

let made = 0

const workspace = (title: string, role: Role, body: () => object): Variant => ({
  title,
  role,
  prepare: async ({ id }) => ({ method: "PATCH", path: `/workspaces/${id}`, body: body() })
})

const onMember = (title: string, role: Role, of: Role, method: string, body?: object): Variant => ({
  title,
  role,
  prepare: async (team) => ({
    method,
    path: `/workspaces/${team.id}/members/${(await team.member(of)).member_id}`,
    body
  })
})

const onInvitation = (title: string, role: Role, of: Role, method: string, rest = ""): Variant => ({
  title,
  role,
  prepare: async (team) => ({
    method,
    path: `/workspaces/${team.id}/invitations/${await team.make(invitations, { role: of })}${rest}`
  })
})

const inviting = (title: string, role: Role, as: Role): Variant => ({
  title,
  role,
  status: 201,
  prepare: async ({ id }) => ({
    method: "POST",
    path: `/workspaces/${id}/invitations`,
    body: { email: `variant-${++made}@sheaf.test`, role: as }
  })
})

export const variants: ReadonlyArray<Variant> = [
  workspace("renaming the workspace", "admin", () => ({ name: `Variant ${++made}` })),
  workspace("changing the slug of the workspace", "owner", () => ({ slug: `variant-${++made}` })),
  {
    title: "changing the plan",
    role: "owner",
    prepare: async ({ app, id, owner }) => {
      const path = `/workspaces/${id}`
      const { body } = await app.call("GET", path, undefined, owner.headers)
      return { method: "PATCH", path, body: { plan: body.plan === "team" ? "plus" : "team" } }
    }
  },
  workspace("changing the number of seats", "owner", () => ({ seats: 100 + ++made })),
  onMember("promoting an editor to admin", "admin", "editor", "PATCH", { role: "admin" }),
  onMember("demoting an admin to editor", "admin", "admin", "PATCH", { role: "editor" }),
  onMember("promoting an admin to owner", "owner", "admin", "PATCH", { role: "owner" }),
  onMember("demoting an owner to admin", "owner", "owner", "PATCH", { role: "admin" }),
  onMember("removing an admin", "admin", "admin", "DELETE"),
  onMember("removing an owner", "owner", "owner", "DELETE"),
  {
    title: "leaving the workspace",
    role: "viewer",
    endsCaller: true,
    prepare: async ({ id }, { member_id }) => ({ method: "DELETE", path: `/workspaces/${id}/members/${member_id}` })
  },
  inviting("inviting an admin", "admin", "admin"),
  inviting("inviting an owner", "owner", "owner"),
  onInvitation("revoking the invitation of an admin", "admin", "admin", "DELETE"),
  onInvitation("revoking the invitation of an owner", "owner", "owner", "DELETE"),
  onInvitation("resending the invitation of an owner", "owner", "owner", "POST", "/resend")
]
