import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Conflict } from "../../../services/Errors.ts"
import { orConflict } from "../../../services/database/UniqueViolations.ts"
import { systemActor } from "../../../services/writer/Actor.ts"
import { Writer } from "../../../services/writer/Writer.ts"
import type { Policies } from "../../../services/workspaces/Plans.ts"
import type { Role } from "../../../services/Principal.ts"
import { guest, register, type Person } from "../../support/people/People.ts"
import { Team } from "../../support/people/Team.ts"
import { EventStream } from "../../support/EventStream.ts"
import { startApp, planLimits } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const policies: Policies = { signUp: "open", planChanges: "owner", ownedWorkspaces: 0, limits: planLimits }

const { app } = useApp({ settings: { policies } })
let owner: Person

beforeAll(async () => {
  owner = await register(app)
})

const team = () => Team.of(app, owner)

const remove = ({ members: path }: Team, who: Person, id: string) =>
  app.call("DELETE", `${path}/${id}`, undefined, who.headers)
const outcomeOf = ({ status, body }: { status: number; body: any }) => (status === 200 ? 200 : body.code)
const changesOf = (team: Team, from: number) => team.changes(from)
const roleOf = async (id: string) =>
  (await app.sql("SELECT role FROM members WHERE id = $1", [id]))[0]?.role as Role | undefined

describe("DELETE a member", () => {
  it("deletes the membership and the member's keys in one commit", async () => {
    const one = await team()
    const editor = await one.invited("editor")
    const inIt = { ...editor.headers, "workspace-id": one.id }
    const keys = [
      await app.call("POST", "/api-keys", { name: "A" }, inIt),
      await app.call("POST", "/api-keys", { name: "B" }, inIt)
    ]
    const secrets = keys.map(({ body }) => ({ authorization: `Bearer ${body.secret}` }))
    const elsewhere = (await app.call("POST", "/api-keys", { name: "At home" }, editor.headers)).body.secret
    for (const headers of secrets) expect((await app.call("GET", "/notebooks", undefined, headers)).status).toBe(200)
    const from = (await changesOf(one, 0)).length
    expect((await remove(one, owner, editor.member_id)).body).toEqual({ deleted: true, id: editor.member_id })
    for (const headers of secrets) expect((await app.call("GET", "/notebooks", undefined, headers)).status).toBe(401)
    expect((await app.call("GET", "/notebooks", undefined, { authorization: `Bearer ${elsewhere}` })).status).toBe(200)
    expect((await app.call("GET", "/notebooks", undefined, inIt)).status).toBe(404)
    expect((await app.call("GET", "/notebooks", undefined, editor.headers)).status).toBe(200)
    expect((await remove(one, owner, editor.member_id)).status).toBe(404)
    const changes = await changesOf(one, from)
    expect(changes.map(({ type }) => type)).toEqual(["api_key.deleted", "api_key.deleted", "member.removed"])
    expect(
      changes
        .slice(0, 2)
        .map(({ resource_id }) => resource_id)
        .toSorted()
    ).toEqual(keys.map(({ body }) => body.id).toSorted())
    expect(changes[2]).toMatchObject({
      actor_id: owner.user_id,
      data: { user_id: editor.user_id, email: editor.email, role: "editor" }
    })
    const left = await app.sql(
      "SELECT action FROM audit_entries WHERE workspace_id = $1 AND action IN ('member.removed', 'api_key.deleted')",
      [one.id]
    )
    expect(left).toHaveLength(3)
  })

  it("lets admins remove members up to admin, owners all members, and every member themselves", async () => {
    const one = await team()
    const admin = await one.invited("admin")
    const rights: Record<string, ReadonlyArray<unknown>> = {}
    for (const actor of ["owner", "admin", "editor", "viewer"] as const) {
      const who = await one.invited(actor)
      const on = async (role: Role) => outcomeOf(await remove(one, who, (await one.invited(role)).member_id))
      rights[actor] = [
        await on("owner"),
        await on("admin"),
        await on("editor"),
        await on("viewer"),
        outcomeOf(await remove(one, who, who.member_id))
      ]
    }
    const no = "insufficient_role"
    expect(rights).toEqual({
      owner: [200, 200, 200, 200, 200],
      admin: [no, 200, 200, 200, 200],
      editor: [no, no, no, no, 200],
      viewer: [no, no, no, no, 200]
    })
    expect(await roleOf(admin.member_id)).toBe("admin")
    const reader = await guest(app, { role: "viewer", scopes: ["members:read"] })
    const [self] = await app.sql("SELECT id FROM members WHERE user_id = $1 AND workspace_id = $2", [
      reader.user_id,
      app.workspace_id
    ])
    expect(
      (await app.call("DELETE", `/workspaces/${app.workspace_id}/members/${self.id}`, undefined, reader.headers)).body
        .code
    ).toBe("insufficient_scope")
  })

  it("removes only one of two owners who leave at once", async () => {
    for (let round = 0; round < 5; round++) {
      const one = await team()
      const other = await one.invited("owner")
      const answers = await Promise.all([remove(one, owner, one.owner.member_id), remove(one, other, other.member_id)])
      expect(answers.map(outcomeOf).map(String).toSorted()).toEqual(["200", "last_owner"])
    }
  })

  it("revokes access and closes streams on another node as soon as it receives the message", async () => {
    const one = await team()
    const viewer = await one.invited("viewer")
    // The clock of this node does not move, so its cache does not expire.
    const other = await startApp({ databaseOf: app, settings: { policies } })
    const headers = { ...viewer.headers, "workspace-id": one.id }
    const there = async () => (await other.call("GET", "/notebooks", undefined, headers)).status
    expect(await there()).toBe(200)
    const stream = await EventStream.open(other, { headers })
    await stream.until(() => stream.events.length > 0)
    expect((await remove(one, owner, viewer.member_id)).status).toBe(200)
    await expect.poll(there).toBe(404)
    await stream.until(() => stream.events.at(-1)?.event === "bye")
    await other.stop()
  })

  it("is enforced by the database: no statement removes the last owner", async () => {
    const one = await team()
    for (const text of [
      "DELETE FROM members WHERE workspace_id = $1",
      "UPDATE members SET role = 'admin' WHERE workspace_id = $1"
    ]) {
      await expect(app.sql(text, [one.id])).rejects.toThrow()
    }
    const lastOwner = new Conflict({ code: "last_owner", detail: "as the caller receives it" })
    const behind = Effect.flatMap(Effect.service(Writer), (writer) =>
      writer
        .writeLocked(one.id, { actor: systemActor }, (draft) =>
          draft.sql.unsafe("DELETE FROM members WHERE workspace_id = $1", [one.id])
        )
        .pipe(orConflict("members_last_owner", lastOwner))
    )
    await expect(app.run(behind)).rejects.toMatchObject({ code: "last_owner" })
    expect(await roleOf(one.owner.member_id)).toBe("owner")
  })
})
