import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StaticResponse } from "../../src/server/http/responses/StaticResponse.ts"
import { raw, request } from "../support/RawHttp.ts"
import { startApp, type TestApp } from "../support/TestApp.ts"

const paths = ["/docs", "/docs/notes", "/v2/openapi.json"]
const decoders: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (body) => body
}

describe("a static response", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  const ask = (line: string, headers: Record<string, string> = {}) => raw(app.url, request(line, headers))

  it("is sent in the coding that the client prefers, with a separate tag per coding", async () => {
    for (const path of paths) {
      const tags = new Set<string>()
      const texts = new Set<string>()
      for (const [coding, decode] of Object.entries(decoders)) {
        const { body, headers, status } = await ask(`GET ${path}`, { "accept-encoding": coding })
        expect([status, headers["content-encoding"], headers["cache-control"]]).toEqual([
          200,
          coding === "identity" ? undefined : coding,
          "no-cache"
        ])
        expect(headers["vary"], path).toContain("Accept-Encoding")
        tags.add(headers["etag"]!)
        texts.add(decode(body).toString())
      }
      expect([tags.size, texts.size], path).toEqual([3, 1])
      expect((await ask(`GET ${path}`)).headers["content-encoding"]).toBe(undefined)
    }
  })

  it("returns 304 to a client that has it in any coding, and the same headers for HEAD", async () => {
    for (const path of [...paths, "/"]) {
      for (const coding of Object.keys(decoders)) {
        const accepting = { "accept-encoding": coding }
        const get = await ask(`GET ${path}`, accepting)
        const { etag } = get.headers
        expect(etag, path).toMatch(/^"[^"]+"$/)
        const again = await ask(`GET ${path}`, { ...accepting, "if-none-match": `"other", W/${etag}` })
        expect([again.status, again.headers["etag"], again.body.length], `${path} ${coding}`).toEqual([304, etag, 0])
        const head = await ask(`HEAD ${path}`, accepting)
        for (const name of ["content-length", "content-encoding", "content-type", "etag", "vary"]) {
          expect(head.headers[name], `${path} ${coding} ${name}`).toBe(get.headers[name])
        }
        expect([head.status, head.body.length]).toEqual([200, 0])
      }
    }
  })

  it("returns 200 to a client with another tag", async () => {
    for (const path of paths) expect((await ask(`GET ${path}`, { "if-none-match": `"other"` })).status).toBe(200)
  })

  it("can be read by scripts of other origins, and caches store that response separately", async () => {
    const { headers } = await ask("GET /v2/openapi.json", { origin: "https://app.example", "accept-encoding": "br" })
    expect(headers["access-control-allow-origin"]).toBe("*")
    expect(headers["vary"]).toBe("Origin, Accept-Encoding")
  })
})

describe("the bytes of a static response", () => {
  it("are compressed once per coding for concurrent requests", async () => {
    const answer = new StaticResponse("x".repeat(5000), { contentType: "text/plain" })
    const ask = (coding: string) =>
      Effect.runPromise(
        Effect.provideService(
          answer.response,
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(new Request("http://sheaf.test/", { headers: { "accept-encoding": coding } }))
        )
      )
    for (const coding of ["br", "gzip", "identity"]) {
      const [one, ...others] = await Promise.all([ask(coding), ask(coding), ask(coding)])
      for (const other of [...others, await ask(coding)]) expect(other).toBe(one)
    }
    expect(await ask("br")).not.toBe(await ask("gzip"))
  })
})
