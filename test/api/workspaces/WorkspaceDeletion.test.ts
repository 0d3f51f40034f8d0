import { beforeAll, describe, expect, it } from "vitest"
import { Effect } from "effect"
import { planDefaults, type Policies } from "../../../services/workspaces/Plans.ts"
import { Workspaces } from "../../../services/workspaces/Workspaces.ts"
import { EventStream } from "../../support/EventStream.ts"
import { register, type Person, workspaceOf } from "../../support/people/People.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const policies: Policies = { signUp: "open", planChanges: "owner", ownedWorkspaces: 10, limits: planDefaults }

const { app } = useApp({ settings: { policies: { ...policies, ownedWorkspaces: 0 } } })
let anna: Person

beforeAll(async () => {
  anna = await register(app)
})

const create = (input: object, who = anna) => app.call("POST", "/workspaces", input, who.headers)
const operator = <A, E>(use: (workspaces: typeof Workspaces.Service) => Effect.Effect<A, E>) =>
  app.run(Effect.flatMap(Effect.service(Workspaces), use))
const changesOf = (workspace: string) =>
  app.sql("SELECT type, resource_id, actor_id, data FROM changes WHERE workspace_id = $1 ORDER BY seq", [workspace])
const auditOf = (workspace: string) =>
  app.sql("SELECT action, actor_id, metadata FROM audit_entries WHERE workspace_id = $1 ORDER BY id", [workspace])

describe("DELETE /workspaces/{id}", () => {
  it("ends access, keys and streams at once for all members, and the operator can restore it", async () => {
    const id = await workspaceOf(app, anna, "To delete")
    const inIt = { ...anna.headers, "workspace-id": id }
    const key = (await app.call("POST", "/api-keys", { name: "Key" }, inIt)).body.secret
    const byKey = () => app.call("GET", "/notebooks", undefined, { authorization: `Bearer ${key}` })
    expect((await byKey()).status).toBe(200)
    const stream = await EventStream.open(app, { headers: { authorization: `Bearer ${key}` } })
    await stream.until(() => stream.events.length > 0)
    const remove = (query = "") => app.call("DELETE", `/workspaces/${id}${query}`, undefined, anna.headers)
    const wrong = await remove("?confirm=other")
    expect([wrong.status, wrong.body.errors]).toMatchObject([422, [{ field: "confirm" }]])
    expect((await remove("?confirm=to-delete")).body).toEqual({ deleted: true, id })
    expect((await remove()).status).toBe(404)
    expect((await app.call("GET", `/workspaces/${id}`, undefined, anna.headers)).status).toBe(404)
    expect((await app.call("GET", `/workspaces/${id}/members`, undefined, anna.headers)).status).toBe(404)
    expect((await app.call("GET", "/notebooks", undefined, inIt)).status).toBe(404)
    expect((await byKey()).status).toBe(401)
    await stream.until(() => stream.events.at(-1)?.event === "bye")
    const listed = (await app.call("GET", "/workspaces?limit=100", undefined, anna.headers)).body.data
    expect(listed.map((each: any) => each.id)).not.toContain(id)
    expect((await changesOf(id)).at(-1)).toMatchObject({ type: "workspace.deleted", actor_id: anna.user_id })
    expect((await create({ name: "x", slug: "to-delete" })).status).toBe(409)

    expect(await operator((workspaces) => workspaces.restore(id))).toMatchObject({ id, name: "To delete" })
    expect((await byKey()).status).toBe(200)
    await expect(operator((workspaces) => workspaces.restore(id))).rejects.toMatchObject({ code: "invalid_state" })
  })

  it("rejects a personal workspace", async () => {
    const answer = await app.call("DELETE", `/workspaces/${anna.workspace_id}`, undefined, anna.headers)
    expect([answer.status, answer.body.code]).toEqual([409, "invalid_state"])
    expect((await app.call("DELETE", `/workspaces/${app.workspace_id}`)).body.code).toBe("invalid_state")
  })
})

describe("operator", () => {
  it("purges a workspace: it cannot be restored, and is erased within two hours", async () => {
    const id = await workspaceOf(app, anna, "To purge")
    const home = operator((workspaces) => workspaces.deleteAny(anna.workspace_id, true))
    await expect(home).rejects.toMatchObject({ code: "invalid_state" })
    expect(await operator((workspaces) => workspaces.deleteAny(id, true))).toMatchObject({
      id,
      purge_at: "2026-03-01T12:00:00.000Z"
    })
    expect((await app.call("GET", `/workspaces/${id}`, undefined, anna.headers)).status).toBe(404)
    const restore = operator((workspaces) => workspaces.restore(id))
    await expect(restore).rejects.toMatchObject({ code: "restore_window_expired" })
    expect((await auditOf(id)).at(-1)).toMatchObject({
      action: "workspace.deleted",
      actor_id: null,
      metadata: { by: "operator", purge: true }
    })
  })

  it("lists all workspaces, including deleted ones, and sets plans", async () => {
    const id = await workspaceOf(app, anna, "Of the operator")
    expect(await operator((workspaces) => workspaces.setPlan(id, { plan: "team", seats: 20 }))).toMatchObject({
      plan: "team",
      seats: 20
    })
    expect(await operator((workspaces) => workspaces.setPlan(id, { plan: "plus" }))).toMatchObject({
      plan: "plus",
      seats: 20
    })
    expect((await auditOf(id)).at(-1)).toMatchObject({
      action: "plan.changed",
      actor_id: null,
      metadata: { from: "team", to: "plus" }
    })
    await app.call("DELETE", `/workspaces/${id}`, undefined, anna.headers)
    const all = await operator((workspaces) => workspaces.all(""))
    expect(all.find((each) => each.id === id)).toMatchObject({ deleted_at: "2026-03-01T12:00:00.000Z" })
    expect(all.map((each) => each.id)).toEqual(all.map((each) => each.id).toSorted())
    expect((await operator((workspaces) => workspaces.all(all.at(-2)!.id))).map((each) => each.id)).toEqual([
      all.at(-1)!.id
    ])
    await expect(operator((workspaces) => workspaces.setPlan(id, { plan: "free" }))).rejects.toMatchObject({
      code: "not_found"
    })
  })

  it('is the only one to set plans and seats with planChanges "operator"', async () => {
    const strict = await startApp({ settings: { policies: { ...policies, planChanges: "operator" } } })
    const carl = await register(strict)
    const send = (input: object) => strict.call("POST", "/workspaces", { name: "x", ...input }, carl.headers)
    expect((await send({ plan: "team" })).body).toMatchObject({
      code: "insufficient_role",
      detail: expect.stringContaining("operator")
    })
    expect((await send({ seats: 2 })).status).toBe(403)
    const { id } = (await send({ plan: "free", seats: 1 })).body
    const patch = (input: object) => strict.call("PATCH", `/workspaces/${id}`, input, carl.headers)
    expect([(await patch({ plan: "plus" })).status, (await patch({ seats: 2 })).status]).toEqual([403, 403])
    expect((await patch({ plan: "free", seats: 1, name: "y" })).body).toMatchObject({ name: "y", plan: "free" })
    await strict.stop()
  })
})

describe("workspace deleted 30 days ago", () => {
  it("cannot be restored, and is erased a day later without affecting other workspaces", async () => {
    const later = await startApp()
    const dora = await register(later)
    const [gone, kept] = [await workspaceOf(later, dora, "Gone"), await workspaceOf(later, dora, "Kept")]
    for (const id of [gone, kept]) {
      const headers = { ...dora.headers, "workspace-id": id }
      const outer = (await later.call("POST", "/notebooks", { name: "Outer" }, headers)).body
      const inner = (await later.call("POST", "/notebooks", { name: "Inner", parent_id: outer.id }, headers)).body
      await later.call("POST", "/notes", { notebook_id: inner.id, title: "A note", tags: ["t"] }, headers)
      await later.call("POST", "/api-keys", { name: "Key" }, headers)
      await later.call("POST", `/workspaces/${id}/invitations`, { email: "eve@sheaf.test" }, headers)
    }
    const tables = (
      await later.sql(
        "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'workspace_id' AND table_schema = 'public'"
      )
    ).map(({ name }) => name as string)
    const rows = async (id: string) => {
      const counts: Record<string, number> = {}
      for (const name of tables) {
        const [{ n }] = (await later.sql(`SELECT count(*)::int AS n FROM ${name} WHERE workspace_id = $1`, [id])) as [
          { n: number }
        ]
        if (n > 0) counts[name] = n
      }
      return counts
    }
    await later.call("DELETE", `/workspaces/${gone}`, undefined, dora.headers)
    const purged = await workspaceOf(later, dora, "Purged")
    await later.run(Effect.flatMap(Effect.service(Workspaces), (workspaces) => workspaces.deleteAny(purged, true)))
    // More rows than one batch.
    await later.sql(
      `INSERT INTO audit_entries (workspace_id, id, action, resource_type, resource_id, metadata, occurred_at)
      SELECT $1, 'al_' || n, 'x', 'x', 'x', '{}', '2026-03-01T12:00:00.000Z' FROM generate_series(1, 2500) n`,
      [gone]
    )
    const before = await rows(kept)
    expect(Object.keys(before).length).toBeGreaterThan(8)
    const restore = () =>
      later.run(Effect.flatMap(Effect.service(Workspaces), (workspaces) => workspaces.restore(gone)))
    await later.advance("1 hour")
    await later.idle()
    expect((await rows(purged))["workspaces"]).toBe(1)
    await later.advance("1 hour")
    await later.idle()
    expect(await rows(purged)).toEqual({})
    await later.advance("718 hours")
    expect(await restore()).toMatchObject({ id: gone })
    await later.sql("UPDATE workspaces SET deleted_at = '2026-03-01T12:00:00.000Z' WHERE workspace_id = $1", [gone])
    await later.advance("1 minute")
    await expect(restore()).rejects.toMatchObject({ code: "restore_window_expired" })
    // As after an interrupted erasure; and a workspace that cannot be erased does not block others.
    await later.sql("DELETE FROM heads WHERE workspace_id = $1", [gone])
    await later.sql("UPDATE workspaces SET deleted_at = '2026-02-01T12:00:00.000Z' WHERE workspace_id = $1", [
      dora.workspace_id
    ])
    await later.idle()
    await later.advance("26 hours")
    await later.idle()
    expect(await rows(gone)).toEqual({})
    const after = await rows(kept)
    for (const name of ["notes", "notebooks", "members", "api_keys", "heads", "workspaces", "tags"]) {
      expect(after[name], name).toBe(before[name])
    }
    expect((await rows(dora.workspace_id))["users"]).toBe(1)
    await expect(restore()).rejects.toMatchObject({ code: "not_found" })
    await later.stop()
  })
})
