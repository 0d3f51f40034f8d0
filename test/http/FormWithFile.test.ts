import { NodeHttpServer } from "@effect/platform-node"
import fc from "fast-check"
import { Effect, Layer, ManagedRuntime } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, request as ask } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Forbidden } from "../../services/Errors.ts"
import { Blobs } from "../../services/files/Blobs.ts"
import * as DiskBlobs from "../../services/files/DiskBlobs.ts"
import { formWithFile, type FormFile } from "../../src/server/http/responses/FormWithFile.ts"
import { problemOf } from "../../src/server/http/responses/Problem.ts"

const most = 1024 * 1024 * 1024
const name = "at_0000000000000000"

let directory = ""
let runtime: ManagedRuntime.ManagedRuntime<HttpServer.HttpServer, unknown>
let port = 0
let asked: IncomingMessage | undefined

const staging = () => (existsSync(join(directory, "staging")) ? readdirSync(join(directory, "staging")) : [])

/** Delays a file until it is resolved. */
const gate = Promise.withResolvers<void>()

const refusal = new Forbidden({ code: "forbidden", detail: "Not this one" })

/** Stores the file, unless a field requests otherwise. */
const take = (fields: Readonly<Record<string, string>>, { bytes, content_type, filename }: FormFile) =>
  Effect.gen(function* () {
    if (fields["note_id"] === "refuse") return yield* refusal
    if (fields["note_id"] === "wait") yield* Effect.promise(() => gate.promise)
    const blobs = yield* Blobs
    const staged = yield* blobs.stage(bytes, name, most)
    yield* blobs.discard(name)
    return HttpServerResponse.text(JSON.stringify({ ...staged, fields, filename, content_type }))
  })

const app = formWithFile(["note_id", "source"], take).pipe(
  Effect.catchTags({
    BadRequest: problemOf,
    Invalid: problemOf,
    TooLarge: problemOf,
    Forbidden: problemOf,
    Unavailable: problemOf,
    SourceFailed: () => Effect.succeed(HttpServerResponse.text("the source failed", { status: 599 }))
  })
)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sheaf-forms-"))
  const server = () =>
    createServer().on("request", (request) => {
      asked = request
    })
  runtime = ManagedRuntime.make(
    HttpServer.serve(app).pipe(
      Layer.provide(DiskBlobs.layer({ directory })),
      Layer.provideMerge(NodeHttpServer.layer(server, { port: 0, host: "127.0.0.1" }))
    )
  )
  const { address } = await runtime.runPromise(Effect.service(HttpServer.HttpServer))
  port = (address as { readonly port: number }).port
})
afterAll(async () => {
  await runtime.dispose()
  await rm(directory, { recursive: true })
})

const form = "multipart/form-data; boundary=edge"

interface Sent {
  readonly type?: string
  readonly headers?: Record<string, string>
  /** The chunks of the body. */
  readonly pieces: ReadonlyArray<Buffer>
}

/** Sends a body in pieces, and returns the response. */
const send = async ({ headers = {}, pieces, type = form }: Sent) => {
  const request = ask({
    port,
    host: "127.0.0.1",
    method: "POST",
    agent: false,
    headers: { "content-type": type, ...headers }
  })
  // Bytes that are sent after the response may fail.
  request.on("error", () => {})
  const answered = once(request, "response") as Promise<[IncomingMessage]>
  for (const piece of pieces) {
    if (request.destroyed || request.writableNeedDrain) break
    request.write(piece)
  }
  request.end()
  const [response] = await answered
  const body = await text(response)
  return {
    status: response.statusCode,
    closes: response.headers.connection === "close",
    body: JSON.parse(body)
  }
}

const part = (headers: string, content: string | Buffer = "") =>
  Buffer.concat([Buffer.from(`--edge\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from("\r\n")])
const field = (name: string, value: string | Buffer) => part(`Content-Disposition: form-data; name="${name}"`, value)
const fileNamed = (filename: string, content: string | Buffer = "bytes") =>
  part(`Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: Image/PNG`, content)
const file = fileNamed("a.png")
const end = Buffer.from("--edge--\r\n")

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex")

describe("a form with a file", () => {
  it("is accepted from browsers", async () => {
    const bytes = randomBytes(3_000_000)
    const body = new FormData()
    body.set("note_id", "nt_größe")
    body.set("unknown", "is ignored")
    body.set("file", new Blob([bytes], { type: "image/png" }), 'Übersicht "雪" 👩‍💻.png')
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body })
    expect(await response.json()).toEqual({
      size: bytes.length,
      sha256: sha256(bytes),
      fields: { note_id: "nt_größe" },
      filename: 'Übersicht "雪" 👩‍💻.png',
      content_type: "image/png"
    })
  })

  it("is parsed in the same way with any content, and wherever it is split", async () => {
    const content = fc.array(
      fc.constantFrom("\r\n--edg", "\r\n--", "\r", "\n.", ".--edge--", "-", "bytes", "\0", "\r\n\r\n--edgf"),
      { maxLength: 30 }
    )
    const cuts = fc.array(fc.nat({ max: 40 }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(content, cuts, async (texts, lengths) => {
        const bytes = Buffer.from(`.${texts.join("")}`)
        const whole = Buffer.concat([field("source", "a field"), fileNamed("a.png", bytes), end])
        const pieces: Array<Buffer> = []
        let at = 0
        for (const length of lengths) pieces.push(whole.subarray(at, (at += length + 1)))
        pieces.push(whole.subarray(at))
        const { body } = await send({ pieces: pieces.filter((piece) => piece.length > 0) })
        expect(body).toMatchObject({ size: bytes.length, sha256: sha256(bytes), fields: { source: "a field" } })
      }),
      { numRuns: 50 }
    )
  })

  it("accepts the filename formats of browsers and other clients", async () => {
    for (const [written, filename] of [
      ["%22a%22%0D%0A.png", '"a"\r\n.png'],
      [String.raw`say \"a\".png`, 'say "a".png'],
      [String.raw`C:\fakepath\a.png`, "a.png"],
      ["../../etc/passwd", "passwd"],
      ["100%.png", "100%.png"]
    ] as const) {
      const { body } = await send({ pieces: [fileNamed(written), end] })
      expect(body.filename).toBe(filename)
    }
    const extended = part(`Content-Disposition: form-data; name=file; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt`, "x")
    const { body } = await send({ pieces: [extended, end] })
    expect(body).toMatchObject({ filename: "größe.txt" })
    expect(body.content_type).toBeUndefined()
  })

  it("may have an empty file, a preamble and data after its end", async () => {
    const pieces = [Buffer.from("ignored\r\n"), fileNamed("a.png", ""), end, Buffer.from("ignored")]
    expect((await send({ pieces })).body.size).toBe(0)
  })

  it("is refused with its first error", async () => {
    const required = part('Content-Disposition: form-data; name="file"', "a text")
    const cases: ReadonlyArray<readonly [Sent, number, string, string?]> = [
      [{ type: "multipart/form-data", pieces: [file, end] }, 400, "malformed_request"],
      [{ type: 'multipart/form-data; boundary=""', pieces: [file, end] }, 400, "malformed_request"],
      [{ type: `multipart/form-data; boundary=${"x".repeat(71)}`, pieces: [file, end] }, 400, "malformed_request"],
      [{ type: "multipart/mixed; boundary=edge", pieces: [file, end] }, 400, "malformed_request"],
      [{ pieces: [] }, 400, "malformed_request"],
      [{ pieces: [Buffer.from("no form at all")] }, 400, "malformed_request"],
      [{ pieces: [file] }, 400, "malformed_request"],
      [{ pieces: [field("note_id", "x")] }, 400, "malformed_request"],
      [{ pieces: [part("Content-Disposition: form-data", "x"), file, end] }, 400, "malformed_request"],
      [{ pieces: [part("Content Disposition: form-data; name=a", "x"), file, end] }, 400, "malformed_request"],
      [
        { pieces: [Buffer.from("--edge\r\nContent-Disposition: form-data; name=a\r\n"), file, end] },
        400,
        "malformed_request"
      ],
      [{ pieces: [field("source", "x"), Buffer.from("--edge\r\nX: y\r\n"), file, end] }, 400, "malformed_request"],
      [{ pieces: [...Array<Buffer>(21).fill(field("other", "x")), file, end] }, 400, "malformed_request"],
      [{ pieces: [field("note_id", "x".repeat(4097)), file, end] }, 413, "payload_too_large"],
      [{ pieces: [part(`X-Long: ${"x".repeat(20_000)}`), file, end] }, 413, "payload_too_large"],
      [{ pieces: [field("note_id", "x"), end] }, 422, "validation_failed", "file"],
      [{ pieces: [required, end] }, 422, "validation_failed", "file"],
      [{ pieces: [fileNamed(""), end] }, 422, "validation_failed", "file"],
      [{ pieces: [file, file, end] }, 422, "validation_failed", "file"],
      [{ pieces: [file, field("note_id", "x"), end] }, 422, "validation_failed", "file"],
      [
        { pieces: [part('Content-Disposition: form-data; name="image"; filename="a"'), file, end] },
        422,
        "validation_failed",
        "file"
      ],
      [{ pieces: [field("note_id", "x"), field("note_id", "y"), file, end] }, 422, "validation_failed", "note_id"],
      [{ pieces: [field("note_id", Buffer.from([0xff])), file, end] }, 422, "validation_failed", "note_id"],
      [
        { pieces: [field("nonsense", "x"), file, end], headers: { prefer: "handling=strict" } },
        422,
        "unknown_field",
        "nonsense"
      ]
    ]
    for (const [sent, status, code, at] of cases) {
      const answer = await send({ ...sent, pieces: [Buffer.concat(sent.pieces)] })
      expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ status, code })
      if (at !== undefined) expect(answer.body.errors[0].field).toBe(at)
      if (status === 413) expect(answer.body.limit_bytes).toBeGreaterThan(0)
      expect(answer.status).toBe(status)
      expect(staging()).toEqual([])
    }
  })

  it("gets a response and closes the connection if it is refused before it was read", async () => {
    const long = Buffer.alloc(10 * 1024 * 1024, "x")
    for (const [pieces, code] of [
      [[field("note_id", long), file, end], 413],
      [[part(`X-Long: ${"x".repeat(1024 * 1024)}`), long, end], 413],
      [[part("X-Short: x"), long, end], 413],
      [[long, file, end], 413],
      [[field("note_id", "refuse"), fileNamed("a.png", long), end], 403]
    ] as const) {
      const { closes, status } = await send({
        pieces,
        headers: { "content-length": String(pieces.reduce((sum, { length }) => sum + length, 0)) }
      })
      expect([status, closes]).toEqual([code, true])
      expect(staging()).toEqual([])
    }
  })

  it("leaves no file if an error follows the beginning of its file", async () => {
    const large = Buffer.alloc(5_000_000, "x")
    for (const [pieces, status] of [
      [[fileNamed("a.png", large)], 400],
      [[fileNamed("a.png", large), file, end], 422],
      [[fileNamed("a.png", large), field("note_id", "x"), end], 422],
      [[fileNamed("a.png", large), part("X:"), end], 400],
      [[fileNamed("a.png", large), end, Buffer.alloc(200_000)], 400]
    ] as const) {
      expect((await send({ pieces: [Buffer.concat(pieces)] })).status).toBe(status)
      expect(staging()).toEqual([])
    }
  })

  it("leaves no file when its client disconnects", async () => {
    const request = ask({ port, host: "127.0.0.1", method: "POST", agent: false, headers: { "content-type": form } })
    request.on("error", () => {})
    request.write(fileNamed("a.png", Buffer.alloc(500_000)).subarray(0, 400_000))
    await expect.poll(staging).toHaveLength(1)
    request.destroy()
    await expect.poll(staging).toEqual([])
  })

  it("is read only as fast as its file is stored", async () => {
    const total = 64 * 1024 * 1024
    const chunk = Buffer.alloc(1024 * 1024, "x")
    const request = ask({ port, host: "127.0.0.1", method: "POST", agent: false, headers: { "content-type": form } })
    request.write(Buffer.concat([field("note_id", "wait"), fileNamed("a.png", "").subarray(0, -2)]))
    let sent = 0
    const more = () => {
      while (sent < total) {
        sent += chunk.length
        if (!request.write(chunk)) return
      }
      request.off("drain", more).end(Buffer.concat([Buffer.from("\r\n"), end]))
    }
    request.on("drain", more)
    more()
    await expect.poll(() => asked?.readableLength).toBeGreaterThan(0)
    for (let turn = 0; turn < 3_000; turn++) await new Promise(setImmediate)
    // The rest is in the buffers of the system on both sides.
    expect(sent).toBeLessThan(total / 2)
    gate.resolve()
    const [response] = (await once(request, "response")) as [IncomingMessage]
    expect(JSON.parse(await text(response)).size).toBe(total)
  })
})
