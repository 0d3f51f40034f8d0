import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { PassThrough } from "node:stream"
import { buffer } from "node:stream/consumers"
import { expect, it } from "vitest"
import { BodyRoom, small } from "../../src/http/BodyRoom.ts"

/** A request whose body has arrived already. */
const arrived = (bytes: number): HttpServerRequest.HttpServerRequest => {
  const source = new PassThrough()
  source.end(Buffer.alloc(bytes))
  const request = HttpServerRequest.fromWeb(new Request("http://sheaf.test/v2/notes"))
  return Object.create(request, {
    source: { value: source },
    arrayBuffer: { value: Effect.promise(() => buffer(source)) }
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
      Array.from({ length: 20 }, () => room.within("holder", arrived(2 * small), answer)),
      { concurrency: "unbounded" }
    )
  )
  expect(answers).toEqual(Array(20).fill("answered"))
  expect(most).toBe(1)
})
