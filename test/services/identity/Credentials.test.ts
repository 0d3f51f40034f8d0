import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { NodeBus } from "../../../services/database/NodeBus.ts"
import { guest, register } from "../../support/people/People.ts"
import { EventStream } from "../../support/EventStream.ts"
import { statementsOf } from "../../support/Statements.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let other: TestApp

beforeAll(async () => {
  other = await startApp({ databaseOf: app })
})
afterAll(async () => {
  await other.stop()
})

const onServer = (text: string) => {
  const { socketDirectory, ...postgres } = inject("postgres")
  return Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PgConnection.make({ ...postgres, host: socketDirectory, database: "postgres" }), (connection) =>
        connection.query(text)
      )
    )
  )
}

const about = /api_keys|sessions|members/

/** Does something while a process counts as cut off (no heartbeat for two seconds) or not, however busy the machine is. */
const whileCutOff = async (isCutOff: boolean, process: TestApp, work: () => Promise<void>): Promise<void> => {
  const bus: any = await process.run(Effect.service(NodeBus))
  const before = bus.isCutOff
  bus.isCutOff = () => isCutOff
  try {
    await work()
  } finally {
    bus.isCutOff = before
  }
}

/** Waits until the App has received all earlier news: news arrive in the order in which they are sent. */
const allReceived = async () => {
  const [here, there] = await Promise.all([app, other].map((at) => at.run(Effect.service(NodeBus))))
  await new Promise<void>((resolve) => {
    const last = randomUUID()
    Effect.runSync(here!.subscribe({ log: (workspace_id) => workspace_id === last && resolve() }))
    there!.notifyLog(last, 1)
  })
}

describe("a cached credential", () => {
  it.each([
    ["an API key", async () => (await guest(app)).headers],
    ["a user's token", async () => (await register(app)).headers]
  ])("needs no SQL statement: %s", (_, made) =>
    whileCutOff(false, app, async () => {
      const headers = await made()
      const ask = () => app.call("GET", "/notes", undefined, headers)
      // The news of its creation could arrive after its first use.
      await allReceived()
      expect((await ask()).status).toBe(200)
      const { statements } = await statementsOf(app, about, async () => {
        for (let n = 0; n < 5; n++) await ask()
      })
      expect(statements).toEqual([])
    })
  )

  it("is read again after a change of rights in its workspace, and not after other changes", () =>
    whileCutOff(false, app, async () => {
      const one = await guest(app)
      const asked = async () => {
        await allReceived()
        const ask = () => app.call("GET", "/notes", undefined, one.headers)
        return (await statementsOf(app, about, ask)).statements.length
      }
      expect([await asked(), await asked()]).toEqual([1, 0])
      await app.call("POST", "/notebooks", { name: "Another" })
      expect(await asked()).toBe(0)
      const made = await app.call("POST", "/api-keys", { name: "Another", scopes: ["notes:read"] })
      await app.call("DELETE", `/api-keys/${made.body.id}`)
      expect(await asked()).toBe(1)
    }))

  it("is read for each request while the node receives no news, so that a log-out on another node applies", async () => {
    const one = await register(app)
    const there = () => other.call("GET", "/me", undefined, one.headers)
    expect((await there()).status).toBe(200)
    await whileCutOff(true, other, async () => {
      expect((await statementsOf(other, about, there)).statements).toHaveLength(1)
      await app.call("POST", "/auth/logout", undefined, one.headers)
      expect((await there()).status).toBe(401)
    })
  })
})

describe("news between nodes", () => {
  it("count as missed from the loss of the connection until a new one", async () => {
    const bus = await other.run(Effect.service(NodeBus))
    await expect.poll(() => bus.isCutOff()).toBe(false)
    const one = await register(app)
    const stream = await EventStream.open(other, { headers: one.headers })
    await stream.until(() => stream.events.length > 0)
    // Prevents a new connection during the check.
    await onServer(`ALTER DATABASE ${app.database} ALLOW_CONNECTIONS false`)
    try {
      await app.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE '%LISTEN%' AND pid <> pg_backend_pid()"
      )
      await expect.poll(() => bus.isCutOff()).toBe(true)
      await app.call("POST", "/auth/logout", undefined, one.headers)
      expect((await other.call("GET", "/me", undefined, one.headers)).status).toBe(401)
      await other.move("2 seconds")
      await stream.ended()
      expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    } finally {
      await onServer(`ALTER DATABASE ${app.database} ALLOW_CONNECTIONS true`)
    }
    await expect.poll(() => bus.isCutOff()).toBe(false)
  })
})
