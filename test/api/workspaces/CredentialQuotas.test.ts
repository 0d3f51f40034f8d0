import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { planDefaults, type PlanLimits } from "../../../services/workspaces/Plans.ts"
import { EventStream } from "../../support/EventStream.ts"
import { fromAnywhere } from "../../support/FromAnywhere.ts"
import { logIn, register, type Person, workspaceOf } from "../../support/people/People.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const limit = 3
const few = (plan: PlanLimits): PlanLimits => ({ ...plan, api_keys: limit, devices: limit })
const settings = {
  trustedProxies: ["127.0.0.1"],
  policies: {
    signUp: "open",
    planChanges: "owner",
    ownedWorkspaces: 10,
    limits: {
      free: few(planDefaults.free),
      plus: few(planDefaults.plus),
      team: { ...planDefaults.team, api_keys: 0, devices: 0 }
    }
  }
} as const

const { app } = useApp({ settings })
let other: TestApp

beforeAll(async () => {
  other = await startApp({ settings, databaseOf: app })
})
afterAll(async () => {
  await other.stop()
})

const works = async (authorization: string) =>
  (await app.call("GET", "/notebooks", undefined, { authorization, ...fromAnywhere() })).status

describe("user at the limit of API keys", () => {
  const create = (who: Person, input: object = {}, headers: Record<string, string> = {}, at = app) =>
    at.call("POST", "/api-keys", { name: "One", ...input }, { ...who.headers, ...headers })

  it("cannot create another key in any workspace until one is deleted, but can rotate keys", async () => {
    const person = await register(app)
    const there = { "workspace-id": await workspaceOf(app, person) }
    const made = [await create(person), await create(person, {}, there), await create(person)]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
    for (const headers of [{}, there]) {
      const { body } = await create(person, {}, headers)
      expect(body).toMatchObject({ status: 403, code: "quota_exceeded", quota: "api_keys", limit, used: limit })
    }
    expect((await app.call("POST", `/api-keys/${made[0]!.body.id}/rotate`, undefined, person.headers)).status).toBe(200)
    expect((await app.call("DELETE", `/api-keys/${made[0]!.body.id}`, undefined, person.headers)).status).toBe(200)
    expect((await create(person)).status).toBe(201)
  })

  it("cannot exceed the limit with concurrent requests on all nodes and in all workspaces", async () => {
    const person = await register(app)
    const there = { "workspace-id": await workspaceOf(app, person) }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        create(person, {}, index % 2 === 0 ? {} : there, index % 3 === 0 ? app : other)
      )
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(limit)
    expect(answers.filter(({ body }) => body.code === "quota_exceeded")).toHaveLength(12 - limit)
    expect(await app.sql("SELECT id FROM api_keys WHERE user_id = $1", [person.user_id])).toHaveLength(limit)
  })

  it("receives the stored response for a repeated request", async () => {
    const person = await register(app)
    const key = { "idempotency-key": "the-last-one" }
    for (let count = 1; count < limit; count++) await create(person)
    const first = await create(person, {}, key)
    const again = await create(person, {}, key)
    expect([first.status, again.status, again.body.secret]).toEqual([201, 201, first.body.secret])
    expect((await create(person)).status).toBe(403)
  })

  it("can create a key again when one expires; the last hundred expired keys are kept", async () => {
    const person = await register(app)
    const expires_at = new Date(Date.parse((await create(person)).body.created_at) + 1000).toISOString()
    await create(person, { expires_at })
    await create(person, { expires_at })
    expect((await create(person)).status).toBe(403)
    await app.advance("2 seconds")
    await app.sql(
      `INSERT INTO api_keys (workspace_id, id, user_id, name, prefix, secret_hash, scopes, created_at, expires_at)
      SELECT workspace_id, id || n, user_id, name, prefix, secret_hash || n, scopes, created_at, '2026-02-01'
      FROM api_keys, generate_series(1, 103) n WHERE user_id = $1 AND expires_at IS NULL`,
      [person.user_id]
    )
    expect((await create(person)).status).toBe(201)
    const ended = "SELECT id FROM api_keys WHERE user_id = $1 AND expires_at IS NOT NULL"
    expect(await app.sql(ended, [person.user_id])).toHaveLength(100)
    expect(await app.sql(`${ended} AND expires_at > '2026-02-02'`, [person.user_id])).toHaveLength(2)
  })

  it("has no limit if the plan of the workspace has none", async () => {
    const person = await register(app)
    const team = await app.call("POST", "/workspaces", { name: "Team", plan: "team" }, person.headers)
    const there = { "workspace-id": team.body.id }
    for (let count = 0; count < limit + 2; count++) expect((await create(person, {}, there)).status).toBe(201)
    expect((await create(person)).body).toMatchObject({ code: "quota_exceeded", used: limit + 2 })
  })
})

describe("user at the limit of devices", () => {
  const idsOf = async (who: Pick<Person, "headers">) =>
    (await app.call("GET", "/sync/devices?limit=100", undefined, who.headers)).body.data
      .map(({ id }: any) => id)
      .toSorted()
  const pull = (headers: Record<string, string>, device: object, at = app) =>
    at.call("POST", "/sync/pull", { device }, headers)
  const silent = (id: string, millis: number) =>
    app.sql(
      "UPDATE devices SET last_sync_at = to_char(timestamp '2026-01-01' + $2::int * interval '1 ms', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') WHERE id = $1",
      [id, String(millis)]
    )

  it("adds a device by a pull, which removes the device that was silent longest, signed-out ones first", async () => {
    const person = await register(app)
    const [first, second] = ["sy_first-silent-device", "sy_second-silent-one"] as const
    for (const id of [first, second]) await pull(person.headers, { id })
    await silent(person.device_id, 0)
    await silent(second, 1)
    await silent(first, 2)
    const stream = await EventStream.open(app, {
      headers: {
        authorization: `Bearer ${(await app.call("POST", "/api-keys", { name: "k" }, person.headers)).body.secret}`,
        "device-id": second
      }
    })
    await stream.until(() => stream.events.length > 0)
    const pulled = await pull(person.headers, { id: "sy_the-device-beyond" })
    expect([pulled.status, pulled.body.device_id]).toEqual([201, "sy_the-device-beyond"])
    expect(await idsOf(person)).toEqual([first, "sy_the-device-beyond", person.device_id].toSorted())
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    const logged = await app.sql(
      "SELECT resource_id, data FROM changes WHERE workspace_id = $1 AND type = 'device.revoked'",
      [person.workspace_id]
    )
    expect(logged).toMatchObject([{ resource_id: second, data: { reason: "too_many" } }])
  })

  it("is not signed out by their own pull", async () => {
    const person = await register(app)
    const others = [await logIn(app, person.email), await logIn(app, person.email)]
    await app.sql("UPDATE sessions SET last_active_at = '2026-01-01' WHERE id = $1", [person.session_id])
    await silent(person.device_id, 0)
    expect((await pull(person.headers, { id: "sy_the-device-beyond" })).status).toBe(201)
    expect(await works(person.headers["authorization"]!)).toBe(200)
    const signedIn = await Promise.all(others.map(({ headers }) => works(headers["authorization"]!)))
    expect(signedIn.toSorted()).toEqual([200, 401])
  })

  it("adds a device by a log-in, which signs out the device that was idle longest", async () => {
    const first = await register(app)
    await app.advance("1 minute")
    const others = [await logIn(app, first.email), await logIn(app, first.email)]
    const last = await logIn(app, first.email)
    expect(await works(first.headers["authorization"]!)).toBe(401)
    for (const { headers } of [...others, last]) expect(await works(headers["authorization"]!)).toBe(200)
    expect(await idsOf(last)).toEqual([...others, last].map(({ device_id }) => device_id).toSorted())
    const logged = await app.sql(
      "SELECT type, data->>'reason' AS reason FROM changes WHERE workspace_id = $1 AND type LIKE '%.revoked' ORDER BY seq",
      [first.workspace_id]
    )
    expect(logged).toEqual([
      { type: "device.revoked", reason: "too_many" },
      { type: "session.revoked", reason: "device_revoked" }
    ])
  })

  it("is signed out on the device that a pull in another workspace removes", async () => {
    const first = await register(app)
    const there = { "workspace-id": await workspaceOf(app, first) }
    const people = [first]
    for (let count = 1; count < limit; count++) people.push(await logIn(app, first.email))
    for (const { headers } of people) {
      await pull({ ...headers, ...there }, {})
      await app.advance("1 minute")
    }
    // The user is signed in on the maximum number of devices, and all of them synced in this workspace.
    const { secret } = (await app.call("POST", "/api-keys", { name: "k" }, { ...first.headers, ...there })).body
    expect((await pull({ authorization: `Bearer ${secret}` }, { name: "Robot" })).status).toBe(201)
    expect(await Promise.all(people.map(({ headers }) => works(headers["authorization"]!)))).toEqual([401, 200, 200])
  })

  it("does not exceed the limit with concurrent first pulls on two nodes, which all succeed", async () => {
    const person = await register(app)
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        pull(person.headers, { id: `sy_many-at-once-${1000 + index}` }, index % 2 === 0 ? app : other)
      )
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(await app.sql("SELECT id FROM devices WHERE user_id = $1", [person.user_id])).toHaveLength(limit)
    expect(await works(person.headers["authorization"]!)).toBe(200)
  })
})

describe("device that was silent for 90 days", () => {
  it("is removed unless a session is signed in on it", async () => {
    const person = await register(app)
    const robot = (await app.call("POST", "/api-keys", { name: "k" }, person.headers)).body.secret
    const headers = { authorization: `Bearer ${robot}` }
    await app.call("POST", "/sync/pull", { device: { id: "sy_silent-for-ever-on" } }, headers)
    await app.advance("46 days")
    await app.idle()
    const active = await app.call("POST", "/auth/refresh", { refresh_token: person.refresh }, { authorization: "" })
    await app.call("POST", "/sync/pull", { device: { id: "sy_heard-in-between" } }, headers)
    await app.advance("46 days")
    await app.idle()
    const left = await app.sql("SELECT id FROM devices WHERE user_id = $1", [person.user_id])
    expect(left.map(({ id }) => id).toSorted()).toEqual(["sy_heard-in-between", person.device_id].toSorted())
    expect(active.status).toBe(200)
    const logged = await app.sql(
      "SELECT resource_id, actor_id, data FROM changes WHERE workspace_id = $1 AND type = 'device.revoked'",
      [person.workspace_id]
    )
    expect(logged).toMatchObject([{ resource_id: "sy_silent-for-ever-on", actor_id: null, data: { reason: "silent" } }])
  })
})
