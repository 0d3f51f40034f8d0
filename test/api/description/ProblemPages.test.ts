import { beforeAll, describe, expect, it } from "vitest"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let origin: string

beforeAll(() => {
  origin = new URL(app.url).origin
})

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

const ask = async (path: string, headers: Record<string, string>, init: RequestInit = {}) => {
  const response = await fetch(origin + path, { redirect: "manual", headers, ...init })
  const { status } = response
  return { status, headers: response.headers, type: response.headers.get("content-type"), text: await response.text() }
}

const html = "text/html; charset=utf-8"
const json = "application/problem+json"

describe("problem in a browser", () => {
  it("is a page with links for a path that does not exist", async () => {
    const { headers, status, text, type } = await ask("/nothing/here", { accept: browser })
    expect([status, type]).toEqual([404, html])
    expect(text).toContain("<h1>Page not found</h1>")
    expect(text).toMatch(/<a href="\/">.*<a href="\/docs">/)
    expect(text).toContain(headers.get("request-id"))
    expect(text).not.toContain("<script")
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect([headers.get("x-robots-tag"), headers.get("cache-control"), headers.get("vary")]).toEqual([
      "noindex, nofollow",
      "no-store",
      expect.stringContaining("Accept")
    ])
  })

  it("is a page for a method that is not allowed, with Allow, and for a body that is too large", async () => {
    const post = await ask("/healthz", { accept: browser }, { method: "POST", body: "x" })
    expect([post.status, post.type, post.headers.get("allow")]).toEqual([405, html, "GET, HEAD, OPTIONS"])
    const large = await ask(
      "/invitations/accept",
      { accept: browser },
      { method: "POST", body: "x".repeat(64 * 1024 + 1) }
    )
    expect([large.status, large.type]).toEqual([413, html])
    expect(large.text).toContain("The body is too large.")
  })

  it("explains that a path belongs to the API", async () => {
    const notes = await ask("/v2/notes", { accept: browser })
    expect([notes.status, notes.type]).toEqual([401, html])
    expect(notes.headers.get("www-authenticate")).toBe(`Bearer realm="sheaf"`)
    expect(notes.text).toContain("belongs to the API")
    expect((await ask("/v2/nothing", { accept: browser })).text).toContain("belongs to the API")
    expect((await ask("/nothing", { accept: browser })).text).not.toContain("belongs to the API")
  })

  it("escapes markup", async () => {
    const id = "<img/src=x>"
    const { text } = await ask("/nothing", { accept: browser, "x-request-id": id })
    expect(text).toContain("&lt;img/src=x&gt;")
    expect(text).not.toContain(id)
  })

  it("links below the path of PUBLIC_URL", async () => {
    const below = await startApp({ databaseOf: app, settings: { publicUrl: "http://sheaf.test/notes" } })
    const response = await fetch(`${new URL(below.url).origin}/nothing`, { headers: { accept: browser } })
    expect([...(await response.text()).matchAll(/ href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      "/notes/",
      "/notes/docs",
      "/notes/v2/errors/route_not_found"
    ])
    await below.stop()
  })
})

describe("problem for a program", () => {
  it("is JSON on every path, unless the program prefers HTML", async () => {
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0.5, */*"]) {
      for (const path of ["/nothing", "/v2/nothing", "/v2/notes"]) {
        expect((await ask(path, { accept })).type, `${path} ${accept}`).toBe(json)
      }
    }
  })

  it("is JSON below /v2 if the request has a credential or a body, even if it prefers HTML", async () => {
    const accept = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"
    const authorization = `Bearer ${app.key}`
    expect((await ask("/v2/notes/nt_unknown", { accept, authorization })).type).toBe(json)
    const body = JSON.stringify({ email: "nobody@sheaf.test", password: "not the password" })
    const logIn = { method: "POST", body }
    const answer = await ask("/v2/auth/login", { accept, "content-type": "application/json" }, logIn)
    expect([answer.status, answer.type]).toEqual([401, json])
  })
})
