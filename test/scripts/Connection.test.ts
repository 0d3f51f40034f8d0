import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { Connection, header } from "../../scripts/bench/Connection.ts"

const chunked = (parts: ReadonlyArray<string>): string =>
  [...parts, ""].map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join("")

interface Response {
  readonly status: number
  readonly text: string
  readonly body: string
  readonly ends: boolean
}
const responses: ReadonlyArray<Response> = [
  { status: 200, text: "Content-Length: 5\r\n\r\nÜber", body: "Über", ends: false },
  { status: 200, text: "content-length: 0\r\n\r\n", body: "", ends: false },
  { status: 304, text: 'ETag: "n.1"\r\n\r\n', body: "", ends: false },
  {
    status: 201,
    text: `Transfer-Encoding: chunked\r\n\r\n${chunked(["first", "second"])}`,
    body: "firstsecond",
    ends: false
  },
  { status: 400, text: "Connection: close\r\n\r\nto the end", body: "to the end", ends: true },
  { status: 413, text: "Connection: close\r\nContent-Length: 2\r\n\r\n{}", body: "{}", ends: true }
]

const sockets = new Set<Socket>()
/** The pieces of the next response. */
let pieces: ReadonlyArray<Buffer> = []
let ends = false
const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket.on("error", () => {}))
  socket.on("data", async () => {
    for (const piece of pieces) await new Promise((written) => socket.write(piece, written))
    if (ends) socket.end()
  })
})
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"))
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})
const connected = () => new Connection((server.address() as AddressInfo).port)

describe("a connection of the bench", () => {
  it("reads each kind of response, wherever it is split", async () => {
    const cut = fc.tuple(fc.constantFrom(...responses), fc.array(fc.nat(120), { maxLength: 4 }))
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 3 }), async (sent) => {
        let connection = connected()
        for (const [response, cuts] of sent) {
          const bytes = Buffer.from(`HTTP/1.1 ${response.status} Any\r\n${response.text}`)
          const places = [0, ...cuts.map((place) => Math.min(place, bytes.length)), bytes.length].toSorted(
            (a, b) => a - b
          )
          pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
          ends = response.ends
          const { body, head, status } = await connection.exchange("GET / HTTP/1.1\r\n\r\n")
          assert.deepStrictEqual([status, body.toString()], [response.status, response.body])
          if (status === 304) assert.strictEqual(header(head, "etag"), '"n.1"')
          assert.strictEqual(connection.isOpen, !response.ends)
          if (response.ends) connection = connected()
        }
        connection.close()
      }),
      { numRuns: 50 }
    )
  })

  it("fails when the connection ends within a response, and in later exchanges", async () => {
    ends = true
    for (const text of ["HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"]) {
      pieces = [Buffer.from(text)]
      const connection = connected()
      for (let attempt = 0; attempt < 2; attempt++) {
        const failure = await connection.exchange("GET / HTTP/1.1\r\n\r\n").then(() => undefined, String)
        assert.match(failure ?? "", /the server closed the connection/)
      }
    }
  })
})
