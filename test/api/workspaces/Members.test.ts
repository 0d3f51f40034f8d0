import { beforeAll, describe, expect, it } from "vitest"
import type { Policies } from "../../../services/workspaces/Plans.ts"
import type { Role } from "../../../services/Principal.ts"
import { guest, join, register, type Person } from "../../support/people/People.ts"
import { Team } from "../../support/people/Team.ts"
import { planLimits } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const policies: Policies = { signUp: "open", planChanges: "owner", ownedWorkspaces: 0, limits: planLimits }

const { app } = useApp({ settings: { policies } })
let owner: Person

beforeAll(async () => {
  owner = await register(app)
})

const team = () => Team.of(app, owner)

const patch = (
  { members: path }: Pick<Team, "members">,
  who: Person,
  id: string,
  role: unknown,
  headers: object = {}
) => app.call("PATCH", `${path}/${id}`, { role }, { ...who.headers, ...headers })
const remove = ({ members: path }: Pick<Team, "members">, who: Person, id: string) =>
  app.call("DELETE", `${path}/${id}`, undefined, who.headers)
const outcomeOf = ({ status, body }: { status: number; body: any }) => (status === 200 ? 200 : body.code)
const changesOf = (team: Team, from: number) => team.changes(from)
const roleOf = async (id: string) =>
  (await app.sql("SELECT role FROM members WHERE id = $1", [id]))[0]?.role as Role | undefined

describe("GET members", () => {
  it("lists all members for each member, sorted and filtered", async () => {
    const one = await team()
    const [admin, viewer] = [await one.invited("admin"), await one.invited("viewer")]
    const list = async (query = "", who: Person = viewer) =>
      (await app.call("GET", one.members + query, undefined, who.headers)).body
    const { data } = await list("?sort=created_at")
    expect(data.map(({ role }: any) => role).toSorted()).toEqual(["admin", "owner", "viewer"])
    expect(data.find(({ id }: any) => id === admin.member_id)).toEqual({
      id: admin.member_id,
      user_id: admin.user_id,
      role: "admin",
      email: admin.email,
      name: admin.email.split("@")[0],
      created_at: "2026-03-01T12:00:00.000Z"
    })
    const shown = await app.call("GET", `${one.members}/${admin.member_id}`, undefined, viewer.headers)
    expect(shown.body).toEqual(data.find(({ id }: any) => id === admin.member_id))
    const same = { ...viewer.headers, "if-none-match": shown.headers.get("etag")! }
    expect((await app.call("GET", `${one.members}/${admin.member_id}`, undefined, same)).status).toBe(304)
    const roles = async (query: string) => (await list(query)).data.map(({ role }: any) => role)
    expect(await roles("?sort=role")).toEqual(["admin", "owner", "viewer"])
    expect(await roles("?sort=-role&limit=1")).toEqual(["viewer"])
    const first = await list("?sort=email&limit=2")
    const rest = await list(`?sort=email&limit=2&cursor=${first.next_cursor}`)
    expect([...first.data, ...rest.data].map(({ email }: any) => email)).toEqual(
      [admin, owner, viewer].map(({ email }) => email).toSorted()
    )
    expect(await roles(`?filter=email=${admin.email.toUpperCase()}`)).toEqual(["admin"])
    expect(await roles("?filter=email:SHEAF.test AND role=viewer")).toEqual(["viewer"])
    expect(await roles(`?filter=user_id=${owner.user_id}`)).toEqual(["owner"])
    expect((await app.call("GET", `${one.members}?filter=status=x`, undefined, owner.headers)).body.code).toBe(
      "invalid_filter"
    )
  })

  it("requires the scope members:read", async () => {
    const one = await team()
    const stranger = await register(app)
    for (const path of [one.members, `${one.members}/${one.owner.member_id}`]) {
      expect((await app.call("GET", path, undefined, stranger.headers)).body.code).toBe("not_found")
      expect((await app.call("GET", path)).body.code).toBe("not_found")
    }
    const bare = await guest(app, { scopes: ["profile"] })
    expect((await app.call("GET", `/workspaces/${app.workspace_id}/members`, undefined, bare.headers)).body.code).toBe(
      "insufficient_scope"
    )
    const other = await team()
    for (const id of [other.owner.member_id, "mb_none", "%00", "x".repeat(300)]) {
      expect((await app.call("GET", `${one.members}/${id}`, undefined, owner.headers)).status, id).toBe(404)
      expect((await patch(one, owner, id, "viewer")).status, id).toBe(404)
      expect((await remove(one, owner, id)).status, id).toBe(404)
    }
  })
})

describe("PATCH a member", () => {
  it("changes the role and records it, or nothing when the role is the same", async () => {
    const one = await team()
    const editor = await one.invited("editor")
    const from = (await changesOf(one, 0)).length
    const answer = await app.call(
      "PATCH",
      `${one.members}/${editor.member_id}`,
      { role: "admin", user_id: 7, email: null, id: "x" },
      owner.headers
    )
    expect(answer.body).toMatchObject({
      id: editor.member_id,
      user_id: editor.user_id,
      role: "admin",
      email: editor.email
    })
    const again = await patch(one, owner, editor.member_id, "admin", { prefer: "handling=strict" })
    expect(again.body).toEqual(answer.body)
    expect(await changesOf(one, from)).toEqual([
      {
        type: "member.role_changed",
        resource_id: editor.member_id,
        actor_id: owner.user_id,
        data: { user_id: editor.user_id, email: editor.email, from: "editor", to: "admin" }
      }
    ])
    const [entry] = await app.sql(
      "SELECT actor_id, metadata FROM audit_entries WHERE workspace_id = $1 AND action = 'member.role_changed'",
      [one.id]
    )
    expect(entry).toMatchObject({ actor_id: owner.user_id, metadata: { from: "editor", to: "admin" } })
    expect((await patch(one, owner, editor.member_id, "viewer", { "if-match": '"old"' })).body).toMatchObject({
      code: "precondition_failed",
      current_version: answer.headers.get("etag")
    })
    expect(
      (await patch(one, owner, editor.member_id, "viewer", { "if-match": answer.headers.get("etag")! })).status
    ).toBe(200)
    // The new role applies from the next request.
    expect(
      outcomeOf(await app.call("POST", "/notebooks", { name: "x" }, { ...editor.headers, "workspace-id": one.id }))
    ).toBe("insufficient_role")
    for (const wrong of [undefined, null, "king", 7, ""])
      expect((await patch(one, owner, editor.member_id, wrong)).status, String(wrong)).toBe(422)
  })

  it("requires an admin, for roles up to their own, as in the contract", async () => {
    const table: Record<string, string> = {}
    for (const actor of ["owner", "admin", "editor", "viewer"] as const) {
      const one = await team()
      const who = await one.invited(actor)
      for (const of of ["owner", "admin", "editor", "viewer"] as const) {
        const allowed: Array<Role> = []
        for (const to of ["owner", "admin", "editor", "viewer"] as const) {
          const target = await one.invited(of)
          const answer = await patch(one, who, target.member_id, to)
          if (answer.status === 200) allowed.push(to)
          else expect(answer.body.code).toBe("insufficient_role")
          expect(await roleOf(target.member_id)).toBe(answer.status === 200 ? to : of)
        }
        table[`${actor} on ${of}`] = allowed.join(" ")
      }
    }
    const [all, lower] = ["owner admin editor viewer", "admin editor viewer"]
    const entries = (["owner", "admin", "editor", "viewer"] as const).flatMap((actor) =>
      ["owner", "admin", "editor", "viewer"].map((of) => [
        `${actor} on ${of}`,
        actor === "owner" ? all : actor === "admin" && of !== "owner" ? lower : ""
      ])
    )
    expect(table).toEqual(Object.fromEntries(entries))
  })

  it("rejects a change of the last owner, and of the owner of a personal workspace", async () => {
    const one = await team()
    for (const role of ["admin", "editor", "viewer"])
      expect(outcomeOf(await patch(one, owner, one.owner.member_id, role))).toBe("last_owner")
    expect(outcomeOf(await remove(one, owner, one.owner.member_id))).toBe("last_owner")
    const second = await one.invited("owner")
    expect(outcomeOf(await patch(one, second, one.owner.member_id, "admin"))).toBe(200)
    expect(outcomeOf(await remove(one, second, second.member_id))).toBe("last_owner")

    const host = await register(app)
    const [alone] = (await app.call("GET", `/workspaces/${host.workspace_id}/members`, undefined, host.headers)).body
      .data
    const away = await app.call(
      "DELETE",
      `/workspaces/${host.workspace_id}/members/${alone.id}`,
      undefined,
      host.headers
    )
    expect(outcomeOf(away)).toBe("last_owner")
    const home = { members: `/workspaces/${host.workspace_id}/members` }
    const partner = await register(app)
    await join(app, host, host.workspace_id, partner, "owner")
    const [self] = await app.sql("SELECT id FROM members WHERE workspace_id = $1 AND user_id = $2", [
      host.workspace_id,
      host.user_id
    ])
    for (const who of [host, partner]) {
      expect(outcomeOf(await patch(home, who, self.id, "admin"))).toBe("invalid_state")
      expect(outcomeOf(await remove(home, who, self.id))).toBe("invalid_state")
    }
  })

  it("lets exactly one of two admins demote the other when both try at once", async () => {
    for (let round = 0; round < 5; round++) {
      const one = await team()
      const [a, b] = [await one.invited("admin"), await one.invited("admin")]
      const answers = await Promise.all([patch(one, a, b.member_id, "viewer"), patch(one, b, a.member_id, "viewer")])
      expect(answers.map(outcomeOf).map(String).toSorted()).toEqual(["200", "insufficient_role"])
      expect([await roleOf(a.member_id), await roleOf(b.member_id)].toSorted()).toEqual(["admin", "viewer"])
    }
  })
})
