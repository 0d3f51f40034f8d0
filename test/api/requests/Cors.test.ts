import { describe, expect, it } from "vitest"
import { raw, request } from "../../support/RawHttp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const origin = { origin: "https://notes.example" }

const corsHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"))

describe("browser on another origin", () => {
  it("receives permission in a preflight response, without a credential", async () => {
    for (const path of ["/v2/notes", "/v2/notes/nt_x/archive", "/v2/sync/stream", "/v2/nothing"]) {
      const answer = await raw(
        app.url,
        request(`OPTIONS ${path}`, {
          ...origin,
          "access-control-request-method": "PATCH",
          "access-control-request-headers": "authorization,content-type,if-match,idempotency-key"
        })
      )
      expect(answer.status, path).toBe(204)
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "authorization,content-type,if-match,idempotency-key",
        "access-control-max-age": "86400"
      })
      const methods = answer.headers["access-control-allow-methods"]!.split(", ")
      expect(methods).toEqual(expect.arrayContaining(["GET", "POST", "PUT", "PATCH", "DELETE"]))
    }
  })

  it("may upload and download files with signed URLs", async () => {
    for (const [method, names] of [
      ["PUT", "content-type"],
      ["GET", "range,if-range"]
    ] as const) {
      const answer = await raw(
        app.url,
        request("OPTIONS /files/some-file?signature=x", {
          ...origin,
          "access-control-request-method": method,
          "access-control-request-headers": names
        })
      )
      expect(answer.status).toBe(204)
      expect(answer.headers["access-control-allow-origin"]).toBe("*")
      expect(answer.headers["access-control-allow-headers"]).toBe(names)
      expect(answer.headers["access-control-allow-methods"]!.split(", ")).toContain(method)
    }
    const answer = await raw(app.url, request("GET /files/", origin))
    expect(answer.headers["access-control-allow-origin"]).toBe("*")
    const exposed = answer.headers["access-control-expose-headers"]!.split(", ")
    expect(exposed).toEqual(
      expect.arrayContaining(["Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Range", "ETag"])
    )
  })

  it("receives Authorization in Access-Control-Allow-Headers when it requests no headers", async () => {
    const answer = await raw(
      app.url,
      request("OPTIONS /v2/notes", { ...origin, "access-control-request-method": "GET" })
    )
    expect(answer.headers["access-control-allow-headers"]).toContain("Authorization")
  })

  it("may read responses and problems with the headers that it needs", async () => {
    for (const [path, headers, status] of [
      ["/v2/notes", { authorization: `Bearer ${app.key}` }, 200],
      ["/v2/notes", {}, 401],
      ["/v2/nothing", {}, 404],
      ["/v2/openapi.json", {}, 200]
    ] as const) {
      const answer = await raw(app.url, request(`GET ${path}`, { ...origin, ...headers }))
      expect(answer.status).toBe(status)
      expect(answer.headers["access-control-allow-origin"]).toBe("*")
      expect(answer.headers["access-control-allow-credentials"]).toBeUndefined()
      const exposed = answer.headers["access-control-expose-headers"]!.split(", ")
      for (const name of [
        "ETag",
        "Link",
        "Location",
        "Request-Id",
        "Retry-After",
        "Deprecation",
        "Idempotent-Replayed",
        "Preference-Applied",
        "RateLimit",
        "RateLimit-Policy",
        "RateLimit-Remaining",
        "WWW-Authenticate"
      ]) {
        expect(exposed, path).toContain(name)
      }
    }
  })

  it("may open an event stream", async () => {
    const response = await fetch(`${app.url}/sync/stream`, {
      headers: { ...origin, authorization: `Bearer ${app.key}` }
    })
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"])
    await response.body!.cancel()
  })
})

describe("paths outside the API", () => {
  it("send no CORS headers", async () => {
    for (const path of ["/healthz", "/docs", "/metrics", "/nothing"]) {
      expect(corsHeaders((await raw(app.url, request(`GET ${path}`, origin))).headers), path).toEqual([])
      const asked = { ...origin, "access-control-request-method": "GET" }
      expect(corsHeaders((await raw(app.url, request(`OPTIONS ${path}`, asked))).headers), path).toEqual([])
    }
  })
})

describe("request without Origin", () => {
  it("receives no CORS headers", async () => {
    for (const line of ["GET /v2/notes", "OPTIONS /v2/notes", "GET /v2/nothing"]) {
      expect(
        corsHeaders((await raw(app.url, request(line, { authorization: `Bearer ${app.key}` }))).headers),
        line
      ).toEqual([])
    }
  })
})
