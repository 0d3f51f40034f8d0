import { Clock, Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import { AuditLog } from "../../../services/activity/AuditLog.ts"
import { auditId } from "../../../services/writer/AuditTrail.ts"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import { guest } from "../../support/people/People.ts"
import { notFound } from "../../support/Scenario.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const policies = {
  signUp: "open",
  planChanges: "owner",
  ownedWorkspaces: 0,
  limits: {
    free: { ...planDefaults.free, audit_days: 30 },
    plus: { ...planDefaults.plus, audit_days: 0 },
    team: { ...planDefaults.team, audit_days: 400 }
  }
} as const

const { app, given, refuse } = useApp({ settings: { policies } })
let owner: string

beforeAll(async () => {
  owner = (await app.sql("SELECT user_id FROM members WHERE workspace_id = $1", [app.workspace_id]))[0].user_id
})

const makeKey = async (name: string): Promise<string> =>
  (await given("POST", "/api-keys", { name, scopes: ["notes:read"] })).id
const found = async (filter: string, more = ""): Promise<ReadonlyArray<any>> =>
  (await given("GET", `/audit-log?limit=100&filter=${encodeURIComponent(filter)}${more}`)).data
const owns = (from: string) => `SELECT id FROM audit_entries WHERE workspace_id = $1 AND ${from}`
const actionsOf = async (resource_id: string) =>
  (await found(`resource_id=${resource_id}`, "&sort=occurred_at")).map((entry) => entry.action)

describe("audit log", () => {
  it("records actor, action and address, in the list and by id", async () => {
    const id = await makeKey("Audited")
    const {
      data: [entry]
    } = await given("GET", "/audit-log?limit=1")
    expect(entry).toEqual({
      id: expect.stringMatching(/^al_[0-9A-Za-z]{22}$/),
      action: "api_key.created",
      actor_id: owner,
      ip: "127.0.0.1",
      resource_type: "api_key",
      resource_id: id,
      metadata: {
        name: "Audited",
        notebooks: null,
        prefix: expect.stringMatching(/^sfk_.{8}$/),
        scopes: ["notes:read"]
      },
      user_agent: "node",
      occurred_at: new Date(epoch).toISOString()
    })
    const one = await app.call("GET", `/audit-log/${entry.id}`)
    expect(one.body).toEqual(entry)
    const known = { "if-none-match": one.headers.get("etag")! }
    expect((await app.call("GET", `/audit-log/${entry.id}`, undefined, known)).status).toBe(304)
    await refuse(notFound, "GET", "/audit-log/al_0000000000000000000000")
    await refuse(notFound, "GET", "/audit-log/%00")
  })

  it("records changes of keys and devices, and of the workspace from its creation", async () => {
    const key = await makeKey("Rotated")
    await given("POST", `/api-keys/${key}/rotate`)
    await given("DELETE", `/api-keys/${key}`)
    expect(await actionsOf(key)).toEqual(["api_key.created", "api_key.rotated", "api_key.deleted"])
    const { device_id } = await given("POST", "/sync/pull", { device: { name: "Phone", platform: "ios" } })
    await given("DELETE", `/sync/devices/${device_id}`)
    expect(await actionsOf(device_id)).toEqual(["device.registered", "device.revoked"])
    const [{ metadata }] = await found(`resource_id=${device_id} AND action=device.registered`)
    expect(metadata).toEqual({ name: "Phone", platform: "ios" })
    expect(await actionsOf(app.workspace_id)).toEqual(["workspace.created"])
    expect(await found("action=member.added")).toMatchObject([{ metadata: { user_id: owner, role: "owner" } }])
  })

  it("records permanent deletions, but not reversible ones", async () => {
    const inbox = (await given("GET", "/notebooks")).data[0].id
    const notebook = (await given("POST", "/notebooks", { name: "To delete" })).id
    const { id } = await given("POST", "/notes", { notebook_id: inbox, title: "Kept in the trash" })
    await given("PATCH", `/notes/${id}`, { title: "Edited" })
    await given("DELETE", `/notes/${id}/versions/1`)
    await given("DELETE", `/notes/${id}`)
    expect(await actionsOf(id)).toEqual(["note.version_deleted"])
    await given("DELETE", `/notes/${id}?permanent=true`)
    await given("DELETE", `/notebooks/${notebook}`)
    expect(await found(`resource_id IN (${id}, ${notebook})`, "&sort=occurred_at")).toMatchObject([
      { action: "note.version_deleted", actor_id: owner, resource_type: "note", metadata: { version: 1 } },
      { action: "note.purged", actor_id: owner, resource_type: "note", metadata: {} },
      { action: "notebook.deleted", resource_type: "notebook", metadata: { notebooks: 1, move_notes_to: null } }
    ])
  })

  it("records the refused calls of a credential as one entry per hour, with counts", async () => {
    const editor = await guest(app, { role: "editor", scopes: ["notes:read", "export:write"] })
    const call = async (method: string, path: string, body?: unknown) =>
      (await app.call(method, path, body, editor.headers)).body.code
    for (let times = 0; times < 3; times++)
      expect(await call("POST", "/tags", { name: "x" })).toBe("insufficient_scope")
    // The first call is refused for its scope, the second for its role.
    expect(await call("POST", "/exports", { scope: "workspace" })).toBe("insufficient_role")
    expect(await call("GET", "/notes/nt_0000000000000000000000")).toBe("not_found")
    const refusals = () => found(`action=auth.refused AND actor_id=${editor.user_id}`)
    expect(await refusals()).toEqual([])
    await app.advance("1 hour")
    await app.idle()
    const first = await refusals()
    expect(first).toMatchObject([
      {
        resource_type: "api_key",
        ip: "127.0.0.1",
        metadata: { since: expect.stringMatching(/^2026-/), counts: { insufficient_scope: 3, insufficient_role: 1 } }
      }
    ])
    await call("POST", "/tags", { name: "x" })
    await app.advance("1 hour")
    await app.idle()
    expect(await refusals()).toHaveLength(2)
    await app.advance("1 hour")
    await app.idle()
    expect(await refusals()).toHaveLength(2)
  })

  it("contains no secrets, no notes and no rejected requests", async () => {
    const inbox = (await given("GET", "/notebooks")).data[0].id
    const { secret } = await given("POST", "/api-keys", { name: "Secretive" })
    await given("POST", "/notes", { notebook_id: inbox, title: "not the audit log's" })
    const before = (await given("GET", "/audit-log?limit=100")).data
    const late = { name: "Late", expires_at: "2020-01-01T00:00:00Z" }
    await refuse({ status: 422, code: "validation_failed" }, "POST", "/api-keys", late)
    expect((await given("GET", "/audit-log?limit=100")).data).toEqual(before)
    expect(JSON.stringify(before)).not.toContain(secret.slice(12))
    expect(JSON.stringify(before)).not.toContain("not the audit log's")
  })

  it("truncates the User-Agent header", async () => {
    const { body } = await app.call("POST", "/api-keys", { name: "Talkative" }, { "user-agent": "x".repeat(5000) })
    expect(await found(`resource_id=${body.id}`)).toMatchObject([{ user_agent: "x".repeat(400) }])
  })

  it("lists entries in pages, newest or oldest first", async () => {
    for (let count = 0; count < 12; count++) await makeKey(`Paged ${count}`)
    const stored = (await app.sql(owns("true ORDER BY id DESC"), [app.workspace_id])).map((row) => row.id)
    for (const [sort, expected] of [
      ["-occurred_at", stored],
      ["occurred_at", stored.toReversed()]
    ] as const) {
      const listed: Array<string> = []
      for (let cursor = ""; cursor !== "end";) {
        const page = await given("GET", `/audit-log?limit=7&sort=${sort}${cursor}`)
        listed.push(...page.data.map((entry: any) => entry.id))
        expect(page.next_cursor === null).toBe(!page.has_more)
        cursor = page.has_more ? `&cursor=${page.next_cursor}` : "end"
      }
      expect(listed).toEqual(expected)
    }
    // Entries with equal times are listed in the order of their creation.
    const names = (await found("action=api_key.created AND resource_type=api_key", "&sort=occurred_at"))
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith("Paged"))
    expect(names).toEqual(Array.from({ length: 12 }, (_, count) => `Paged ${count}`))
    await refuse({ status: 400, code: "invalid_sort" }, "GET", "/audit-log?sort=action")
    await refuse({ status: 400, code: "invalid_cursor" }, "GET", "/audit-log?cursor=forged")
  })

  it("can be filtered by each field", async () => {
    const id = await makeKey("Filtered")
    const [entry] = await found(`resource_id=${id}`)
    for (const filter of [
      `id=${entry.id}`,
      `resource_id=${id} AND action=api_key.*`,
      `resource_id=${id} AND actor_id=${owner} AND ip=127.0.0.1`,
      `resource_id=${id} AND resource_type=api_key AND occurred_at=2026-03-01`
    ])
      expect(await found(filter), filter).toEqual([entry])
    for (const filter of [
      `resource_id=${id} AND ip=10.0.0.1`,
      `resource_id=${id} AND occurred_at>2026-03-01`,
      "action=tag.*"
    ])
      expect(await found(filter), filter).toEqual([])
    // Entries of the first start have no address.
    const unaddressed = await found("-ip:*")
    expect(unaddressed.map(({ action }) => action)).toEqual(["member.added", "workspace.created"])
    for (const { ip, user_agent } of unaddressed) expect([ip, user_agent]).toEqual([null, null])
    expect(await found("-actor_id:*")).toEqual(unaddressed.filter(({ actor_id }) => actor_id === null))
    const refused = await refuse({ status: 400, code: "invalid_filter" }, "GET", "/audit-log?filter=metadata%3Ax")
    expect(refused.body.allowed_fields).toEqual([
      "id",
      "action",
      "resource_type",
      "resource_id",
      "actor_id",
      "ip",
      "occurred_at"
    ])
  })
})

describe("access to the audit log", () => {
  it("is allowed for owners and admins with the scope, under either of its names", async () => {
    for (const [role, scopes, expected] of [
      ["owner", ["audit:read"], 200],
      ["admin", ["audit"], 200],
      ["admin", ["notes:write", "keys:write", "members:write"], "insufficient_scope"],
      ["editor", ["audit:read"], "insufficient_role"],
      ["viewer", ["audit:read"], "insufficient_role"]
    ] as const) {
      const { headers } = await guest(app, { role, scopes })
      for (const path of ["/audit-log", "/audit-log/al_0000000000000000000000"]) {
        const { body, status } = await app.call("GET", path, undefined, headers)
        expect(status === 403 ? body.code : 200, `${role} ${scopes}`).toBe(expected)
      }
    }
  })

  it("is limited to the caller's own workspace", async () => {
    const stranger = await guest(app, { elsewhere: true })
    const own = (await app.call("GET", "/audit-log", undefined, stranger.headers)).body.data
    expect(own.map((entry: any) => entry.action)).toEqual(["member.added", "workspace.created"])
    await refuse(notFound, "GET", `/audit-log/${own[0].id}`)
    const {
      data: [mine]
    } = await given("GET", "/audit-log?limit=1")
    expect((await app.call("GET", `/audit-log/${mine.id}`, undefined, stranger.headers)).status).toBe(404)
  })
})

describe("audit entry", () => {
  it("cannot be changed by a request or in the database", async () => {
    const {
      data: [entry]
    } = await given("GET", "/audit-log?limit=1")
    for (const method of ["PATCH", "PUT", "DELETE"]) {
      await refuse({ status: 405, code: "method_not_allowed" }, method, `/audit-log/${entry.id}`)
    }
    await expect(app.sql("UPDATE audit_entries SET actor_id = 'us_else' WHERE id = $1", [entry.id])).rejects.toThrow()
    await expect(
      app.sql(
        `INSERT INTO audit_entries SELECT * FROM audit_entries WHERE id = $1
      ON CONFLICT (workspace_id, id) DO UPDATE SET ip = 'forged'`,
        [entry.id]
      )
    ).rejects.toThrow()
    expect(await given("GET", `/audit-log/${entry.id}`)).toEqual(entry)
  })

  it("remains after its resource is deleted", async () => {
    const key = await makeKey("Gone")
    await given("DELETE", `/api-keys/${key}`)
    await app.advance("2 hours")
    expect(await actionsOf(key)).toEqual(["api_key.created", "api_key.deleted"])
  })

  it("is hidden when the retention of the plan ends, and deleted soon after", async () => {
    const days = 24 * 3600_000
    // Run the jobs once, so that they run every hour from now on.
    await app.advance("1 hour")
    await app.idle()
    const now = await app.run(Clock.currentTimeMillis)
    const small = await guest(app, { elsewhere: true })
    const unlimited = await guest(app, { elsewhere: true })
    await app.sql("UPDATE workspaces SET plan = 'plus' WHERE workspace_id = $1", [unlimited.workspace_id])
    const remains = async (workspace_id: string) =>
      (
        await app.sql(
          "SELECT resource_id FROM audit_entries WHERE workspace_id = $1 AND resource_id LIKE 'old.%' ORDER BY id",
          [workspace_id]
        )
      ).map((row) => row.resource_id)
    const ages = [29.9, 30.1, 399.9, 400.1, 4000]
    for (const { workspace_id } of [app, small, unlimited]) {
      for (const age of ages) {
        const at = now - age * days
        await app.sql(
          `INSERT INTO audit_entries
            (workspace_id, id, action, actor_id, resource_type, resource_id, metadata, occurred_at)
          VALUES ($1, $2, 'auth.login_failed', NULL, 'user', $3, '{}', $4)`,
          [workspace_id, auditId(systemRandomness, at, 0), `old.${age}`, new Date(at).toISOString()]
        )
      }
    }
    // More rows than one batch.
    await app.sql(
      `INSERT INTO audit_entries
        (workspace_id, id, action, actor_id, resource_type, resource_id, metadata, occurred_at)
      SELECT $1, 'al_00000000' || lpad(n::text, 14, '0'), 'auth.login_failed', NULL, 'user', 'old.bulk', '{}', '1970-01-01'
      FROM generate_series(1, 2500) n`,
      [small.workspace_id]
    )
    const shown = async (headers: Record<string, string> = {}) => {
      const { body } = await app.call("GET", "/audit-log?limit=100&filter=resource_id%3Dold.*", undefined, headers)
      return body.data.map((entry: any) => entry.resource_id)
    }
    const young = { first: ["old.29.9", "old.30.1", "old.399.9"], small: ["old.29.9"] }
    expect(await shown()).toEqual(young.first)
    expect(await shown(small.headers)).toEqual(young.small)
    expect(await shown(unlimited.headers)).toEqual(ages.map((age) => `old.${age}`))
    const [tooOld] = await app.sql(owns("resource_id = 'old.400.1'"), [app.workspace_id])
    await refuse(notFound, "GET", `/audit-log/${tooOld.id}`)

    await app.run(Effect.flatMap(Effect.service(AuditLog), (log) => log.prune))
    expect(await remains(app.workspace_id)).toEqual(young.first.toReversed())
    expect(await remains(small.workspace_id)).toEqual(young.small)
    expect(await remains(unlimited.workspace_id)).toEqual(ages.map((age) => `old.${age}`).toReversed())
    // The scheduled job deletes them too, within an hour.
    await app.idle()
    await app.advance("1 day")
    await app.idle()
    expect(await remains(small.workspace_id)).toEqual([])
    expect(await remains(app.workspace_id)).toEqual(["old.30.1", "old.29.9"])
  })
})
