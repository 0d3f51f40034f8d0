import { expect, it } from "vitest"
import { raw, request } from "../../support/RawHttp.ts"
import { register, unsigned } from "../../support/people/People.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

it("accepts each path in one spelling: no path parameters, no double slashes, no percent-encoded letters outside the API", async () => {
  const headers = { authorization: `Bearer ${app.key}`, host: "localhost" }
  const statusOf = async (path: string) => (await raw(app.url, request(`GET ${path}`, headers))).status
  for (const path of [
    "/metrics",
    "/metrics?x",
    "/v2/notes",
    "/v2/%6eotes",
    "/v2/notes?filter=title%3Aa;b%61//",
    "/v2/notes/"
  ]) {
    expect([path, await statusOf(path)]).toEqual([path, 200])
  }
  for (const path of [
    "/metrics;x",
    "/metrics/",
    "//metrics",
    "/%6detrics",
    "/%6Detrics",
    "/./metrics",
    "/v2/notes;/x",
    "/v2//notes",
    "/v2/notes%2Fx%7E"
  ]) {
    expect([path, await statusOf(path)]).toEqual([path, 404])
  }
})

it("forbids content sniffing, and lets only the client itself store private responses", async () => {
  const notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  const { body: note } = await app.call("POST", "/notes", { notebook_id: notebook, title: "private" })
  const kept = async (path: string, headers: Record<string, string> = {}) =>
    (await app.call("GET", path, undefined, headers)).headers.get("cache-control")
  expect(await kept(`/notes/${note.id}`)).toBe("private, no-cache")
  expect(await kept(`/notes/${note.id}`, { "if-none-match": `"${note.id}:1"` })).toBe("private, no-cache")
  expect(await kept("/notebooks")).toBe("no-store")
  expect(await kept("/me")).toBe("private, no-cache")
  const made = await app.call("POST", "/api-keys", { name: "secret" })
  expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"])
  const person = await register(app)
  const tokens = await unsigned(app, "/auth/refresh", { refresh_token: person.refresh })
  expect(tokens.headers.get("cache-control")).toBe("no-store")
  const refused = await unsigned(app, "/auth/login", { email: "no address" })
  expect([refused.status, refused.headers.get("cache-control")]).toEqual([422, "no-store"])
  for (const path of [
    "/v2/notes",
    "/v2/nothing",
    "/healthz",
    "/docs",
    "/v2/errors/not_found",
    "/v2/openapi.json",
    "/nothing"
  ]) {
    const answer = await raw(app.url, request(`GET ${path}`))
    expect([path, answer.headers["x-content-type-options"]]).toEqual([path, "nosniff"])
  }
  const page = await raw(app.url, request("GET /v2/errors/not_found", { accept: "text/html" }))
  expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'")
})

it("sends Strict-Transport-Security when PUBLIC_URL uses HTTPS", async () => {
  const header = "strict-transport-security"
  expect((await app.call("GET", "/me")).headers.get(header)).toBeNull()
  const secure = await startApp({ settings: { publicUrl: "https://notes.example.org" }, databaseOf: app })
  try {
    for (const path of ["/me", "/nothing"]) {
      expect((await secure.call("GET", path)).headers.get(header)).toBe("max-age=31536000")
    }
  } finally {
    await secure.stop()
  }
})
