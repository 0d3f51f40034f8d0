import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Nudge } from "../../../services/storage/Nudge.ts"
import { guest } from "../../Credentials.ts"
import { EventStream } from "../../EventStream.ts"
import { register } from "../../SignIn.ts"
import { statementsOf } from "../../Statements.ts"
import { startApp, type TestApp } from "../../TestApp.ts"

let app: TestApp
let beside: TestApp

beforeAll(async () => {
  app = await startApp()
  beside = await startApp({ beside: app })
})
afterAll(async () => {
  await beside.stop()
  await app.stop()
})

const about = /api_keys|sessions|members/

/** What a process does that has not heard its own sign of life for two seconds. */
const deafen = async (process: TestApp): Promise<() => void> => {
  const nudge: any = await process.run(Effect.service(Nudge))
  const { isDeaf } = nudge
  nudge.isDeaf = () => true
  return () => {
    nudge.isDeaf = isDeaf
  }
}

describe("a credential that was used before", () => {
  it.each([
    ["an API key", async () => (await guest(app)).headers],
    ["a user's token", async () => (await register(app)).headers]
  ])("costs no statement: %s", async (_, made) => {
    const headers = await made()
    const ask = () => app.call("GET", "/notes", undefined, headers)
    const asked = async () => (await statementsOf(app, about, ask)).statements.length
    expect((await ask()).status).toBe(200)
    // The news of its making may arrive after its first use.
    await expect.poll(asked).toBe(0)
    const { statements } = await statementsOf(app, about, async () => {
      for (let n = 0; n < 5; n++) await ask()
    })
    expect(statements).toEqual([])
  })

  it("is read again when its workspace changes who may do what, and not when it changes otherwise", async () => {
    const one = await guest(app)
    const ask = () => app.call("GET", "/notes", undefined, one.headers)
    const asked = async () => (await statementsOf(app, about, ask)).statements.length
    await expect.poll(asked).toBe(0)
    await app.call("POST", "/notebooks", { name: "Another" })
    expect(await asked()).toBe(0)
    const made = await app.call("POST", "/api-keys", { name: "Another", scopes: ["notes:read"] })
    await app.call("DELETE", `/api-keys/${made.body.id}`)
    expect((await statementsOf(app, about, ask)).statements.length).toBeGreaterThan(0)
  })

  it("is read each time while news cannot be heard, so that an end elsewhere holds at once", async () => {
    const one = await register(app)
    const there = () => beside.call("GET", "/me", undefined, one.headers)
    expect((await there()).status).toBe(200)
    const hearAgain = await deafen(beside)
    try {
      expect((await statementsOf(beside, about, there)).statements).toHaveLength(1)
      await app.call("POST", "/auth/logout", undefined, one.headers)
      expect((await there()).status).toBe(401)
    } finally {
      hearAgain()
    }
  })
})

describe("news", () => {
  it("are known to be missed when the connection that hears them is cut, until there is another one", async () => {
    const nudge = await beside.run(Effect.service(Nudge))
    expect(nudge.isDeaf()).toBe(false)
    const one = await register(app)
    const stream = await EventStream.open(beside, { headers: one.headers })
    await stream.until(() => stream.events.length > 0)
    await app.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE '%LISTEN%' AND pid <> pg_backend_pid()"
    )
    await expect.poll(() => nudge.isDeaf(), { interval: 1 }).toBe(true)
    await app.call("POST", "/auth/logout", undefined, one.headers)
    expect((await beside.call("GET", "/me", undefined, one.headers)).status).toBe(401)
    await beside.advance("2 seconds")
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    await expect.poll(() => nudge.isDeaf(), { timeout: 10_000 }).toBe(false)
  })
})
