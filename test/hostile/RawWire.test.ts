import { Effect } from "effect"
import type { Server as HttpServer } from "node:http"
import { Server } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { Streams } from "../../services/sync/Streams.ts"
import { Writer } from "../../services/writer/Writer.ts"
import { defaults } from "../../src/server/http/server/Connections.ts"
import { EventStream } from "../support/EventStream.ts"
import { eventually } from "../support/flows/eventually.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { RawWire, statuses } from "../support/RawHttp.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let wire: RawWire
let notebook: string
let large: string
let server: HttpServer

beforeAll(async () => {
  wire = new RawWire(app)
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  const note = { notebook_id: notebook, title: "large", body: "x".repeat(1_000_000) }
  large = (await app.call("POST", "/notes", note)).body.id
  const handles = (process as unknown as { _getActiveHandles: () => ReadonlyArray<unknown> })._getActiveHandles()
  const isOurs = (handle: unknown): handle is HttpServer =>
    handle instanceof Server && (handle.address() as { port?: number } | null)?.port === Number(new URL(app.url).port)
  server = handles.find(isOurs)!
  // Connections that `fetch` keeps alive are no leak of the server.
  server.closeIdleConnections()
  await eventually("the server holds no resources", isQuiet)
})

const connections = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  )

/** The resources that the server holds for clients. */
const held = async () => {
  const resources: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  return {
    connections: await connections(),
    streams: await app.run(Effect.map(Effect.service(Streams), (streams) => streams.count())),
    writing: await app.run(Effect.map(Effect.service(Writer), (writer) => writer.held().active)),
    sockets: resources["TCPSocketWrap"] ?? 0
  }
}

const isQuiet = async () => Object.values(await held()).every((count) => count === 0)

/** Checks that the server responds, and holds nothing of earlier requests. */
const expectWell = async () => {
  const answer = await wire.exchange(wire.head("GET /v2/notebooks HTTP/1.1", ["Connection: close"]))
  expect(statuses(answer)).toEqual([200])
  await eventually("the server has released all resources", isQuiet)
}

describe("a client that disconnects", () => {
  it("in the middle of its body leaves no resources, after a hundred repetitions", async () => {
    const seq = await app.seq()
    for (const path of ["/notes", "/sync/push", "/search", "/sync/pull"]) {
      await Promise.all(
        Array.from({ length: 25 }, async (_, index) => {
          const framing = index % 2 === 0 ? "Content-Length: 100000" : "Transfer-Encoding: chunked"
          const part = index % 2 === 0 ? `{"title":"never` : `ffff\r\n{"title":"never`
          const socket = await wire.begin(wire.post(path, [framing], part))
          index % 3 === 0 ? socket.resetAndDestroy() : index % 3 === 1 ? socket.destroy() : socket.end()
          if (index % 3 === 2) await new Promise((resolve) => socket.once("close", resolve).resume())
        })
      )
    }
    await expectWell()
    expect(await app.seq()).toBe(seq)
  })

  it("during the response leaves no resources", async () => {
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = await wire.open()
        socket.write(wire.head(`GET /v2/notes/${large} HTTP/1.1`).repeat(5))
        await new Promise((resolve) => socket.once("data", resolve))
        socket.destroy()
      })
    )
    await expectWell()
  })

  it("after sending a write leaves the note complete or absent", async () => {
    const { cursor } = await wire.ask("GET", "/sync/cursor")
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const body = JSON.stringify({ notebook_id: notebook, title: `gone ${index}`, body: "y".repeat(1_000) })
        const socket = await wire.begin(wire.post("/notes", [`Content-Length: ${body.length}`], body))
        socket.resetAndDestroy()
      })
    )
    await expectWell()
    const { changes } = await wire.ask("POST", "/sync/pull", JSON.stringify({ cursor, limit: 500 }))
    for (const { data } of changes) expect(data.body).toHaveLength(1_000)
    await expectTruth(app)
  })

  it("from an event stream or a long poll leaves no resources", async () => {
    const { cursor } = await wire.ask("GET", "/sync/cursor")
    for (let round = 0; round < 3; round++) {
      const streams = await Promise.all(Array.from({ length: 8 }, () => EventStream.open(app)))
      expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
      for (const stream of streams) stream.close()
      const body = JSON.stringify({ cursor, wait: 30 })
      const poll = wire.post("/sync/pull", [`Content-Length: ${body.length}`], body)
      const polls = await Promise.all(Array.from({ length: 8 }, () => wire.begin(poll)))
      for (const socket of polls) socket.destroy()
      await expectWell()
    }
  })
})

describe("a slow client", () => {
  it("delays no other client, and is disconnected by the server", async () => {
    // Some stop in the middle of a header line, some in the middle of a body.
    const begun = [
      "POST /v2/notes HTTP/1.1\r\nHost: x\r\nX-Slow: a",
      wire.post("/notes", ["Content-Length: 1000"], "{")
    ]
    const slow = await Promise.all(Array.from({ length: 50 }, (_, index) => wire.begin(begun[index % 2]!)))
    for (const socket of slow) socket.write(" ")
    await eventually("all clients are connected", async () => (await connections()) === 50)
    expect(statuses(await wire.exchange(wire.head("GET /v2/notebooks HTTP/1.1", ["Connection: close"])))).toEqual([200])
    // The server ends requests that exceed these limits (408); the test does not wait for that.
    for (const limit of [server.headersTimeout, defaults.wholeWithin]) {
      expect(limit).toBeGreaterThan(0)
      expect(limit).toBeLessThanOrEqual(300_000)
    }
    expect(server.keepAliveTimeout).toBeGreaterThan(0)
    for (const socket of slow) socket.destroy()
    await expectWell()
  })

  it("that does not read gets a limited number of responses written", async () => {
    const { rss } = process.memoryUsage()
    const socket = await wire.open()
    socket.pause()
    // 400 responses of a megabyte each, none of which is read.
    socket.write(wire.head(`GET /v2/notes/${large} HTTP/1.1`).repeat(400))
    await new Promise((resolve) => socket.once("readable", resolve))
    for (let turn = 0; turn < 20; turn++) {
      await wire.exchange(wire.head("GET /v2/notebooks HTTP/1.1", ["Connection: close"]))
    }
    expect(process.memoryUsage().rss - rss).toBeLessThan(100 * 1024 * 1024)
    socket.destroy()
    await expectWell()
  })
})

describe("many simultaneous large bodies", () => {
  it("that are only announced delay no other request, and leave no resources", async () => {
    const size = 6 * 1024 * 1024
    const body = JSON.stringify({ notebook_id: notebook, title: "large", body: "z".repeat(200_000) })
    const ask = () => wire.exchange(wire.post("/notes", [`Content-Length: ${body.length}`, "Connection: close"], body))
    const unfinished = await Promise.all(
      Array.from({ length: 50 }, () => wire.begin(wire.post("/notes", [`Content-Length: ${size}`], "{")))
    )
    expect(statuses(await ask())).toEqual([201])
    for (const socket of unfinished) socket.resetAndDestroy()
    await expectWell()
    const all = Array.from({ length: 20 }, ask)
    expect((await Promise.all(all)).flatMap(statuses)).toEqual(all.map(() => 201))
  })
})

describe("pipelined requests on a connection", () => {
  it("get only the response to the first one, and the connection closes", async () => {
    const heads = ["one", "two", "three"].map((id) => wire.head("GET /v2/tags HTTP/1.1", [`X-Request-Id: ${id}`]))
    const answer = await wire.exchange(heads.join(""))
    expect([...answer.matchAll(/request-id: (\S+)/gi)].map(([, id]) => id)).toEqual(["one"])
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    await expectWell()
  })

  it("that are followed by garbage end with the connection", async () => {
    for (const garbage of ["\0\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "garbage garbage garbage\r\n\r\n", "{}{}{}"]) {
      const answer = await wire.exchange(wire.head("GET /v2/tags HTTP/1.1") + garbage)
      // If the garbage arrives before the response, the 400 may be the only response.
      expect([[200], [400], [200, 400]]).toContainEqual(statuses(answer))
    }
    await expectWell()
  })

  it("cannot be hidden in the body of a request that is refused before it is read", async () => {
    const hidden = wire.head("DELETE /v2/notes/nt_hidden HTTP/1.1")
    await Promise.all(
      [
        `POST /v2/notes HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n`,
        `POST /v2/none HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n`,
        `PUT /v2/notes HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n`,
        `POST /v2/notes HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${hidden.length}\r\n\r\n`
      ].map(async (refused) => {
        expect(statuses(await wire.exchange(refused + hidden)), refused).toHaveLength(1)
      })
    )
  })

  it("without a valid credential are refused before their bodies arrive", async () => {
    const wrong = "Authorization: Bearer sfk_wrong\r\n"
    const starts = ["/notes", "/sync/push", "/search", "/tags/merge"].flatMap((path) =>
      ["", wrong, `${wrong}Idempotency-Key: x\r\n`].map(
        (credential) => `POST /v2${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${credential}`
      )
    )
    await Promise.all(
      starts.flatMap((start) =>
        [`Content-Length: 7000000\r\n\r\n{`, `Transfer-Encoding: chunked\r\n\r\nffff\r\n{`].map(async (begun) => {
          expect(statuses(await wire.exchange(start + begun))[0], start).toBe(401)
        })
      )
    )
    await expectWell()
  })

  it("that announce a too large body are refused before it is read", async () => {
    const answer = await wire.exchange(wire.post("/notes", ["Content-Length: 8388608"], "x".repeat(1_000_000)))
    expect(statuses(answer)).toEqual([413])
    const chunk = `100000\r\n${"x".repeat(1_048_576)}\r\n`
    const streamed = await wire.exchange(
      wire.post("/notes", ["Transfer-Encoding: chunked"], `${chunk.repeat(8)}0\r\n\r\n`)
    )
    expect([[], [413]]).toContainEqual(statuses(streamed))
    await expectWell()
  })
})
