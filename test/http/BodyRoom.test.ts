import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, Effect, Layer, ManagedRuntime } from "effect"
import { HttpIncomingMessage, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { once } from "node:events"
import { createServer, request as ask, type ClientRequest, type IncomingMessage } from "node:http"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { BodyRoom, small } from "../../src/http/BodyRoom.ts"

const megabyte = 1024 * 1024
const most = 4 * megabyte

let room = new BodyRoom(64 * megabyte, 64 * megabyte)
let answer: Effect.Effect<string, unknown, HttpServerRequest.HttpServerRequest> = Effect.succeed("")
let begun = () => {}
let limit = most
let runtime: ManagedRuntime.ManagedRuntime<HttpServer.HttpServer, unknown>
let port = 0

const app = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  begun()
  return yield* room.within("holder", request, answer).pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
    Effect.map((text) => HttpServerResponse.text(text)),
    Effect.catch((error) => Effect.succeed(HttpServerResponse.text(JSON.stringify(error), { status: 503 })))
  )
})

/** The body as its reader gets it. */
const whole = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ arrayBuffer }) => arrayBuffer)

beforeAll(async () => {
  runtime = ManagedRuntime.make(
    HttpServer.serve(app).pipe(
      Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" }))
    )
  )
  const { address } = await runtime.runPromise(Effect.service(HttpServer.HttpServer))
  port = (address as { readonly port: number }).port
})
afterAll(() => runtime.dispose())
beforeEach(() => {
  room = new BodyRoom(64 * megabyte, 64 * megabyte)
  begun = () => {}
  limit = most
})

afterEach(() => void vi.restoreAllMocks())

const post = (headers: Record<string, string> = {}): ClientRequest =>
  ask({
    port,
    host: "127.0.0.1",
    agent: false,
    method: "POST",
    headers: { "content-type": "application/json", ...headers }
  })

const answered = async (request: ClientRequest): Promise<readonly [status: number | undefined, text: string]> => {
  const [response] = (await once(request, "response")) as [IncomingMessage]
  let text = ""
  for await (const piece of response.setEncoding("utf8")) text += String(piece)
  return [response.statusCode, text]
}

const sent = (body: Uint8Array, headers?: Record<string, string>) => {
  const request = post(headers)
  const response = answered(request)
  request.end(body)
  return response
}

it("large bodies that came together are taken up one after the other, and sockets are looked at in between", async () => {
  let atOnce = 0
  let atMost = 0
  answer = Effect.sync(() => {
    atMost = Math.max(atMost, ++atOnce)
    setImmediate(() => (atOnce = 0))
    return "answered"
  })
  const answers = await Promise.all(Array.from({ length: 20 }, () => sent(Buffer.alloc(2 * small))))
  expect(answers).toEqual(Array.from({ length: 20 }, () => [200, "answered"]))
  expect(atMost).toBe(1)
})

it.each([
  ["of a length that is told", {}],
  ["in chunks", { "transfer-encoding": "chunked" }]
])("a large body %s is put together as it comes, and its memory given back with its answer", async (_, headers) => {
  let bytes = new ArrayBuffer(0)
  answer = Effect.map(whole, (body) => {
    bytes = body
    return `${body.byteLength} ${Buffer.from(body).every((byte, at) => byte === at % 251)}`
  })
  const body = Buffer.alloc(
    3 * megabyte + 1,
    Uint8Array.from({ length: 251 }, (_, at) => at)
  )
  const joined = vi.spyOn(Buffer, "concat")
  const sliced = vi.spyOn(ArrayBuffer.prototype, "slice")
  expect(await sent(body, headers)).toEqual([200, `${body.length} true`])
  expect([joined.mock.calls, sliced.mock.calls]).toEqual([[], []])
  expect([bytes.byteLength, room.held()]).toEqual([0, 0])
})

it("a turn of the main loop reads a little of large bodies, however much of them is there", async () => {
  const callers = 6
  let most = 0
  let before = 0
  let isOver = false
  const look = () => {
    most = Math.max(most, room.held() - before)
    before = room.held()
    if (!isOver) setImmediate(look)
  }
  answer = Effect.map(whole, (body) => `${body.byteLength}`)
  // Each has what fits into its socket there before anything is read.
  const requests = Array.from({ length: callers }, () => post({ "content-length": `${4 * megabyte}` }))
  const answers = Promise.all(requests.map(answered))
  for (const request of requests) request.end(Buffer.alloc(4 * megabyte))
  look()
  expect(await answers).toEqual(Array.from({ length: callers }, () => [200, `${4 * megabyte}`]))
  isOver = true
  // Of each that comes after, up to what Node reads before it looks whether it is to go on.
  expect(most).toBeLessThan(megabyte + callers * 3 * small)
  expect(room.held()).toBe(0)
})

it("a small body in chunks is read whole", async () => {
  answer = Effect.map(whole, (body) => Buffer.from(body).toString())
  const request = post()
  const response = answered(request)
  for (const piece of ["a", "small", "body"]) request.write(piece)
  request.end()
  expect(await response).toEqual([200, "asmallbody"])
})

it("a body in chunks that is too long is refused by who reads it, and let pass by", async () => {
  answer = Effect.as(whole, "read")
  const request = post()
  const response = answered(request)
  for (let sent = 0; sent <= most; sent += megabyte) request.write(Buffer.alloc(megabyte))
  expect((await response)[1]).toContain("BodyTooLarge")
  const ended = once(request, "close")
  request.end(Buffer.alloc(megabyte))
  await ended
  expect(room.held()).toBe(0)
})

it("a large body for which there is no room is refused, and the others are taken", async () => {
  room = new BodyRoom(megabyte, megabyte)
  answer = Effect.map(whole, (body) => `${body.byteLength}`)
  expect((await sent(Buffer.alloc(2 * megabyte)))[1]).toContain("Too many large bodies")
  expect(await sent(Buffer.alloc(megabyte))).toEqual([200, `${megabyte}`])
})

it.each([
  ["that is told", { "content-length": `${2 ** 50}` }],
  ["in chunks", { "transfer-encoding": "chunked" }]
])("a large body %s for which the system gives no memory is refused", async (_, headers) => {
  limit = Number.MAX_SAFE_INTEGER
  vi.spyOn(Buffer, "allocUnsafeSlow").mockImplementation(() => {
    throw new RangeError("Array buffer allocation failed")
  })
  answer = Effect.as(whole, "read")
  const request = post(headers)
  const response = answered(request)
  request.write(Buffer.alloc(2 * megabyte))
  expect((await response)[1]).toContain("Too many large bodies")
  request.destroy()
  expect(room.held()).toBe(0)
})

it("of a large body that breaks off nothing is left", async () => {
  const arrived = new Promise<void>((resolve) => (begun = resolve))
  let isRead = false
  answer = Effect.map(whole, () => {
    isRead = true
    return "answered"
  })
  const request = post({ "content-length": `${megabyte}` })
  request.on("error", () => {})
  request.write(Buffer.alloc(megabyte / 2))
  await arrived
  await expect.poll(() => room.held()).toBe(megabyte / 2)
  request.destroy()
  await expect.poll(() => room.held()).toBe(0)
  expect(isRead).toBe(false)
})
