import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { raw, type RawResponse, request } from "../../support/RawHttp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string
let large: string
let small: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  large = (
    await app.call("POST", "/notes", { notebook_id: notebook, title: "Large", body: "Blätter im Wind. ".repeat(500) })
  ).body.id
  small = (await app.call("POST", "/notes", { notebook_id: notebook, title: "Small" })).body.id
})

/** Sends the request without fetch, which would decompress the response. */
const ask = (line: string, headers: Record<string, string> = {}, body = "") =>
  raw(app.url, request(line, { authorization: `Bearer ${app.key}`, ...headers }, body))

const decoders: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync }

const textOf = ({ body, headers }: RawResponse): string => {
  const coding = headers["content-encoding"]
  return (coding === undefined ? body : decoders[coding]!(body)).toString()
}

const accepting = (coding: string) => ({ "accept-encoding": coding })

describe("response of 1 KB or more", () => {
  it("uses the coding that the client prefers", async () => {
    const plain = await ask(`GET /v2/notes/${large}`)
    for (const [wanted, coding] of [
      ["gzip", "gzip"],
      ["br", "br"],
      ["gzip, deflate, br", "br"],
      ["gzip;q=1.0, br;q=0.5", "gzip"],
      ["br;q=0, gzip", "gzip"],
      ["*", "br"],
      ["br;q=0, *;q=0.1", "gzip"],
      ["GZIP", "gzip"],
      ["identity;q=0.1, gzip;q=0.2", "gzip"]
    ] as const) {
      const answer = await ask(`GET /v2/notes/${large}`, accepting(wanted))
      expect(answer.headers, wanted).toMatchObject({
        "content-encoding": coding,
        "content-type": "application/json",
        "content-length": String(answer.body.length),
        vary: "Accept-Encoding"
      })
      expect(answer.body.length).toBeLessThan(plain.body.length / 4)
      expect(textOf(answer)).toBe(plain.body.toString())
    }
  })

  it("is not compressed for a client that accepts no coding or only unsupported ones", async () => {
    for (const headers of [
      {},
      ...["", "identity", "deflate", "gzip;q=0, br;q=0.0", "*;q=0", "identity, gzip;q=0.5", "compress"].map(accepting)
    ]) {
      const answer = await ask(`GET /v2/notes/${large}`, headers)
      expect([answer.status, answer.headers["content-encoding"]], JSON.stringify(headers)).toEqual([200, undefined])
      expect(answer.headers["vary"]).toBe("Accept-Encoding")
      expect(JSON.parse(textOf(answer)).id).toBe(large)
    }
  })

  it("is compressed for lists, created resources, problems, pages and the OpenAPI document", async () => {
    const body = JSON.stringify({ notebook_id: notebook, title: "x", body: "x ".repeat(1000) })
    const wrong = JSON.stringify({ notebook_id: notebook, title: "x", tags: Array.from({ length: 50 }, () => 1) })
    for (const [line, sent, status] of [
      ["GET /v2/notes", "", 200],
      ["POST /v2/notes", body, 201],
      ["POST /v2/notes", wrong, 422],
      ["GET /v2/openapi.json", "", 200]
    ] as const) {
      const answer = await ask(line, accepting("gzip"), sent)
      expect([answer.status, answer.headers["content-encoding"]], line).toEqual([status, "gzip"])
      expect(answer.headers["request-id"]).toMatch(/^req_/)
      expect(JSON.parse(textOf(answer))).toBeTypeOf("object")
    }
  })

  it("has the same headers for HEAD", async () => {
    const [head, get] = [
      await ask(`HEAD /v2/notes/${large}`, accepting("gzip")),
      await ask(`GET /v2/notes/${large}`, accepting("gzip"))
    ]
    for (const name of ["content-encoding", "content-length", "etag", "vary"])
      expect(head.headers[name]).toBe(get.headers[name])
    expect(head.body.length).toBe(0)
  })
})

describe("uncompressed responses", () => {
  it("include small and empty ones and event streams", async () => {
    expect((await ask(`GET /v2/notes/${small}`, accepting("gzip"))).headers["content-encoding"]).toBeUndefined()
    expect((await ask("OPTIONS /v2/notes", accepting("gzip"))).headers["content-encoding"]).toBeUndefined()
    const stream = await fetch(`${app.url}/sync/stream`, {
      headers: { authorization: `Bearer ${app.key}`, "accept-encoding": "gzip" }
    })
    expect([stream.status, stream.headers.get("content-encoding")]).toEqual([200, null])
    await stream.body!.cancel()
  })
})

describe("ETag of a compressed response", () => {
  it("is strong, and differs for each coding", async () => {
    const tags = await Promise.all(
      ["identity", "gzip", "br"].map(
        async (coding) => (await ask(`GET /v2/notes/${large}`, accepting(coding))).headers["etag"]!
      )
    )
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/)
  })

  it("returns 304 with the same ETag when sent in If-None-Match", async () => {
    for (const path of [`/v2/notes/${large}`, `/v2/notes/${small}`, `/v2/notebooks/${notebook}`]) {
      for (const coding of ["identity", "gzip", "br"]) {
        const { etag } = (await ask(`GET ${path}`, accepting(coding))).headers
        const again = await ask(`GET ${path}`, { ...accepting(coding), "if-none-match": etag! })
        expect([again.status, again.headers["etag"], again.body.length], `${path} ${coding}`).toEqual([304, etag, 0])
        const weak = await ask(`GET ${path}`, { ...accepting(coding), "if-none-match": `"other", W/${etag}` })
        expect(weak.status).toBe(304)
      }
    }
  })

  it("guards a change in If-Match, whatever coding it was received with", async () => {
    for (const coding of ["gzip", "br", "identity"]) {
      const { etag } = (await ask(`GET /v2/notes/${large}`, accepting(coding))).headers
      const change = (title: string) =>
        ask(`PATCH /v2/notes/${large}`, { ...accepting(coding), "if-match": etag! }, JSON.stringify({ title }))
      const first = await change(`Changed for ${coding}`)
      expect(first.status, coding).toBe(200)
      expect(first.headers["etag"]).not.toBe(etag)
      expect((await change("Too late")).status).toBe(412)
    }
  })

  it("is accepted with the coding that a proxy has appended", async () => {
    for (const path of [`/v2/notes/${small}`, `/v2/notebooks/${notebook}`]) {
      for (const coding of ["-gzip", "-br", "-zstd", ";gzip", "--gzip"]) {
        const { etag } = (await ask(`GET ${path}`)).headers
        const tag = etag!.replace(/"$/, `${coding}"`)
        for (const known of [tag, `W/${tag}`]) {
          expect((await ask(`GET ${path}`, { "if-none-match": known })).status, known).toBe(304)
        }
        const change = (match: string) => ask(`PATCH ${path}`, { "if-match": match }, JSON.stringify({}))
        expect((await change(tag)).status, tag).toBe(200)
        expect((await change(tag.replace(coding, `${coding}${coding}`))).status).toBe(412)
      }
    }
  })

  it("never guards a change as a weak one: the problem says why", async () => {
    for (const path of [`/v2/notes/${small}`, `/v2/notebooks/${notebook}`]) {
      const { etag } = (await ask(`GET ${path}`)).headers
      for (const weak of [`W/${etag}`, `"other", W/${etag!.replace(/"$/, '-gzip"')}`]) {
        const refused = await ask(`PATCH ${path}`, { "if-match": weak }, JSON.stringify({}))
        expect([refused.status, JSON.parse(refused.body.toString()).detail]).toEqual([
          412,
          expect.stringContaining(`send ${etag}`)
        ])
      }
      const stale = await ask(`PATCH ${path}`, { "if-match": 'W/"other"' }, JSON.stringify({}))
      expect([stale.status, JSON.parse(stale.body.toString()).detail]).toEqual([
        412,
        expect.stringMatching(/^The curr/)
      ])
    }
  })
})
