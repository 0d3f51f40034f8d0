import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Readiness } from "../../../src/server/http/server/Readiness.ts"
import { statementsOf } from "../../support/Statements.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let origin: string

beforeAll(async () => {
  origin = new URL(app.url).origin
})

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(origin + path, { headers, redirect: "manual" })

describe("/", () => {
  it("leads browsers to the console", async () => {
    const response = await get("/", { accept: browser })
    expect([response.status, response.headers.get("location"), response.headers.get("vary")]).toEqual([
      302,
      "/console/",
      "Accept"
    ])
    expect((await get("/console/", { accept: browser })).status).toBe(200)
  })

  it("returns short JSON to programs", async () => {
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
      const response = await get("/", { accept })
      expect([response.status, response.headers.get("content-type"), response.headers.get("vary")], accept).toEqual([
        200,
        "application/json",
        "Accept"
      ])
      expect(await response.json()).toEqual({
        name: "Sheaf",
        status: "ready",
        base_url: "http://sheaf.test/v2",
        console: "http://sheaf.test/console/",
        docs: "http://sheaf.test/docs",
        guide: "http://sheaf.test/docs/clients",
        openapi: "http://sheaf.test/v2/openapi.json",
        health: "http://sheaf.test/healthz",
        readiness: "http://sheaf.test/readyz"
      })
    }
  })

  it("reports that the server is stopping, without querying the database", async () => {
    const readiness = await app.run(Effect.service(Readiness))
    const { answer, statements } = await statementsOf(app, /./, async () => {
      readiness.state = "draining"
      const stopping = await (await get("/")).json()
      const page = await get("/console/", { accept: browser })
      readiness.state = "ready"
      return [stopping, { status: page.status }, await (await get("/")).json()]
    })
    expect(answer).toMatchObject([{ status: "draining" }, { status: 200 }, { status: "ready" }])
    expect(statements).toEqual([])
  })
})

describe("{base_url} and {base_url}/docs", () => {
  it("redirect to /docs, without a credential, with or without a trailing slash", async () => {
    for (const path of ["/v2", "/v2/", "/v2/docs", "/v2/docs/"]) {
      for (const method of ["GET", "HEAD"]) {
        const response = await fetch(origin + path, { method, redirect: "manual" })
        expect([response.status, response.headers.get("location")], `${method} ${path}`).toEqual([302, "/docs"])
      }
      expect((await fetch(origin + path)).url).toBe(`${origin}/docs`)
      expect((await fetch(origin + path, { method: "POST" })).status, path).toBe(405)
    }
  })
})

describe("PUBLIC_URL with a path", () => {
  it("starts every link with that path", async () => {
    const below = await startApp({ databaseOf: app, settings: { publicUrl: "http://sheaf.test/notes" } })
    const at = new URL(below.url).origin
    for (const path of [
      "/console/",
      "/docs",
      "/docs/sync",
      "/docs/clients",
      "/docs/problems",
      "/docs?q=note",
      "/v2/errors/not_found"
    ]) {
      const html = await (await fetch(at + path, { headers: { accept: browser } })).text()
      const links = [...html.matchAll(/ (?:href|action)="([^"]*)"/g)]
        .map(([, href]) => href!)
        // Links to other sites have https.
        .filter((href) => !/^(data:|#|https:)/.test(href))
      expect(links.length, path).toBeGreaterThan(0)
      for (const link of links) expect(link, path).toMatch(/^\/notes\/(console|docs|v2)/)
    }
    for (const [path, location] of [
      ["/", "/notes/console/"],
      ["/v2", "/notes/docs"]
    ]) {
      const response = await fetch(at + path, { headers: { accept: browser }, redirect: "manual" })
      expect(response.headers.get("location")).toBe(location)
    }
    await below.stop()
  })
})
