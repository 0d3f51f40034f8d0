import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { PostgresProxy } from "../support/storage/PostgresProxy.ts"
import { startApp, type TestApp } from "../support/TestApp.ts"
import { expectTruth } from "../support/people/Truth.ts"

let proxy: PostgresProxy
let app: TestApp
beforeAll(async () => {
  proxy = new PostgresProxy(inject("postgres"))
  app = await startApp({
    socketDirectory: proxy.socketDirectory,
    clock: "live",
    settings: { bootstrapEmail: "owner@sheaf.test" }
  })
})
afterAll(async () => {
  await app.stop()
  proxy.stop()
})

/** Retries a write until it succeeds. */
const retried = (create: () => Promise<{ readonly status: number }>) =>
  eventually("the retry of a write succeeds", async () => {
    const { status } = await create()
    // A claim on its key that could not be released expires after a minute. The test does not wait for that.
    if (status === 409) await app.sql("UPDATE idempotency_keys SET claimed_at = '2020-01-01T00:00:00.000Z'")
    return status === 201
  })

/** Returns the status of a response and the seconds that it took. */
const timed = async (request: Promise<{ readonly status: number }>) => {
  const begun = performance.now()
  const { status } = await request
  return { status, seconds: (performance.now() - begun) / 1000 }
}

describe("a PostgreSQL that stops responding", () => {
  it("costs each request a few seconds, and is used again once it responds", async () => {
    const notebook_id = (await app.call("GET", "/notebooks")).body.data[0].id
    const note = (await app.call("POST", "/notes", { notebook_id, title: "Before", body: "words" })).body
    const erased = (await app.call("POST", "/notes", { notebook_id, title: "Erased" })).body
    const at = (path: string) => fetch(new URL(path, app.url))
    const create = () => app.call("POST", "/notes", { notebook_id, title: "Once" }, { "idempotency-key": "once" })
    const login = { email: "owner@sheaf.test", password: "a wrong password" }

    proxy.freeze()
    const requests: Record<string, () => Promise<{ readonly status: number }>> = {
      read: () => app.call("GET", `/notes/${note.id}`),
      list: () => app.call("GET", "/notes?sort=title"),
      search: () => app.call("POST", "/search", { query: "words" }),
      write: create,
      "write without a key": () => app.call("PATCH", `/notes/${note.id}`, { title: "After" }),
      "locked write": () => app.call("DELETE", `/notes/${erased.id}?permanent=true`),
      "log-in": () => app.call("POST", "/auth/login", login),
      pull: () => app.call("POST", "/sync/pull", { device: { name: "Phone", platform: "ios" } })
    }
    const readyz = timed(at("/readyz"))
    const metrics = timed(at("/metrics"))
    for (const [name, first] of await Promise.all(
      Object.entries(requests).map(async ([name, request]) => [name, await timed(request())] as const)
    )) {
      expect([name, first.status]).toEqual([name, 503])
      expect(first.seconds).toBeLessThan(10)
    }
    expect((await readyz).status).toBe(503)
    expect((await readyz).seconds).toBeLessThan(4)
    expect((await metrics).status).toBe(200)
    expect((await metrics).seconds).toBeLessThan(4)
    // The server has noticed it by now.
    const later = await Promise.all(Object.values(requests).map((request) => timed(request())))
    for (const { seconds, status } of later) {
      expect(status).toBe(503)
      expect(seconds).toBeLessThan(6)
    }

    proxy.thaw()
    await eventually("reads succeed", async () => (await app.call("GET", `/notes/${note.id}`)).status === 200)
    await retried(create)
    expect((await create()).headers.get("idempotent-replayed")).toBe("true")
    const titles = (await app.call("GET", "/notes?limit=100")).body.data.map(({ title }: { title: string }) => title)
    expect(titles.filter((title: string) => title === "Once")).toHaveLength(1)
    expect((await app.call("PATCH", `/notes/${note.id}`, { title: "Afterwards" })).status).toBe(200)
    await eventually("the server is ready", async () => (await at("/readyz")).status === 200)
    await expectTruth(app)
  })

  it.each([25])("leaves no write uncertain after a retry with its key (hangs after %i messages)", async (messages) => {
    const notebook_id = (await app.call("GET", "/notebooks")).body.data[0].id
    const create = (index: number) =>
      app.call(
        "POST",
        "/notes",
        { notebook_id, title: `Note ${messages} ${index}` },
        { "idempotency-key": `${messages}-${index}` }
      )
    const all = Array.from({ length: 20 }, (_, index) => index)
    const reached = proxy.after(messages)
    const first = Promise.all(all.map((index) => timed(create(index))))
    await reached
    proxy.freeze()
    for (const { seconds, status } of await first) {
      expect([201, 503]).toContain(status)
      expect(seconds).toBeLessThan(10)
    }
    proxy.thaw()
    for (const index of all) {
      await retried(() => create(index))
    }
    const rows = await app.sql("SELECT title, count(*)::int AS count FROM notes WHERE title LIKE $1 GROUP BY title", [
      `Note ${messages} %`
    ])
    expect(rows.map(({ count }) => count)).toEqual(all.map(() => 1))
    await expectTruth(app)
  })
})
