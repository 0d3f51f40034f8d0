import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { UsageCounters } from "../../../services/activity/UsageCounters.ts"
import { guest } from "../../support/people/People.ts"
import { Files, someBytes } from "../../support/Files.ts"
import { Team } from "../../support/people/Team.ts"
import { EventStream } from "../../support/EventStream.ts"
import { planLimits, startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { rateLimit: undefined } })

const usageOf = async (at = app, headers: Record<string, string> = {}) =>
  (await at.call("GET", "/usage", undefined, headers)).body

/** Returns the number of requests that `act` counts as, in a workspace. */
const counted = async (act: () => Promise<unknown>, headers: Record<string, string> = {}, at = app) => {
  const before = (await usageOf(at, headers)).api_requests
  await act()
  // The second request for the usage counts itself.
  return (await usageOf(at, headers)).api_requests - before - 1
}

const zeros = (month: string, days: number) =>
  Array.from({ length: days }, (_, day) => ({ date: `${month}-${String(day + 1).padStart(2, "0")}`, api_requests: 0 }))

const written = (workspace_id: string) =>
  app.sql("SELECT date, api_requests::int AS requests FROM request_days WHERE workspace_id = $1 ORDER BY date", [
    workspace_id
  ])

describe("GET /usage", () => {
  it("returns the period, the usage in it, and the limits of the plan", async () => {
    const own = await guest(app, { elsewhere: true })
    const notebook = (await app.call("POST", "/notebooks", { name: "Counted" }, own.headers)).body.id
    const ids: Array<string> = []
    for (const title of ["one", "two", "three"]) {
      ids.push((await app.call("POST", "/notes", { notebook_id: notebook, title }, own.headers)).body.id)
    }
    await app.call("DELETE", `/notes/${ids[0]}`, undefined, own.headers)
    const query = "?limit=3&sort=x&filter=y&cursor=z"
    const { body, headers, status } = await app.call("GET", `/usage${query}`, undefined, own.headers)
    expect(status).toBe(200)
    expect(body).toEqual({
      period_start: "2026-03-01T00:00:00.000Z",
      period_end: "2026-04-01T00:00:00.000Z",
      plan: "free",
      notes: 2,
      storage_bytes: 0,
      text_bytes: 0,
      kept_bytes: 0,
      api_requests: 6,
      counts: { notebooks: 2, tags: 0, attachments: 0, templates: 0, comments: 0, reminders: 0, shares: 0 },
      limits: { ...planLimits.free, kept_bytes: 2 * planLimits.free.storage_bytes },
      daily: [{ date: "2026-03-01", api_requests: 6 }]
    })
    expect(headers.get("etag")).toBeNull()
  })

  it("has all bytes that count against twice the storage, also of deleted files", async () => {
    const files = new Files(app)
    const notebook_id = (await app.call("GET", "/notebooks")).body.data[0].id
    const before = await usageOf()
    const note = (await app.call("POST", "/notes", { notebook_id, title: "With a file", body: "12345" })).body.id
    const { id } = await files.make(note, someBytes(1000))
    expect((await usageOf()).kept_bytes).toBe(before.kept_bytes + 1005)
    await app.call("DELETE", `/attachments/${id}`)
    const { kept_bytes, storage_bytes } = await usageOf()
    expect([kept_bytes, storage_bytes]).toEqual([before.kept_bytes + 1005, before.storage_bytes])
    const operator = await (await Team.start(app)).operator("session")
    const shown = await app.call("GET", `/admin/workspaces/${app.workspace_id}`, undefined, operator.headers)
    expect(shown.body.kept_bytes).toBe(kept_bytes)
  })

  it("is allowed for each role and scope", async () => {
    const each = [
      ["viewer", "profile"],
      ["editor", "files:read"],
      ["owner", "audit"],
      ["viewer", "keys:read"]
    ] as const
    for (const [role, scope] of each) {
      const { headers } = await guest(app, { role, scopes: [scope] })
      expect(await usageOf(app, headers)).toMatchObject({ plan: "team", limits: planLimits.team })
    }
  })

  it("shows the request limit in force", async () => {
    for (const [rateLimit, shown] of [
      [0, 0],
      [77, 77]
    ] as const) {
      const other = await startApp({ databaseOf: app, settings: { rateLimit } })
      expect((await usageOf(other)).limits).toMatchObject({ ...planLimits.team, requests_per_minute: shown })
      await other.stop()
    }
  })
})

describe("counted request", () => {
  it("counts once, whatever its result", async () => {
    const bad: ReadonlyArray<[string, string, unknown?, Record<string, string>?]> = [
      ["GET", "/notes"],
      ["HEAD", "/notes"],
      ["GET", "/notes/nt_none"],
      ["GET", "/notes?limit=0"],
      ["POST", "/notes", { title: 7 }],
      ["POST", "/notes", "{"],
      ["POST", "/tags", { name: "counted" }],
      ["POST", "/tags", { name: "counted" }],
      ["GET", "/notes", undefined, { "device-id": "nonsense" }],
      ["GET", "/notes", undefined, { "workspace-id": "ws_of-somebody-else" }]
    ]
    expect(
      await counted(async () => {
        for (const [method, path, body, headers] of bad) await app.call(method, path, body, headers)
      })
    ).toBe(bad.length)
  })

  it("counts for its workspace if a scope or role forbids it", async () => {
    const { headers } = await guest(app, { role: "viewer", scopes: ["profile"] })
    expect(
      await counted(async () => {
        expect((await app.call("GET", "/notes", undefined, headers)).status).toBe(403)
        expect((await app.call("POST", "/tags", { name: "x" }, headers)).status).toBe(403)
      })
    ).toBe(2)
  })

  it("counts again if its stored response is returned for an Idempotency-Key", async () => {
    const key = { "idempotency-key": "counted" }
    expect(
      await counted(async () => {
        for (let time = 0; time < 3; time++) await app.call("POST", "/tags", { name: "by-key" }, key)
      })
    ).toBe(3)
  })

  it("does not count here if it is unauthenticated or of another workspace", async () => {
    const elsewhere = await guest(app, { elsewhere: true })
    const unwelcome = async () => {
      await app.call("GET", "/notes", undefined, { authorization: "" })
      await app.call("GET", "/notes", undefined, { authorization: "Bearer sfk_nonsense" })
      await app.call("GET", "/openapi.json")
      await app.call("OPTIONS", "/notes")
      await app.call("GET", "/no-such-route")
    }
    expect(await counted(unwelcome)).toBe(0)
    expect(await counted(() => app.call("GET", "/notes", undefined, elsewhere.headers))).toBe(0)
    expect(await counted(() => app.call("GET", "/notes"), elsewhere.headers)).toBe(0)
    // The request names this workspace, but its key belongs to another.
    const lost = { ...elsewhere.headers, "workspace-id": app.workspace_id }
    expect(await counted(() => app.call("GET", "/notes", undefined, lost))).toBe(0)
  })

  it("does not count if the rate limit refuses it", async () => {
    const other = await startApp({ databaseOf: app, settings: { rateLimit: 5 } })
    const { headers } = await guest(app, { elsewhere: true })
    const statuses: Array<number> = []
    for (let time = 0; time < 9; time++) statuses.push((await other.call("GET", "/notes", undefined, headers)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429])
    await other.stop()
    expect((await usageOf(app, headers)).api_requests).toBe(6)
  })

  it("counts once for a stream, whatever it sends", async () => {
    expect(
      await counted(async () => {
        const stream = await EventStream.open(app)
        await stream.until(() => stream.events.length === 1)
        // These requests count too.
        for (const name of ["first", "second"]) await app.call("POST", "/notebooks", { name })
        await stream.until(() => stream.changes.length === 2)
        stream.close()
      })
    ).toBe(3)
  })
})

describe("request count", () => {
  it("is exact for concurrent requests", async () => {
    expect(await counted(() => Promise.all(Array.from({ length: 60 }, () => app.call("GET", "/tags"))))).toBe(60)
  })

  it("includes all nodes", async () => {
    const other = await startApp({ databaseOf: app })
    expect(
      await counted(async () => {
        await Promise.all(
          Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? app : other).call("GET", "/tags"))
        )
        // A request for the usage stores the counts of the node.
        await usageOf(other)
      })
    ).toBe(21)
    await other.stop()
  })

  it("is stored every few seconds, and when a node stops", async () => {
    const other = await startApp({ databaseOf: app })
    const own = await guest(app, { elsewhere: true })
    const at = (requests: number) => [{ date: "2026-03-01", requests }]
    for (let time = 0; time < 4; time++) await other.call("GET", "/notes", undefined, own.headers)
    expect(await written(own.workspace_id)).toEqual([])
    await other.advance("3 seconds")
    await expect.poll(() => written(own.workspace_id)).toEqual(at(4))
    // Nothing is added without requests.
    await other.advance("1 minute")
    expect(await written(own.workspace_id)).toEqual(at(4))
    await other.call("GET", "/notes", undefined, own.headers)
    await other.stop()
    expect(await written(own.workspace_id)).toEqual(at(5))
    const again = await startApp({ databaseOf: app })
    expect((await usageOf(again, own.headers)).api_requests).toBe(6)
    await again.stop()
  })

  it("is kept per day in UTC, starts again each month, and includes days without requests", async () => {
    const own = await guest(app, { elsewhere: true })
    const get = () => usageOf(app, own.headers)
    await get()
    await app.advance("719 minutes")
    expect((await get()).daily).toEqual([{ date: "2026-03-01", api_requests: 2 }])
    // Counted before midnight and stored after it, because the test clock jumps.
    await app.call("GET", "/notes", undefined, own.headers)
    await app.advance("2 hours")
    expect((await get()).daily).toEqual([
      { date: "2026-03-01", api_requests: 3 },
      { date: "2026-03-02", api_requests: 1 }
    ])
    await app.advance("29 days")
    const end = await get()
    expect(end.daily).toHaveLength(31)
    expect(end).toMatchObject({ period_start: "2026-03-01T00:00:00.000Z", api_requests: 5 })
    await app.advance("1 day")
    expect(await get()).toMatchObject({
      period_start: "2026-04-01T00:00:00.000Z",
      period_end: "2026-05-01T00:00:00.000Z",
      api_requests: 1,
      daily: [{ date: "2026-04-01", api_requests: 1 }]
    })
    await app.advance("14 days")
    expect((await get()).daily).toEqual([
      { date: "2026-04-01", api_requests: 1 },
      ...zeros("2026-04", 14).slice(1),
      {
        date: "2026-04-15",
        api_requests: 1
      }
    ])
    expect(await written(own.workspace_id)).toHaveLength(5)
  })

  it("is kept for 400 days", async () => {
    // Run the jobs once, wherever this test is in the file.
    await app.advance("2 minutes")
    await app.idle()
    const own = await guest(app, { elsewhere: true })
    const now = Date.parse((await usageOf(app, own.headers)).daily.at(-1).date)
    const dateOf = (ago: number) => new Date(now - ago * 24 * 3600_000).toISOString().slice(0, 10)
    for (const ago of [399, 401, 2000]) {
      await app.sql("INSERT INTO request_days VALUES ($1, $2, 1)", [own.workspace_id, dateOf(ago)])
    }
    await app.advance("2 hours")
    await app.idle()
    const dates = async () => (await written(own.workspace_id)).map((row) => row.date)
    expect(await dates()).toEqual([dateOf(399), dateOf(0)])
  })
})

describe("count of a deleted workspace", () => {
  it("is discarded", async () => {
    await app.run(
      Effect.gen(function* () {
        const counters = yield* UsageCounters
        counters.count("ws_that-never-was")
        yield* counters.flush
      })
    )
    expect(await written("ws_that-never-was")).toEqual([])
  })
})
