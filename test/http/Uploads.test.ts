import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { Blobs } from "../../services/files/Blobs.ts"
import * as DiskBlobs from "../../services/files/DiskBlobs.ts"
import { stateOf } from "../../src/server/http/server/RequestState.ts"
import { continueUpload, isUpload, uploadSource } from "../../src/server/http/server/Uploads.ts"

const most = 1024 * 1024
const name = "at_0000000000000000"

let directory = ""
let runtime: ManagedRuntime.ManagedRuntime<HttpServer.HttpServer, unknown>
let port = 0
let steppedAside = 0
const sockets: Array<Socket> = []

/** A route that accepts or refuses an upload. */
const app = Effect.gen(function* () {
  const { source, url } = yield* HttpServerRequest.HttpServerRequest
  stateOf(source).release = () => void steppedAside++
  if (url === "/files/forged") return HttpServerResponse.text("forged", { status: 403 })
  yield* continueUpload
  yield* continueUpload
  const incoming = yield* uploadSource
  if (url === "/files/unread") return HttpServerResponse.text("unread", { status: 503 })
  const blobs = yield* Blobs
  return yield* blobs.stage(incoming, name, most).pipe(
    Effect.map((staged) => HttpServerResponse.text(`${staged.size} ${staged.sha256}`)),
    Effect.catchTag("TooLarge", () => Effect.succeed(HttpServerResponse.text("too large", { status: 413 })))
  )
})

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sheaf-uploads-"))
  runtime = ManagedRuntime.make(
    HttpServer.serve(app).pipe(
      Layer.provide(DiskBlobs.layer({ directory: join(directory, "files") })),
      Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" }))
    )
  )
  const { address } = await runtime.runPromise(Effect.service(HttpServer.HttpServer))
  port = (address as { readonly port: number }).port
})
afterAll(async () => {
  await runtime.dispose()
  await rm(directory, { recursive: true })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  steppedAside = 0
})

const open = async (text: string): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  sockets.push(socket)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.write(text)
  return socket
}

/** The received data up to the one that contains the text. */
const until = (socket: Socket, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let seen = ""
    const look = (piece: Buffer) => {
      seen += piece
      if (!seen.includes(text)) return
      socket.off("data", look)
      resolve(seen)
    }
    socket.on("data", look).once("close", () => reject(new Error(`the connection ended after: ${seen}`)))
  })

/** Waits for the end of a connection, which may be a reset. */
const closing = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once("close", resolve))

const put = (path: string, headers: ReadonlyArray<string>) =>
  [`PUT /files/${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n")

describe("an upload", () => {
  it("is recognized by the head of its request", () => {
    const form = { "content-type": "Multipart/Form-Data; boundary=x" }
    for (const [method, url, headers] of [
      ["PUT", "/files/x?y", {}],
      ["POST", "/v2/attachments", form],
      ["POST", "/v2/imports?strict", form]
    ] as const) {
      expect(isUpload({ method, url, headers }), url).toBe(true)
    }
    for (const [method, url, headers] of [
      ["GET", "/files/x", {}],
      ["POST", "/files/x", form],
      ["PUT", "/v2/files/x", {}],
      ["PUT", "/filesystem", {}],
      ["PUT", "/v2/attachments", form],
      ["POST", "/v2/attachments", {}],
      ["POST", "/v2/attachments", { "content-type": "application/json" }],
      ["POST", "/v2/attachments/uploads", form],
      ["POST", "/v2/notes", form]
    ] as const) {
      expect(isUpload({ method, url, headers }), `${method} ${url}`).toBe(false)
    }
  })

  it("receives 100 Continue once it is accepted, and its connection is kept", async () => {
    const bytes = randomBytes(700_000)
    const socket = await open(put("good", ["Expect: 100-continue", `Content-Length: ${bytes.length}`]))
    expect(await until(socket, "\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n")
    expect(steppedAside).toBeGreaterThan(0)
    socket.write(bytes)
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    expect(await until(socket, sha256)).toMatch(/^HTTP\/1.1 200 OK[^]*\r\nConnection: keep-alive[^]*\r\n700000 /)
    socket.write(put("good", ["Content-Length: 2"]) + "ab")
    expect(await until(socket, "2 ")).toContain("200 OK")
  })

  it("receives no 100 Continue if it is refused, and its connection ends", async () => {
    const socket = await open(put("forged", ["Expect: 100-continue", "Content-Length: 700000"]))
    const closed = closing(socket)
    const text = await until(socket, "forged")
    await closed
    expect(text).toMatch(/^HTTP\/1.1 403 Forbidden/)
    expect(text).toMatch(/\r\nconnection: close\r\n/i)
    expect(steppedAside).toBe(0)
  })

  it("receives no 100 Continue without Expect", async () => {
    const socket = await open(`${put("good", ["Content-Length: 2"])}ab`)
    expect(await until(socket, "2 ")).toMatch(/^HTTP\/1.1 200 OK/)
  })

  it("gets 413 and is aborted with its connection if it is too large", async () => {
    const piece = randomBytes(64 * 1024)
    for (const [headers, chunk] of [
      [["Content-Length: 67108864"], piece],
      [["Transfer-Encoding: chunked"], Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")])],
      [["Content-Length: 67108864", "Expect: 100-continue"], piece]
    ] as const) {
      const socket = await open(put("good", headers))
      let sent = 0
      const more = () => {
        while (!socket.destroyed && sent < 67_108_864) {
          sent += piece.length
          if (!socket.write(chunk)) return
        }
      }
      socket.on("drain", more)
      const closed = closing(socket)
      more()
      const text = await until(socket, "too large")
      await closed
      expect(text).toMatch(/HTTP\/1.1 413 /)
      expect(text).toMatch(/\r\nconnection: close\r\n/i)
      // No part of the file is left.
      expect(await readdir(join(directory, "files", "staging"))).not.toContainEqual(expect.stringMatching(/\.part$/))
    }
  })

  it("gets its response and ends its connection if it is not read", async () => {
    const socket = await open(put("unread", ["Transfer-Encoding: chunked"]))
    const closed = closing(socket)
    const text = await until(socket, "unread")
    await closed
    expect(text).toMatch(/^HTTP\/1.1 503 [^]*\r\nconnection: close\r\n/i)
  })
})
