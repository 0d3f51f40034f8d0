import { NodeStream } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { PassThrough } from "node:stream"
import { expect, it } from "vitest"
import { BodyRoom, small } from "../../src/http/BodyRoom.ts"

/** A request whose body has arrived already. */
const arrived = (...chunks: ReadonlyArray<Buffer>): HttpServerRequest.HttpServerRequest => {
  const source = new PassThrough()
  for (const chunk of chunks) source.write(chunk)
  source.end()
  const request = HttpServerRequest.fromWeb(new Request("http://sheaf.test/v2/notes"))
  return Object.create(request, {
    source: { value: source },
    arrayBuffer: { value: Effect.runSync(Effect.cached(NodeStream.toArrayBuffer(() => source))) }
  })
}

it("large bodies that came together are taken up one after the other, and sockets are looked at in between", async () => {
  const room = new BodyRoom(64 * 1024 * 1024, 64 * 1024 * 1024)
  let atOnce = 0
  let most = 0
  const answer = Effect.sync(() => {
    most = Math.max(most, ++atOnce)
    setImmediate(() => (atOnce = 0))
    return "answered"
  })
  const answers = await Effect.runPromise(
    Effect.all(
      Array.from({ length: 20 }, () => room.within("holder", arrived(Buffer.alloc(2 * small)), answer)),
      { concurrency: "unbounded" }
    )
  )
  expect(answers).toEqual(Array(20).fill("answered"))
  expect(most).toBe(1)
})

it("the memory of a large body is given back when it was put together, and when its request is answered", async () => {
  const room = new BodyRoom(64 * 1024 * 1024, 64 * 1024 * 1024)
  const chunks = [1, 2].map((value) => Buffer.alloc(small, value))
  const request = arrived(...chunks)
  let whole: ArrayBuffer | undefined
  const answer = Effect.map(Effect.orDie(request.arrayBuffer), (bytes) => {
    whole = bytes
    return [...chunks.map(({ length }) => length), ...[0, small].map((at) => new Uint8Array(bytes)[at])]
  })
  expect(await Effect.runPromise(room.within("holder", request, answer))).toEqual([0, 0, 1, 2])
  expect([whole?.byteLength, room.held()]).toEqual([0, 0])
})
