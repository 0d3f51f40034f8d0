import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as MalformedRequests from "../../../src/server/http/server/MalformedRequests.ts"
import { processorSeconds } from "../../support/processorSeconds.ts"
import { raw, type RawResponse, request } from "../../support/RawHttp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const expectProblem = (answer: RawResponse, status: number, code: string, of = "") => {
  expect([answer.status, answer.headers["content-type"]], of).toEqual([status, "application/problem+json"])
  const problem = JSON.parse(answer.body.toString())
  expect(problem, of).toMatchObject({
    status,
    code,
    type: `http://sheaf.test/v2/errors/${code}`,
    request_id: answer.headers["request-id"]
  })
  expect(problem.request_id).toMatch(/^req_/)
  return problem
}

const authorization = () => ({ authorization: `Bearer ${app.key}` })

const post = (body: string | Buffer, path = "/v2/notes") =>
  raw(app.url, request(`POST ${path}`, { ...authorization(), "content-type": "application/json" }, body))

/** Asserts that the App still responds. */
const expectAlive = async () => expect((await app.call("GET", "/notes?limit=1")).status).toBe(200)

describe("malformed HTTP", () => {
  it("returns 400 with a problem", async () => {
    for (const bytes of [
      "nonsense\r\n\r\n",
      "GET /v2/notes HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n",
      "GET /v2/notes HTTP/1.1\r\nhost: x\r\nx: a\0b\r\n\r\n",
      "GET /v2/\0notes HTTP/1.1\r\nhost: x\r\n\r\n",
      "GET /v2/notes HTTP/9.9\r\nhost: x\r\n\r\n",
      "POST /v2/notes HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx",
      "POST /v2/notes HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v2/notes HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n"
    ])
      expectProblem(await raw(app.url, bytes), 400, "malformed_request", JSON.stringify(bytes))
    await expectAlive()
  })

  it("returns 431 for a URL that is too long or too many header fields", async () => {
    expectProblem(await raw(app.url, request(`GET /v2/notes/${"x".repeat(64 * 1024)}`)), 431, "headers_too_large")
    const flood = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x-${index}`, "flood"]))
    expectProblem(await raw(app.url, request("GET /v2/notes", flood)), 431, "headers_too_large")
  })

  it("returns 408 if the head is not received in time", async () => {
    const server = MalformedRequests.watch(
      createServer({ headersTimeout: 20, requestTimeout: 0, connectionsCheckingInterval: 5 }, () => {}),
      systemRandomness,
      "http://sheaf.test/v2/errors/"
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expectProblem(await raw(url, "GET / HTTP/1.1\r\nhost: x\r\n"), 408, "request_timeout")
    await new Promise((resolve) => server.close(resolve))
  })

  it("writes nothing if the body breaks off, and serves the next request", async () => {
    const before = await app.seq()
    await new Promise<void>((resolve) => {
      const half = request(
        "POST /v2/notes",
        { ...authorization(), "content-type": "application/json", "content-length": "1000" },
        `{"title":`
      )
      const socket = connect(Number(new URL(app.url).port), "127.0.0.1", () => socket.end(half))
      socket
        .on("error", () => {})
        .on("close", () => resolve())
        .resume()
    })
    await expectAlive()
    expect(await app.seq()).toBe(before)
  })

  it("returns 400 for an invalid chunked body", async () => {
    const head = request("POST /v2/notes", {
      ...authorization(),
      "content-type": "application/json",
      "transfer-encoding": "chunked"
    })
    const answer = await raw(app.url, Buffer.concat([head, Buffer.from("zz\r\nnot a chunk\r\n")]))
    expect(answer.status).toBe(400)
    expect(answer.headers["content-type"]).toBe("application/problem+json")
    await expectAlive()
  })
})

describe("header fields", () => {
  it("require exactly one Host in HTTP/1.1", async () => {
    expectProblem(await raw(app.url, "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n"), 400, "invalid_header")
    expectProblem(
      await raw(app.url, "GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n"),
      400,
      "invalid_header"
    )
    expect((await raw(app.url, "GET /healthz HTTP/1.0\r\n\r\n")).status).toBe(200)
  })

  it("are rejected if Authorization is repeated", async () => {
    const lines = `GET /v2/notes HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${app.key}\r\nauthorization: Bearer other\r\n\r\n`
    expectProblem(await raw(app.url, lines), 401, "invalid_token")
  })

  it("are ignored if they request another protocol or an unknown expectation", async () => {
    const upgrade = await raw(
      app.url,
      request("GET /v2/notes", {
        ...authorization(),
        connection: "close, upgrade",
        upgrade: "websocket",
        "sec-websocket-key": "eA==",
        "sec-websocket-version": "13"
      })
    )
    expect(upgrade.status).toBe(200)
    const h2c = await raw(
      app.url,
      request(
        "POST /v2/notes",
        { ...authorization(), connection: "close, upgrade", upgrade: "h2c" },
        JSON.stringify({ notebook_id: notebook, title: "x" })
      )
    )
    expect(h2c.status).toBe(201)
    expect(
      (await raw(app.url, request("GET /v2/notes", { ...authorization(), expect: "the-impossible" }))).status
    ).toBe(200)
  })
})

describe("unusual path or query", () => {
  it("returns 404 for an invalid path", async () => {
    for (const path of [
      "/v2/notes/%",
      "/v2/notes/%zz",
      "/v2/notes/%C0%80",
      "/%00",
      "/v2/../../etc/passwd",
      "/v2/notes/%2e%2e%2f",
      "/v2/%6eotes/x/%ff",
      `/v2/notes/${"x".repeat(4000)}`
    ]) {
      const answer = await raw(app.url, request(`GET ${path}`, authorization()))
      expect([answer.status, answer.headers["content-type"]], path.slice(0, 40)).toEqual([
        404,
        "application/problem+json"
      ])
    }
  })

  it("returns 400 for invalid parameters, or ignores unknown ones", async () => {
    for (const [query, status] of [
      ["limit=%", 400],
      ["limit=1&limit=2", 400],
      ["__proto__=1&limit=1", 200],
      ["limit=1&%ff=%ff", 400],
      ["limit=%00", 400],
      [`cursor=${"x".repeat(4000)}`, 400],
      ["limit[]=1", 200]
    ] as const) {
      const answer = await raw(app.url, request(`GET /v2/notes?${query}`, authorization()))
      expect(answer.status, query.slice(0, 40)).toBe(status)
    }
  })
})

describe("JSON body", () => {
  it("returns malformed_json unless it is UTF-8", async () => {
    const note = (bytes: Buffer) =>
      Buffer.concat([Buffer.from(`{"notebook_id":"${notebook}","title":"`), bytes, Buffer.from('"}')])
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc0, 0xaf]]) {
      expectProblem(await post(note(Buffer.from(bytes))), 400, "malformed_json", String(bytes))
    }
    expectProblem(await post(Buffer.from(JSON.stringify({ title: "x" }), "utf16le")), 400, "malformed_json")
    expect(JSON.parse((await post(note(Buffer.from("日本 🗂️")))).body.toString()).title).toBe("日本 🗂️")
    expect((await post(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), note(Buffer.from("x"))]))).status).toBe(201)
  })

  it("returns malformed_json above the maximum depth", async () => {
    for (const body of [
      "[".repeat(100_000),
      "[".repeat(100_000) + "]".repeat(100_000),
      '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)
    ]) {
      expectProblem(await post(body), 400, "malformed_json")
      expectProblem(await post(body, "/v2/sync/push"), 400, "malformed_json")
    }
    const deep = (levels: number) => ({
      changes: [{ type: "note", op: "upsert", data: { x: JSON.parse("[".repeat(levels) + "]".repeat(levels)) } }]
    })
    expect((await app.call("POST", "/sync/push", deep(90))).status).toBe(201)
    expect((await app.call("POST", "/sync/push", deep(100))).body.code).toBe("malformed_json")
    const text = { notebook_id: notebook, title: "brackets", body: `${"[".repeat(1000)}\\" "${"{".repeat(1000)}` }
    expect((await app.call("POST", "/notes", text)).body.body).toBe(text.body)
  })

  it("uses the last of duplicate keys", async () => {
    const answer = await post(`{"notebook_id":"nb_none","title":"first","title":"last","notebook_id":"${notebook}"}`)
    expect(JSON.parse(answer.body.toString())).toMatchObject({ title: "last", notebook_id: notebook })
  })

  it("is not affected by __proto__ and constructor", async () => {
    const fields = `"__proto__":{"admin":true,"title":"from the prototype"},"constructor":{"prototype":{"admin":true}}`
    expectProblem(await post(`{"notebook_id":"${notebook}",${fields}}`), 422, "validation_failed")
    const pushed = await post(
      `{"changes":[{"type":"note","op":"upsert","data":{"notebook_id":"${notebook}","title":"x",${fields}}}],${fields}}`,
      "/v2/sync/push"
    )
    const { changes, results } = JSON.parse(pushed.body.toString())
    expect([results[0].status, changes[0].data.title, Object.keys(changes[0].data).includes("__proto__")]).toEqual([
      "applied",
      "x",
      false
    ])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it("is not limited in size here when it is a file", async () => {
    // The requests are rejected for their signature or credential, not for their length.
    const form = { "content-type": "multipart/form-data; boundary=x" }
    const announced = { "content-length": String(100 * 1024 * 1024), expect: "100-continue" }
    const statuses = []
    for (const head of [
      request("PUT /files/none", announced),
      request("POST /v2/attachments", { ...form, ...announced })
    ]) {
      statuses.push((await raw(app.url, head)).status)
    }
    expect(statuses).toEqual([404, 401])
  })

  it("is measured while it is read if its length is not declared, and returns 413", async () => {
    const chunk = Buffer.from(`100000\r\n${" ".repeat(0x100000)}\r\n`)
    const head = (path: string) =>
      request(`POST ${path}`, {
        ...authorization(),
        "content-type": "application/json",
        "transfer-encoding": "chunked"
      })
    const body = (count: number) =>
      Buffer.concat([...Array.from({ length: count }, () => chunk), Buffer.from("0\r\n\r\n")])
    const note = await raw(app.url, Buffer.concat([head("/v2/notes"), body(8)]))
    expect(expectProblem(note, 413, "payload_too_large").limit_bytes).toBe(7 * 1024 * 1024)
    // A push may be larger; this body contains only spaces, which is not JSON.
    expectProblem(await raw(app.url, Buffer.concat([head("/v2/sync/push"), body(8)])), 400, "malformed_json")
    const push = await raw(app.url, Buffer.concat([head("/v2/sync/push"), body(17)]))
    expect(expectProblem(push, 413, "payload_too_large").limit_bytes).toBe(16 * 1024 * 1024)
  })

  it("with millions of invalid values is rejected cheaply, with a short response", async () => {
    const { answer, seconds } = await processorSeconds(() =>
      post(`{"notebook_id":"${notebook}","title":"x","tags":[${"1,".repeat(3_000_000)}1]}`)
    )
    const { errors } = expectProblem(answer, 422, "validation_failed")
    expect(errors).toMatchObject([{ pointer: "", code: "too_many" }])
    // This took ten seconds and 300 MB of errors before the limit.
    expect(seconds).toBeLessThan(4)
    const many = await post(`{"notebook_id":"${notebook}","title":"x","tags":[${"1,".repeat(9_000)}1]}`)
    expect(expectProblem(many, 422, "validation_failed").errors).toHaveLength(100)
  })
})
