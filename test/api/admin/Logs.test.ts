import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { inspect } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest"
import { startApp, type TestApp, type TestAppOptions } from "../../support/TestApp.ts"

const lines: Array<string> = []
const collect = (...parts: ReadonlyArray<unknown>) =>
  void lines.push(parts.map((part) => (typeof part === "string" ? part : inspect(part, { depth: 20 }))).join(" "))

beforeAll(() => {
  for (const way of ["log", "error", "warn", "info", "debug", "group", "trace"] as const) {
    vi.spyOn(console, way).mockImplementation(collect)
  }
})
afterAll(() => void vi.restoreAllMocks())
afterEach(() => void lines.splice(0))

const using = async (settings: TestAppOptions["settings"], act: (app: TestApp, inbox: string) => Promise<void>) => {
  const app = await startApp(settings === undefined ? {} : { settings })
  try {
    const inbox = (await app.call("GET", "/notebooks")).body.data[0].id
    lines.splice(0)
    await act(app, inbox)
  } finally {
    await app.stop()
  }
}

const requests = () => lines.map((line) => JSON.parse(line)).filter((line) => line.message === "request")

const onServer = (text: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        PgConnection.make({ ...inject("postgres"), host: inject("postgres").socketDirectory, database: "postgres" }),
        (connection) => connection.query(text)
      )
    )
  )

describe("log", () => {
  it("contains one line when the database fails, one per minute during the failure, and one when it is back", () =>
    using({ logLevel: "info" }, async (app) => {
      const warnings = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== "INFO")
      const request = async () => (await app.call("GET", "/notebooks")).status
      await onServer(`ALTER DATABASE ${app.database} ALLOW_CONNECTIONS false`)
      try {
        await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${app.database}'`)
        await expect.poll(request).toBe(503)
        for (let time = 0; time < 20; time++) await request()
        await expect.poll(() => warnings().length).toBe(1)
        for (let time = 0; time < 50; time++) await app.move("1 second")
        await request()
        expect(warnings()).toMatchObject([
          { message: "the database cannot be reached", annotations: { seconds: 0, failures: expect.any(Number) } }
        ])
        for (let time = 0; time < 15; time++) await app.move("1 second")
        await expect.poll(() => warnings().length).toBe(2)
        const { annotations, message } = warnings()[1]
        expect(message).toBe("the database cannot be reached")
        expect(annotations.seconds).toBeGreaterThanOrEqual(60)
        // The failures of the requests at least, in either line.
        expect(warnings()[0].annotations.failures + annotations.failures).toBeGreaterThanOrEqual(20)
      } finally {
        await onServer(`ALTER DATABASE ${app.database} ALLOW_CONNECTIONS true`)
      }
      await expect
        .poll(async () => {
          await app.move("1 second")
          return warnings().at(-1).message
        })
        .toBe("the database can be reached again")
      await expect.poll(request).toBe(200)
      expect(warnings()).toHaveLength(3)
    }))

  it("contains a line per request at level debug, with the request id of the response", () =>
    using({ logLevel: "debug" }, async (app) => {
      const made = await app.call("POST", "/tags", { name: "logged" })
      await app.call("GET", "/notes/nt_missing", undefined, { "x-request-id": "mine-1" })
      expect(requests()).toMatchObject([
        {
          level: "DEBUG",
          annotations: {
            request_id: made.headers.get("request-id"),
            method: "POST",
            route: "/v2/tags",
            status: 201,
            ms: expect.any(Number)
          }
        },
        { annotations: { request_id: "mine-1", route: "/v2/notes/{id}", status: 404, code: "not_found" } }
      ])
    }))

  it("contains no line for successful requests and client errors at level info", () =>
    using({ logLevel: "info" }, async (app) => {
      await app.call("POST", "/tags", { name: "unlogged" })
      await app.call("GET", "/notes/nt_missing")
      await app.call("POST", "/notes", "{")
      expect(requests()).toEqual([])
    }))

  it("warns once about a parameter name that is close to a known one, without its value", () =>
    using({ logLevel: "info" }, async (app) => {
      for (const value of ["title:secret", "body:private"]) await app.call("GET", `/notes?fliter=${value}`)
      await app.call("GET", "/notes?far_from_all=1")
      const logged = lines.map((line) => JSON.parse(line))
      expect(logged).toMatchObject([
        { level: "WARN", annotations: { method: "GET", parameter: "fliter", near: "filter" } }
      ])
      expect(lines.join("")).not.toMatch(/secret|private/)
    }))

  for (const logFormat of ["json", "pretty"] as const) {
    it(`never contains secrets or user content as ${logFormat}, even when a request fails`, () =>
      using({ logLevel: "trace", logFormat }, async (app, inbox) => {
        const secret = (name: string) => `hush-${name}-hush`
        // The error of the database contains the whole row that the constraint rejects.
        await app.sql("ALTER TABLE notes ADD CONSTRAINT refused CHECK (title NOT LIKE '%refused%')")
        const wrong = `sfk_${"A".repeat(36)}`
        await app.call("GET", `/search/suggest?q=${secret("query")}`)
        await app.call("POST", "/search", { query: secret("search") })
        await app.call("GET", `/notes?filter=title:${secret("filter")}`)
        await app.call("GET", `/notes?cursor=${secret("cursor")}&sort=${secret("sort")}`)
        await app.call("GET", `/notes/${secret("path")}`)
        await app.call("GET", "/notes", undefined, { authorization: `Bearer ${wrong}`, cookie: secret("cookie") })
        for (const page of ["/invitations/accept", "/password/reset", "/email/confirm", "/setup"]) {
          const url = `${new URL(app.url).origin}${page}?token=${secret("link")}`
          await (await fetch(url)).text()
          const body = new URLSearchParams({ password: secret("password"), new_password: secret("new") })
          await (await fetch(url, { method: "POST", body })).text()
        }
        await app.call("POST", "/tags", { name: secret("tag"), color: secret("color") })
        await app.call("POST", "/notes", `{"title":"${secret("broken")}`)
        const failed = await app.call("POST", "/notes", {
          notebook_id: inbox,
          title: `${secret("title")} refused`,
          body: secret("body"),
          tags: [secret("name")]
        })
        const pushed = await app.call("POST", "/sync/push", {
          changes: [
            {
              type: "note",
              op: "upsert",
              id: "nt_aaaaaaaaaaaaaaaaaaaa",
              data: { notebook_id: inbox, title: `${secret("pushed")} refused`, body: secret("body") }
            }
          ]
        })
        expect(failed.status).toBe(500)
        const log = lines.join("\n")
        expect(log.match(/hush-\w+-hush/g) ?? []).toEqual([])
        for (const hidden of [app.key, wrong, app.key.slice(4, 34)]) expect(log).not.toContain(hidden)
        // The log contains the failed request and the reason.
        for (const { headers } of [failed, pushed]) expect(log).toContain(headers.get("request-id"))
        expect(log).toContain("a request failed")
        expect(log).toMatch(/violates check constraint/)
      }))
  }
})
