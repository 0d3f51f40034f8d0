import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { Connections } from "../../src/server/http/server/Connections.ts"
import { Admission, defaults } from "../../src/server/http/server/Admission.ts"
import { EventStream } from "../support/EventStream.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp({ settings: { streamsPerCredential: 200 } })
beforeAll(async () => {
  // The server caches the key from now on.
  await app.call("GET", "/notebooks")
})

const more = defaults.perCaller + 6

describe("an admission slot", () => {
  it("is released by a stream as soon as it is open", async () => {
    const streams = await Promise.all(Array.from({ length: more }, () => EventStream.open(app)))
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await app.call("GET", "/notebooks")).status).toBe(200)
    for (const stream of streams) stream.close()
  })

  it("is released by a long poll while it waits", async () => {
    const { cursor } = (await app.call("GET", "/sync/cursor")).body
    const notebook_id = (await app.call("GET", "/notebooks")).body.data[0].id
    const polls = Array.from({ length: more }, () => app.call("POST", "/sync/pull", { cursor, wait: 30 }))
    const written = await app.call("POST", "/notes", { notebook_id, title: "News" })
    expect(written.status).toBe(201)
    for (const { body, status } of await Promise.all(polls)) {
      expect([status, body.changes.length]).toEqual([201, 1])
    }
  })

  it("is refused with 503 when too many requests of one user wait, and remains available to other users", async () => {
    const { waiting } = await app.run(Effect.service(Admission))
    const { inProgress } = await app.run(Effect.service(Connections))
    const sockets: Array<Socket> = []
    const send = (text: string) => {
      const socket = connect(Number(new URL(app.url).port), "127.0.0.1")
      sockets.push(socket.on("error", () => {}))
      socket.write(text)
      return socket
    }
    const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n`
    // Too long for a body read in advance, and never complete.
    const half = `${head("POST /v2/search")}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`
    for (let index = 0; index < defaults.perCaller; index++) send(half)
    // Connections are accepted in any order.
    await expect.poll(inProgress).toBe(defaults.perCaller)
    for (let index = 0; index < defaults.maxWaitingPerCaller; index++) send(`${head("GET /v2/notebooks")}\r\n`)
    await expect.poll(waiting).toBe(defaults.maxWaitingPerCaller)
    const refused = await app.call("GET", "/notebooks")
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "overloaded", "2"])
    expect((await fetch(`${app.url}/openapi.json`)).status).toBe(200)
    expect((await fetch(app.url.replace("/v2", "/readyz"))).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await expect.poll(waiting).toBe(0)
    await expect.poll(async () => (await app.call("GET", "/notebooks")).status).toBe(200)
  })
})
