import { describe, expect, it } from "vitest"
import { guest, join, logIn, password, register, unsigned, workspaceOf } from "../../support/people/People.ts"
import { EventStream } from "../../support/EventStream.ts"
import { statementsOf } from "../../support/Statements.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const pull = (body: object, headers: Record<string, string> = {}) => app.call("POST", "/sync/pull", body, headers)
const list = async (query = "", headers: Record<string, string> = {}) =>
  (await app.call("GET", `/sync/devices${query}`, undefined, headers)).body

describe("device", () => {
  it("is created by the first pull or push that names it, and logged once", async () => {
    const seq = await app.seq()
    const { body } = await pull({ device: { name: "Laptop", platform: "linux" } })
    expect(body.device_id).toMatch(/^sy_/)
    expect((await pull({ device: { name: "Laptop", platform: "linux" } })).body.device_id).toBe(body.device_id)
    expect((await pull({ device: { id: body.device_id } })).body.device_id).toBe(body.device_id)
    expect(await app.changesAfter(seq)).toMatchObject([
      { type: "device.registered", resource: "device", resource_id: body.device_id, version: null }
    ])
    const pushed = await app.call("POST", "/sync/push", { device: { name: "Phone", platform: "android" }, changes: [] })
    expect(pushed.body.device_id).not.toBe(body.device_id)
    expect(await list("?sort=name")).toMatchObject({
      data: [{ id: body.device_id, name: "Laptop" }, { name: "Phone" }],
      has_more: false
    })
  })

  it("is created once by concurrent first pulls", async () => {
    const { headers } = await guest(app)
    const pulls = await Promise.all(
      Array.from({ length: 12 }, () => pull({ device: { name: "Twin", platform: "linux" } }, headers))
    )
    expect(new Set(pulls.map(({ body }) => body.device_id)).size).toBe(1)
    expect((await list("", headers)).data).toMatchObject([{ name: "Twin" }])
  })

  it("can be named in the header Device-Id, and is then recorded in changes", async () => {
    const headers = { "device-id": "sy_by-the-header-0001" }
    const { body } = await pull({ device: { name: "Tablet", platform: "ipados" } }, headers)
    expect(body.device_id).toBe(headers["device-id"])
    const { data } = await list("", headers)
    expect(data.find(({ id }: any) => id === headers["device-id"])).toEqual({
      id: headers["device-id"],
      name: "Tablet",
      platform: "ipados",
      user_id: expect.stringMatching(/^us_/),
      last_sync_at: expect.any(String),
      current: true,
      created_at: expect.any(String)
    })
    expect(data.filter(({ current }: any) => current)).toHaveLength(1)
    const start = (await app.call("GET", "/sync/cursor")).body.cursor
    await app.call("POST", "/notebooks", { name: "Written by it" }, headers)
    expect((await pull({ cursor: start })).body.changes).toMatchObject([{ device_id: headers["device-id"] }])
  })

  it("is rejected with an invalid id", async () => {
    expect((await pull({}, { "device-id": "nonsense" })).body).toMatchObject({ status: 400, code: "invalid_header" })
    expect((await pull({ device: { id: "nonsense" } })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: "/device/id" }]
    })
    expect((await pull({ device: { name: "nul \0" } })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: "/device/name" }]
    })
    expect((await app.call("GET", "/notes", undefined, { "device-id": "nonsense" })).status).toBe(400)
  })
})

describe("device of another user", () => {
  const device = "sy_the-device-of-another"
  const named = { "device-id": device }

  it("is rejected in pull, push and stream, and ignored in the header of other requests", async () => {
    const { headers } = await guest(app)
    const foreign = { ...headers, ...named }
    await pull({}, named)
    const taken = { status: 422, code: "validation_failed" }
    expect((await pull({}, foreign)).body).toMatchObject(taken)
    expect((await pull({ device: { id: device } }, headers)).body).toMatchObject(taken)
    expect((await app.call("POST", "/sync/push", { changes: [] }, foreign)).body).toMatchObject(taken)
    const stream = await EventStream.open(app, { headers: foreign })
    await stream.ended()
    expect(stream.status).toBe(422)
    const start = (await app.call("GET", "/sync/cursor")).body.cursor
    expect((await app.call("POST", "/tags", { name: "not-by-it" }, foreign)).status).toBe(201)
    expect((await pull({ cursor: start })).body.changes).toMatchObject([{ device_id: null }])
    expect((await app.call("GET", "/sync/cursor", undefined, foreign)).body.device_id).toBe(null)
    // The owner can still use it.
    await app.call("POST", "/tags", { name: "by-it" }, named)
    expect((await pull({ cursor: start }, named)).body.changes.at(-1)).toMatchObject({ device_id: device })
  })

  it("is rejected in a workspace where it has not synced yet, and at log-in", async () => {
    const owner = await register(app)
    const member = await register(app)
    const workspace = await workspaceOf(app, owner)
    await join(app, owner, workspace, member, "editor")
    const there = { "workspace-id": workspace }
    const { secret } = (await app.call("POST", "/api-keys", { name: "Mine" }, { ...member.headers, ...there })).body
    const foreign = { authorization: `Bearer ${secret}`, "device-id": owner.device_id }
    expect((await pull({}, foreign)).status).toBe(422)
    const start = (await app.call("GET", "/sync/cursor", undefined, foreign)).body.cursor
    await app.call("POST", "/tags", { name: "t" }, foreign)
    expect((await pull({ cursor: start }, { ...owner.headers, ...there })).body.changes).toMatchObject([
      { device_id: null }
    ])
    const signIn = await unsigned(app, "/auth/login", {
      email: member.email,
      password,
      device: { id: owner.device_id }
    })
    expect([signIn.status, signIn.body.errors]).toMatchObject([422, [{ pointer: "/device/id" }]])
    expect((await logIn(app, member.email, { device: { id: member.device_id } })).device_id).toBe(member.device_id)
  })

  it("is looked up once per device, and not without one", async () => {
    const { headers } = await guest(app)
    const asked = async (more: object) =>
      (await statementsOf(app, /FROM devices/, () => app.call("GET", "/tags", undefined, { ...headers, ...more })))
        .statements
    expect(await asked({})).toEqual([])
    expect(await asked(named)).toHaveLength(1)
    expect(await asked(named)).toEqual([])
  })

  it("is ignored in the header for a session, which has its own device", async () => {
    const person = await register(app)
    const start = (await app.call("GET", "/sync/cursor", undefined, person.headers)).body.cursor
    await app.call("POST", "/tags", { name: "mine" }, { ...person.headers, ...named })
    expect((await pull({ cursor: start }, { ...person.headers, ...named })).body).toMatchObject({
      device_id: person.device_id,
      changes: [{ device_id: person.device_id }]
    })
  })
})

describe("GET /sync/devices", () => {
  it("lists the caller's devices, latest first, in pages", async () => {
    const other = await guest(app)
    expect((await list("", other.headers)).data).toEqual([])
    for (const name of ["A", "B", "C"]) await pull({ device: { name } }, other.headers)
    const first = await list("?limit=2&sort=name", other.headers)
    expect(first).toMatchObject({ data: [{ name: "A" }, { name: "B" }], has_more: true })
    const rest = await list(`?limit=2&sort=name&cursor=${first.next_cursor}`, other.headers)
    expect(rest).toMatchObject({ data: [{ name: "C", user_id: other.user_id }], has_more: false, next_cursor: null })
    expect((await app.call("GET", "/sync/devices?sort=platform")).body).toMatchObject({ code: "invalid_sort" })
  })

  it("omits devices that have not synced for 90 days", async () => {
    const { body } = await pull({ device: { name: "Drawer" } })
    const days = (count: number) =>
      new Date(Date.parse("2026-03-01T12:00:00.000Z") - count * 24 * 3600_000).toISOString()
    const isListed = async () => (await list("?limit=100")).data.some(({ id }: any) => id === body.device_id)
    await app.sql("UPDATE devices SET last_sync_at = $1 WHERE id = $2", [days(89), body.device_id])
    expect(await isListed()).toBe(true)
    await app.sql("UPDATE devices SET last_sync_at = $1 WHERE id = $2", [days(91), body.device_id])
    expect(await isListed()).toBe(false)
    await app.advance("2 minutes")
    await pull({ device: { id: body.device_id } })
    expect(await isListed()).toBe(true)
  })
})

describe("DELETE /sync/devices/{id}", () => {
  it("returns the delete envelope, and logs device.revoked; the device may register again", async () => {
    const { body } = await pull({ device: { name: "Lost", platform: "ios" } })
    const seq = await app.seq()
    const gone = await app.call("DELETE", `/sync/devices/${body.device_id}`)
    expect([gone.status, gone.body]).toEqual([200, { deleted: true, id: body.device_id }])
    expect((await app.call("DELETE", `/sync/devices/${body.device_id}`)).body).toMatchObject({
      status: 404,
      code: "not_found"
    })
    expect((await pull({ device: { id: body.device_id, name: "Found" } })).body.device_id).toBe(body.device_id)
    expect(await app.changesAfter(seq)).toMatchObject([{ type: "device.revoked" }, { type: "device.registered" }])
  })

  it("honours If-Match with the entity tag that a 412 returns", async () => {
    const { body } = await pull({ device: { name: "Guarded", platform: "ios" } })
    const end = (tag: string) => app.call("DELETE", `/sync/devices/${body.device_id}`, undefined, { "if-match": tag })
    const seq = await app.seq()
    const stale = await end('"other"')
    expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"])
    expect(await app.seq()).toBe(seq)
    expect((await end(stale.body.current_version)).status).toBe(200)
  })

  it("returns 404 for another user's device", async () => {
    const other = await guest(app)
    const { body } = await pull({ device: { name: "Mine" } })
    expect((await app.call("DELETE", `/sync/devices/${body.device_id}`, undefined, other.headers)).status).toBe(404)
  })
})
