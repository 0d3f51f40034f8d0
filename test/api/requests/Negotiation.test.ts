import { beforeAll, describe, expect, it } from "vitest"
import { openApiDocument } from "../../../src/server/openapi/OpenApiDocument.ts"
import { raw, request } from "../../support/RawHttp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string
let note: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  note = (await app.call("POST", "/notes", { notebook_id: notebook, title: "Here" })).body.id
})

const authorized = () => ({ authorization: `Bearer ${app.key}` })

describe("Accept", () => {
  const statusFor = async (accept: string, path = "/notes") =>
    (await app.call("GET", path, undefined, { accept })).status

  it("returns 200 for any range that includes JSON or problems", async () => {
    for (const accept of [
      "",
      "*/*",
      "application/*",
      "application/json",
      "Application/JSON",
      "application/problem+json",
      "text/html, application/json;q=0.1",
      "text/plain;q=0, */*;q=0.1",
      "application/json; charset=utf-8",
      "text/html;q=0.9,*/*;q=0.8"
    ])
      expect(await statusFor(accept), accept).toBe(200)
  })

  it("returns 406 if both are excluded", async () => {
    for (const accept of [
      "text/html",
      "text/*",
      "image/png, application/xml",
      "application/json;q=0, application/problem+json;q=0",
      "application/*;q=0",
      "*/*;q=0.0"
    ]) {
      const answer = await app.call("GET", "/notes", undefined, { accept })
      expect([answer.status, answer.body?.code], accept).toEqual([406, "not_acceptable"])
      expect(answer.headers.get("content-type")).toBe("application/problem+json")
    }
  })

  it("accepts any weight above zero; the most specific range decides", async () => {
    expect(await statusFor("application/json;q=0, application/*;q=1")).toBe(200)
    expect(await statusFor("application/json;q=0, application/problem+json;q=0, */*")).toBe(406)
    expect(await statusFor("application/json;q=0.001")).toBe(200)
  })

  it("requires text/event-stream for a stream", async () => {
    expect(await statusFor("application/json", "/sync/stream")).toBe(406)
    for (const accept of ["text/event-stream", "*/*", "text/*"]) {
      const response = await fetch(`${app.url}/sync/stream`, { headers: { ...authorized(), accept } })
      expect([response.status, response.headers.get("content-type")], accept).toEqual([200, "text/event-stream"])
      await response.body!.cancel()
    }
  })

  it("is checked after the credential, so that it reveals nothing to other callers", async () => {
    const answer = await app.call("GET", "/notes", undefined, { accept: "text/html", authorization: "" })
    expect(answer.body.code).toBe("authentication_required")
  })
})

describe("request body", () => {
  const create = (headers: Record<string, string>) =>
    app.call("POST", "/notes", { notebook_id: notebook, title: "x" }, headers)

  it("must be JSON in UTF-8, otherwise 415", async () => {
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"'
    ]) {
      expect((await create({ "content-type": type })).status, type).toBe(201)
    }
    for (const type of [
      "text/json",
      "application/merge-patch+json",
      "application/json; charset=utf-16",
      "application/json;charset=latin1",
      "multipart/form-data; boundary=x"
    ]) {
      const answer = await create({ "content-type": type })
      expect([answer.status, answer.body.code], type).toEqual([415, "unsupported_media_type"])
    }
  })

  it("returns 415 with Accept-Encoding if it is compressed", async () => {
    const answer = await create({ "content-encoding": "gzip" })
    expect([answer.status, answer.headers.get("accept-encoding")]).toEqual([415, "identity"])
    expect((await create({ "content-encoding": "identity" })).status).toBe(201)
  })

  it("is optional for actions, and so is Content-Type", async () => {
    const line = `POST /v2/notes/${note}/archive`
    for (const headers of [
      {},
      { "content-length": "0" },
      { "content-type": "application/json", "content-length": "0" }
    ]) {
      expect((await raw(app.url, request(line, { ...authorized(), ...headers }))).status).toBe(200)
    }
    const untyped = await raw(
      app.url,
      request("POST /v2/notes", authorized(), JSON.stringify({ notebook_id: notebook, title: "y" }))
    )
    expect(untyped.status).toBe(201)
  })

  it("has no type if it is empty: actions ignore the header, and others report what is missing", async () => {
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/json;charset=x"
    ]
    const sent = (line: string, type: string) =>
      raw(
        app.url,
        request(line, { ...authorized(), "content-type": type, "content-length": "0", "content-encoding": "br" })
      )
    for (const type of types) {
      const archived = await sent(`POST /v2/notes/${note}/archive`, type)
      expect([archived.status, JSON.parse(archived.body.toString()).archived], type).toEqual([200, true])
      expect((await sent("POST /v2/notes", type)).status, type).toBe(422)
    }
    const optional = Object.entries<any>(openApiDocument("http://sheaf.test").paths).flatMap(([path, item]) =>
      Object.entries<any>(item).flatMap(([method, { requestBody }]) =>
        requestBody?.required === false ? [`${method.toUpperCase()} /v2${path.replaceAll(/\{\w+\}/g, "unknown")}`] : []
      )
    )
    expect(optional.length).toBeGreaterThan(15)
    // A log-out would end the key's calls.
    for (const line of optional.filter((each) => !each.includes("/auth/"))) {
      expect((await sent(line, "text/plain")).status, line).not.toBe(415)
    }
  })
})

describe("request method", () => {
  it("HEAD returns the status and headers of GET without a body", async () => {
    for (const path of [
      "/v2/notes",
      `/v2/notes/${note}`,
      "/v2/notes/nt_unknown",
      "/v2/openapi.json",
      "/v2/errors/not_found",
      "/healthz"
    ]) {
      const [head, get] = await Promise.all(
        ["HEAD", "GET"].map((method) =>
          raw(app.url, request(`${method} ${path}`, { ...authorized(), "x-request-id": "same" }))
        )
      )
      expect(head!.status, path).toBe(get!.status)
      expect(head!.body.length).toBe(0)
      expect(get!.body.length).toBeGreaterThan(0)
      const { date: _, ...headers } = head!.headers
      expect(get!.headers, path).toMatchObject(headers)
      expect(head!.headers["content-length"], path).toBe(String(get!.body.length))
    }
  })

  it("HEAD of a stream opens no stream", async () => {
    for (let count = 0; count < 15; count++) {
      const head = await raw(app.url, request("HEAD /v2/sync/stream", authorized()))
      expect([head.status, head.headers["content-type"]]).toEqual([200, "text/event-stream"])
    }
  })

  it("returns 405 with Allow if the path does not support it", async () => {
    for (const [method, path, allow] of [
      ["PUT", "/v2/notes", "GET, HEAD, POST, OPTIONS"],
      ["POST", `/v2/notes/${note}`, "GET, HEAD, PATCH, DELETE, OPTIONS"],
      ["GET", "/v2/sync/push", "POST, OPTIONS"],
      ["HEAD", "/v2/sync/push", "POST, OPTIONS"],
      ["DELETE", "/v2/openapi.json", "GET, HEAD, OPTIONS"],
      ["POST", "/healthz", "GET, HEAD, OPTIONS"],
      ["PROPFIND", "/v2/notes", "GET, HEAD, POST, OPTIONS"]
    ] as const) {
      const answer = await raw(app.url, request(`${method} ${path}`, authorized()))
      expect([answer.status, answer.headers["allow"]], `${method} ${path}`).toEqual([405, allow])
    }
  })

  it("OPTIONS returns the allowed methods to any caller", async () => {
    const notes = await raw(app.url, request("OPTIONS /v2/notes?limit=1"))
    expect([notes.status, notes.headers["allow"], notes.body.length]).toEqual([204, "GET, HEAD, POST, OPTIONS", 0])
    expect(notes.headers["request-id"]).toMatch(/^req_/)
    expect((await raw(app.url, request("OPTIONS /v2/nothing"))).status).toBe(404)
    expect((await raw(app.url, request("OPTIONS *"))).status).toBe(204)
  })
})

describe("request path", () => {
  it("accepts a trailing slash", async () => {
    expect((await app.call("GET", `/notes/${note}/`)).body.id).toBe(note)
    expect((await app.call("GET", "/notes/?limit=1")).body.data).toHaveLength(1)
    expect((await app.call("POST", "/notes/", { notebook_id: notebook, title: "z" })).status).toBe(201)
  })

  it("is case-sensitive", async () => {
    expect((await app.call("GET", "/Notes")).body.code).toBe("route_not_found")
  })
})
