import { NodeHttpServer } from "@effect/platform-node"
import { Data, Effect, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createReadStream, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Compression from "../../src/server/http/responses/Compression.ts"
import { fileResponse, type ServedFile } from "../../src/server/http/responses/FileResponse.ts"

class Gone extends Data.TaggedError("Gone")<{}> {}

const size = 300_000
const bytes = randomBytes(size)
let directory = ""
let path = ""
/** Every stream that was opened, and the requested ranges. */
let opened: Array<Readable> = []
let reads: Array<unknown> = []

let server: Server
let answering: ServerResponse
let served: ServedFile<Gone>

const onDisk: ServedFile<Gone> = {
  etag: '"abc"',
  size,
  content_type: "image/png",
  filename: "größe.png",
  read: (range) =>
    Effect.sync(() => {
      reads.push(range)
      const stream = createReadStream(path, range)
      opened.push(stream)
      return stream
    })
}

const from = (make: () => Readable, of: Partial<ServedFile<Gone>> = {}): ServedFile<Gone> => ({
  ...onDisk,
  ...of,
  read: () =>
    Effect.sync(() => {
      const stream = make()
      opened.push(stream)
      return stream
    })
})

/** Responds like the edge, which compresses responses if possible. */
const answer = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  Effect.suspend(() => fileResponse(served)).pipe(
    Effect.catchTag("Gone", () => Effect.succeed(HttpServerResponse.empty({ status: 503 }))),
    Effect.flatMap((response) => Compression.compressed(request, "gzip, br", response))
  )
)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sheaf-answer-"))
  path = join(directory, "file")
  writeFileSync(path, bytes)
  const handler = await Effect.runPromise(NodeHttpServer.makeHandler(answer, { scope: Scope.makeUnsafe() }))
  server = createServer((request, response) => {
    answering = response
    handler(request, response)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await rm(directory, { recursive: true })
})
afterEach(async () => {
  // Every stream is closed, whatever happened to its response.
  for (const stream of opened) if (!stream.closed) await once(stream, "close")
  opened = []
  reads = []
})

const begin = async (headers: Record<string, string> = {}, method = "GET"): Promise<IncomingMessage> => {
  const { port } = server.address() as AddressInfo
  const request = ask({ port, host: "127.0.0.1", method, headers, agent: false }).end()
  const [response] = await once(request, "response")
  return response
}

const get = async (file: ServedFile<Gone>, headers: Record<string, string> = {}, method = "GET") => {
  served = file
  const response = await begin(headers, method)
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

/** The parts of multipart/byteranges, parsed according to RFC 9110. */
const partsOf = (type: string, body: Buffer) => {
  const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(type)![1]
  const pieces = body.toString("latin1").split(`\r\n--${boundary}`)
  expect(pieces[0]).toBe("")
  expect(pieces.at(-1)).toBe("--\r\n")
  return pieces.slice(1, -1).map((piece) => {
    const [, type, range, text] = /^\r\nContent-Type: (.*)\r\nContent-Range: bytes (.*)\r\n\r\n([^]*)$/.exec(piece)!
    return { type, range, bytes: Buffer.from(text!, "latin1") }
  })
}

describe("a file", () => {
  it("is sent whole, with headers that restrict its use", async () => {
    const expires_at = Date.now() + 600_000
    const { body, headers, status } = await get({ ...onDisk, expires_at }, { "accept-encoding": "gzip, br" })
    expect(status).toBe(200)
    expect(body.equals(bytes)).toBe(true)
    expect(headers).toMatchObject({
      "accept-ranges": "bytes",
      "content-disposition": "inline; filename=gro_e.png; filename*=UTF-8''gr%C3%B6%C3%9Fe.png",
      "content-length": String(size),
      "content-security-policy":
        "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
      "content-type": "image/png",
      "cross-origin-resource-policy": "cross-origin",
      etag: '"abc"',
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff"
    })
    expect(headers["content-encoding"]).toBeUndefined()
    const [, age] = /^private, max-age=(\d+)$/.exec(headers["cache-control"]!)!
    expect(Number(age)).toBeLessThanOrEqual(600)
    expect(Number(age)).toBeGreaterThan(500)
  })

  it("must be revalidated by caches if its URL does not expire or has expired", async () => {
    for (const file of [onDisk, { ...onDisk, expires_at: 1_000 }]) {
      expect((await get(file)).headers["cache-control"]).toBe("private, no-cache")
    }
  })

  it("has the same headers for HEAD, which does not open it", async () => {
    const whole = await get(onDisk)
    reads = []
    const head = await get(onDisk, { range: "bytes=0-1" }, "HEAD")
    expect(head.body.length).toBe(0)
    expect(reads).toEqual([])
    const { date: _, ...headers } = head.headers
    expect(whole.headers).toMatchObject(headers)
    expect(headers["content-length"]).toBe(String(size))
  })

  it("may be empty", async () => {
    const empty = from(() => Readable.from([]), { size: 0 })
    for (const headers of [{}, { range: "bytes=0-" }]) {
      const answer = await get(empty, headers)
      expect([answer.status, answer.headers["content-length"], answer.body.length]).toEqual([200, "0", 0])
    }
    expect((await get(empty, {}, "HEAD")).headers["content-length"]).toBe("0")
  })

  it("is shown inline only if its first bytes are not HTML", async () => {
    let asked = 0
    const head = (text: string) =>
      Effect.sync(() => {
        asked++
        return Buffer.from(text)
      })
    const page = await get({ ...onDisk, content_type: "text/plain", head: head("<html>") })
    expect(page.headers["content-type"]).toBe("application/octet-stream")
    expect(page.headers["content-disposition"]).toMatch(/^attachment;/)
    const text = await get({ ...onDisk, content_type: "text/plain", head: head("a text") })
    expect(text.headers["content-type"]).toBe("text/plain;charset=utf-8")
    expect(text.headers["content-disposition"]).toMatch(/^inline;/)
    expect(asked).toBe(2)
    const zip = await get({ ...onDisk, content_type: "application/zip", head: head("<html>") })
    expect(zip.headers["content-disposition"]).toMatch(/^attachment;/)
    expect(asked).toBe(2)
    const script = await get({ ...onDisk, content_type: "image/svg+xml" })
    expect(script.headers["content-type"]).toBe("application/octet-stream")
  })

  it("fails with the error of opening it", async () => {
    for (const headers of [{}, { range: "bytes=0-1" }, { range: "bytes=0-1,4-5" }]) {
      expect((await get({ ...onDisk, read: () => Effect.fail(new Gone()) }, headers)).status).toBe(503)
    }
    expect((await get({ ...onDisk, head: Effect.fail(new Gone()) })).status).toBe(503)
  })
})

describe("a range of a file", () => {
  it("is sent alone", async () => {
    for (const [range, start, end] of [
      ["bytes=0-0", 0, 0],
      ["bytes=100-199", 100, 199],
      ["bytes=299999-", size - 1, size - 1],
      ["bytes=-70000", size - 70_000, size - 1],
      ["bytes=0-", 0, size - 1],
      ["bytes=5-9, 400000-", 5, 9]
    ] as const) {
      const { body, headers, status } = await get(onDisk, { range })
      expect(status, range).toBe(206)
      expect(headers["content-range"]).toBe(`bytes ${start}-${end}/${size}`)
      expect(headers["content-length"]).toBe(String(end - start + 1))
      expect(headers["etag"]).toBe('"abc"')
      expect(body.equals(bytes.subarray(start, end + 1))).toBe(true)
    }
  })

  it("is one of several, in the order of the request", async () => {
    const { body, headers, status } = await get(onDisk, { range: "bytes=200000-299998, 0-9, -1" })
    expect(status).toBe(206)
    expect(headers["content-length"]).toBe(String(body.length))
    expect(headers["content-range"]).toBeUndefined()
    const parts = partsOf(headers["content-type"]!, body)
    expect(parts.map(({ range, type }) => `${type} ${range}`)).toEqual([
      `image/png 200000-299998/${size}`,
      `image/png 0-9/${size}`,
      `image/png 299999-299999/${size}`
    ])
    const asked = [bytes.subarray(200_000, 299_999), bytes.subarray(0, 10), bytes.subarray(-1)]
    parts.forEach((part, index) => expect(part.bytes.equals(asked[index]!)).toBe(true))
    expect(reads).toHaveLength(3)
  })

  it("is refused with the size of the file if it is beyond the end", async () => {
    const { body, headers, status } = await get(onDisk, { range: "bytes=300000-" })
    expect([status, headers["content-range"]]).toEqual([416, `bytes */${size}`])
    expect(headers["content-type"]).toBe("application/problem+json")
    expect(JSON.parse(String(body))).toMatchObject({ status: 416, code: "range_not_satisfiable" })
    expect(reads).toEqual([])
  })

  it("is sent if If-Range matches, else the whole file", async () => {
    const status = async (condition: string) =>
      (await get(onDisk, { range: "bytes=0-1", "if-range": condition })).status
    expect(await status('"abc"')).toBe(206)
    for (const other of ['"abd"', 'W/"abc"', "abc", new Date(0).toUTCString()]) expect(await status(other)).toBe(200)
    // The whole file is sent instead of 416.
    expect((await get(onDisk, { range: "bytes=300000-", "if-range": '"other"' })).status).toBe(200)
  })

  it("is replaced by the whole file if too much is requested", async () => {
    for (const range of ["bytes=0-,0-,0-", `bytes=${"0-0,".repeat(2_000)}0-0`, "lines=1-2"]) {
      expect((await get(onDisk, { range })).status).toBe(200)
    }
  })
})

describe("a condition", () => {
  it("gets 304 for a state that the client has", async () => {
    for (const known of ['"abc"', 'W/"abc"', '"x", "abc"', "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const { body, headers, status } = await get(onDisk, { "if-none-match": known, range: "bytes=0-1" }, method)
        expect([status, body.length, headers["etag"]]).toEqual([304, 0, '"abc"'])
        expect(headers["cache-control"]).toBe("private, no-cache")
      }
    }
    expect(reads).toEqual([])
    expect((await get(onDisk, { "if-none-match": '"x"' })).status).toBe(200)
  })

  it("gets 412 if If-Match does not match", async () => {
    expect((await get(onDisk, { "if-match": '"x", "y"' })).status).toBe(412)
    expect((await get(onDisk, { "if-match": '"x", "abc"' })).status).toBe(200)
    expect((await get(onDisk, { "if-match": "*" })).status).toBe(200)
  })
})

const length = 64 * 1024
/** A new buffer each time, which the reader may change. */
const chunk = () => Buffer.alloc(length)
const large = 128 * 1024 * 1024

/** A stream that counts the bytes that are read from it. */
const counted = () => {
  const state = { taken: 0 }
  const make = () =>
    new Readable({
      read() {
        if (state.taken === large) return void this.push(null)
        state.taken += length
        this.push(chunk())
      }
    })
  return { state, make }
}

describe("a stream", () => {
  it("is read only as fast as its client reads the response", async () => {
    const { make, state } = counted()
    served = from(make, { size: large })
    const response = (await begin()).pause()
    await expect.poll(() => answering.writableNeedDrain).toBe(true)
    for (let turn = 0; turn < 3_000; turn++) await new Promise(setImmediate)
    // The rest is in the buffers of the system on both sides.
    expect(state.taken).toBeLessThan(large / 4)
    let got = 0
    for await (const piece of response) got += piece.length
    expect(got).toBe(large)
  })

  it("arrives unchanged while the memory of sent chunks is reused", async () => {
    const content = randomBytes(16 * 1024 * 1024)
    const source = () =>
      Readable.from(
        (function* () {
          for (let at = 0; at < content.length; at += 4 * length)
            yield Buffer.from(content.subarray(at, at + 4 * length))
        })(),
        { objectMode: false }
      )
    served = from(source, { size: content.length })
    const response = (await begin()).pause()
    await expect.poll(() => answering.writableNeedDrain).toBe(true)
    const pieces: Array<Buffer> = []
    for await (const piece of response) {
      pieces.push(piece)
      if (pieces.length % 50 === 0) await new Promise(setImmediate)
    }
    expect(Buffer.concat(pieces).equals(content)).toBe(true)
  })

  it("is closed when its client disconnects", async () => {
    for (const headers of [{}, { range: "bytes=0-67108863" }, { range: "bytes=0-67108863,67108864-" }]) {
      opened = []
      served = from(counted().make, { size: large })
      const response = await begin(headers)
      await once(response, "data")
      expect(opened[0]!.destroyed).toBe(false)
      response.destroy()
      await expect.poll(() => opened[0]!.closed).toBe(true)
    }
  })

  it("is closed if its client disconnects while it is being opened", async () => {
    let open = (_: Readable) => {}
    const wanted = Promise.withResolvers<void>()
    served = {
      ...onDisk,
      read: () =>
        Effect.callback<Readable>((resume) => {
          open = (stream) => resume(Effect.succeed(stream))
          wanted.resolve()
        })
    }
    const { port } = server.address() as AddressInfo
    const request = ask({ port, host: "127.0.0.1", agent: false }).on("error", () => {})
    request.end()
    await wanted.promise
    const closed = once(answering, "close")
    request.destroy()
    await closed
    const stream = createReadStream(path)
    opened.push(stream)
    open(stream)
    await expect.poll(() => stream.closed).toBe(true)
  })

  it("ends the connection when it fails, so that a client does not take a part for the whole", async () => {
    const failing = () => {
      let left = 10
      return new Readable({
        read() {
          if (left-- > 0) this.push(chunk())
          else this.destroy(new Error("the disk is broken"))
        }
      })
    }
    for (const headers of [{}, { range: "bytes=0-67108863" }, { range: "bytes=0-67108863,67108864-" }]) {
      served = from(failing, { size: large })
      const response = await begin(headers)
      expect([200, 206]).toContain(response.statusCode)
      await expect(buffer(response)).rejects.toThrow("aborted")
    }
  })

  it("ends the connection when it fails before its first byte or is too short", async () => {
    const broken = () =>
      new Readable({
        read() {
          this.destroy(new Error("the disk is broken"))
        }
      })
    const { port } = server.address() as AddressInfo
    for (const make of [broken, () => Readable.from([chunk()])]) {
      served = from(make)
      await expect(fetch(`http://127.0.0.1:${port}/`).then((response) => response.arrayBuffer())).rejects.toThrow()
    }
  })

  it("ends the connection when a second part cannot be opened", async () => {
    let times = 0
    served = {
      ...onDisk,
      read: (range) => (times++ === 0 ? onDisk.read(range) : Effect.fail(new Gone()))
    }
    await expect(buffer(await begin({ range: "bytes=0-9,20-29" }))).rejects.toThrow("aborted")
  })
})
