import { beforeAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { Redacted } from "effect"
import { guest } from "../../support/people/People.ts"
import { type ApiResponse, epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string
let origin: string

beforeAll(async () => {
  origin = new URL(app.url).origin
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

/** Asserts the shape that every problem has (contract, section 2). */
const expectProblem = (answer: ApiResponse, status: number, code: string, instance: string) => {
  expect([answer.status, answer.body?.code], answer.text).toEqual([status, code])
  expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/)
  expect(answer.body).toMatchObject({
    type: `http://sheaf.test/v2/errors/${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: `/v2${instance}`,
    request_id: answer.headers.get("request-id")
  })
  return answer.body
}

describe("request without a valid credential", () => {
  const unauthorized = async (authorization: string | undefined, code: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const response = await fetch(`${app.url}/notes?limit=1`, { headers })
    const text = await response.text()
    expectProblem(
      { status: response.status, headers: response.headers, text, body: JSON.parse(text) },
      401,
      code,
      "/notes"
    )
    return response.headers.get("www-authenticate")!
  }

  it("returns 401 without an error code if it has no credential (RFC 6750)", async () => {
    for (const none of [undefined, "", "Basic dXNlcjpwYXNz", "Bearer"]) {
      expect(await unauthorized(none, "authentication_required")).toMatch(/^Bearer realm="sheaf"$/)
    }
  })

  it("returns invalid_token for an unknown credential", async () => {
    const unknown = Redacted.value(Tokens.make(systemRandomness, "sfk"))
    for (const wrong of ["x", "sfk_", app.key.slice(0, -1), `${app.key}x`, app.key.slice(0, -1) + "!", unknown]) {
      expect(await unauthorized(`Bearer ${wrong}`, "invalid_token")).toMatch(/^Bearer .*error="invalid_token"/)
    }
  })

  it("returns token_expired for an expired credential", async () => {
    const { key, key_id } = await guest(app)
    await app.sql("UPDATE api_keys SET expires_at = $1 WHERE id = $2", [new Date(epoch - 1).toISOString(), key_id])
    expect(await unauthorized(`Bearer ${key}`, "token_expired")).toMatch(/error="invalid_token"/)
  })

  it("returns 401 on every protected route, whatever its body", async () => {
    const none = { authorization: "" }
    for (const [method, path] of [
      ["POST", "/notes"],
      ["PATCH", "/notes/nt_x"],
      ["POST", "/sync/push"],
      ["GET", "/sync/stream"],
      ["POST", "/search"]
    ] as const) {
      const answer = await app.call(method, path, method === "GET" ? undefined : "{ not json", none)
      expectProblem(answer, 401, "authentication_required", path)
    }
  })

  it("is rejected a minute after the credential was deleted directly in the database", async () => {
    const { headers, key_id } = await guest(app)
    expect((await app.call("GET", "/notes", undefined, headers)).status).toBe(200)
    await app.sql("DELETE FROM api_keys WHERE id = $1", [key_id])
    await app.advance("1 minute")
    expect((await app.call("GET", "/notes", undefined, headers)).status).toBe(401)
  })
})

describe("credential without the necessary right", () => {
  it("returns 403 insufficient_scope with required_scopes if it lacks a scope", async () => {
    const { headers } = await guest(app, { scopes: ["notes:read", "profile"] })
    expect((await app.call("GET", "/notes", undefined, headers)).status).toBe(200)
    for (const [method, path, body] of [
      ["POST", "/notes", { notebook_id: notebook, title: "No" }],
      ["POST", "/notes", { wrong: true }],
      ["DELETE", "/notes/nt_unknown", undefined],
      ["POST", "/notebooks", { name: "No" }],
      ["POST", "/tags", { name: "no" }],
      ["POST", "/sync/push", { changes: [] }]
    ] as const) {
      const problem = expectProblem(await app.call(method, path, body, headers), 403, "insufficient_scope", path)
      expect(problem.required_scopes).toEqual(["notes:write"])
    }
    const none = await guest(app, { scopes: ["files:read"] })
    for (const [method, path] of [
      ["GET", "/notes"],
      ["POST", "/sync/pull"],
      ["GET", "/search/suggest"]
    ] as const) {
      const problem = expectProblem(
        await app.call(method, path, undefined, none.headers),
        403,
        "insufficient_scope",
        path
      )
      expect(problem.required_scopes).toContain("notes:read")
    }
  })

  it("may read with notes:write", async () => {
    const { headers } = await guest(app, { scopes: ["notes:write"] })
    expect((await app.call("GET", "/notes", undefined, headers)).status).toBe(200)
    expect((await app.call("POST", "/search", { query: "x" }, headers)).status).toBe(201)
  })

  it("of a viewer may read, search, pull and stream, but not write", async () => {
    const { headers } = await guest(app, { role: "viewer" })
    const statuses = await Promise.all([
      app.call("GET", "/notes", undefined, headers),
      app.call("POST", "/search", { query: "x" }, headers),
      app.call("POST", "/sync/pull", {}, headers)
    ])
    expect(statuses.map(({ status }) => status)).toEqual([200, 201, 201])
    const stream = await fetch(`${app.url}/sync/stream`, { headers })
    expect(stream.status).toBe(200)
    await stream.body!.cancel()
    for (const path of ["/notes", "/notebooks", "/tags", "/sync/push"]) {
      expectProblem(await app.call("POST", path, {}, headers), 403, "insufficient_role", path)
    }
  })

  it("of another workspace finds nothing of this one, and cannot select it", async () => {
    const { headers } = await guest(app, { elsewhere: true })
    const note = (await app.call("POST", "/notes", { notebook_id: notebook, title: "Ours" })).body
    for (const method of ["GET", "DELETE"]) {
      expectProblem(
        await app.call(method, `/notes/${note.id}`, undefined, headers),
        404,
        "not_found",
        `/notes/${note.id}`
      )
    }
    expectProblem(
      await app.call("PATCH", `/notes/${note.id}`, { title: "Theirs" }, headers),
      404,
      "not_found",
      `/notes/${note.id}`
    )
    const stepping = { ...headers, "workspace-id": app.workspace_id }
    expectProblem(await app.call("GET", "/notes", undefined, stepping), 403, "workspace_mismatch", "/notes")
  })
})

describe("invalid request", () => {
  it("returns 404 route_not_found for an unknown route", async () => {
    for (const path of ["/nothing", "/notes/nt_x/nothing"]) {
      expectProblem(await app.call("GET", path), 404, "route_not_found", path)
    }
  })

  it("returns 405 with Allow for another method of a known route", async () => {
    const answer = await app.call("PUT", "/notes")
    expectProblem(answer, 405, "method_not_allowed", "/notes")
    expect(answer.headers.get("allow")!.split(", ").sort()).toEqual(["GET", "HEAD", "OPTIONS", "POST"])
  })

  it("returns 404 for an impossible id", async () => {
    for (const id of ["%00", "nt_%00", "nt_%F0%9F%98%80"]) {
      const answer = await app.call("GET", `/notes/${id}`)
      expect([answer.status, answer.body?.code], id).toEqual([404, expect.stringMatching(/not_found$/)])
    }
    expectProblem(await app.call("GET", "/notes/%FF"), 404, "route_not_found", "/notes/%FF")
  })

  it("returns 400 malformed_json for malformed JSON", async () => {
    for (const body of ["{", '{"title": }', "nothing"]) {
      const answer = await app.call("POST", "/notes", body, { "content-type": "application/json" })
      expectProblem(answer, 400, "malformed_json", "/notes")
    }
  })

  it("returns 415 for another media type", async () => {
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded"]) {
      const answer = await app.call("POST", "/notes", `{"notebook_id":"${notebook}","title":"x"}`, {
        "content-type": type
      })
      expectProblem(answer, 415, "unsupported_media_type", "/notes")
    }
    const charset = { "content-type": "application/json; charset=utf-8" }
    expect((await app.call("POST", "/notes", { notebook_id: notebook, title: "ü" }, charset)).status).toBe(201)
  })

  it("returns 422 with every invalid field in errors", async () => {
    const answer = await app.call("POST", "/notes", { title: 7, pinned: "yes", tags: ["ok", 3], body: null })
    const { errors } = expectProblem(answer, 422, "validation_failed", "/notes")
    expect(errors.map(({ code, field, pointer }: any) => [field, pointer, code]).sort()).toEqual([
      ["body", "/body", "invalid_type"],
      ["notebook_id", "/notebook_id", "required"],
      ["pinned", "/pinned", "invalid_type"],
      ["tags.1", "/tags/1", "invalid_type"],
      ["title", "/title", "invalid_type"]
    ])
    for (const { message } of errors) expect(message).toEqual(expect.any(String))
    expectProblem(await app.call("POST", "/notes", []), 422, "validation_failed", "/notes")
    expectProblem(await app.call("POST", "/notes", "null"), 422, "validation_failed", "/notes")
    const nul = await app.call("POST", "/notes", { notebook_id: notebook, title: "nul \0" })
    expect(expectProblem(nul, 422, "validation_failed", "/notes").errors).toMatchObject([{ pointer: "/title" }])
  })

  it("returns 400 for an invalid limit, cursor or sort", async () => {
    for (const limit of ["0", "101", "1.5", "x", "-1", ""]) {
      expectProblem(await app.call("GET", `/notes?limit=${limit}`), 400, "invalid_limit", "/notes")
    }
    expectProblem(await app.call("GET", "/notes?cursor=forged"), 400, "invalid_cursor", "/notes")
    expect(
      expectProblem(await app.call("GET", "/notes?sort=smell"), 400, "invalid_sort", "/notes").allowed_fields
    ).toContain("title")
  })

  it("returns 413 with limit_bytes for a body that is too large", async () => {
    const answer = await app.call("POST", "/notes", {
      notebook_id: notebook,
      title: "x",
      body: "y".repeat(8 * 1024 * 1024)
    })
    expect(expectProblem(answer, 413, "payload_too_large", "/notes").limit_bytes).toBe(7 * 1024 * 1024)
  })
})

describe("every response", () => {
  it("contains Request-Id: a new one, or the client's X-Request-Id", async () => {
    const first = (await app.call("GET", "/notes")).headers.get("request-id")!
    expect(first).toMatch(/^req_/)
    expect((await app.call("GET", "/notes")).headers.get("request-id")).not.toBe(first)
    for (const path of ["/notes", "/nothing", "/notes/nt_x"]) {
      const answer = await app.call("GET", path, undefined, { "x-request-id": "trace-42" })
      expect(answer.headers.get("request-id")).toBe("trace-42")
    }
    const long = await app.call("GET", "/notes", undefined, { "x-request-id": "x".repeat(129) })
    expect(long.headers.get("request-id")).toMatch(/^req_/)
  })

  it("reveals nothing about an internal error", async () => {
    await app.sql("ALTER TABLE tags RENAME TO tags_away")
    const answer = await app.call("GET", "/tags")
    await app.sql("ALTER TABLE tags_away RENAME TO tags")
    expectProblem(answer, 500, "internal_error", "/tags")
    expect(answer.text).not.toMatch(/relation|SELECT|\.ts/)
  })
})

describe("endpoints without a credential", () => {
  it("return 200 for /healthz and /readyz", async () => {
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(origin + path)).status).toBe(200)
  })

  it("return OpenAPI 3.1 of version 2.15.0 with every operation for openapi.json", async () => {
    const response = await fetch(`${app.url}/openapi.json`)
    expect(response.headers.get("content-type")).toMatch(/^application\/json/)
    const document: any = await response.json()
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info.version).toBe("2.15.0")
    expect(document.servers).toEqual([{ url: "http://sheaf.test/v2" }])
    for (const [path, methods] of Object.entries({
      "/notes": ["get", "post"],
      "/notes/{id}": ["get", "patch", "delete"],
      "/sync/pull": ["post"],
      "/sync/push": ["post"],
      "/sync/stream": ["get"],
      "/sync/cursor": ["get"],
      "/sync/devices": ["get"],
      "/sync/devices/{id}": ["delete"],
      "/search": ["post"],
      "/search/suggest": ["get"]
    }))
      expect(Object.keys(document.paths[path] ?? {}), path).toEqual(expect.arrayContaining(methods))
  })
})
