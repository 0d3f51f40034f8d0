import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { systemRandomness } from "../services/Randomness.ts"
import { Connections, defaults, type Limits } from "../src/server/http/server/Connections.ts"
import * as MalformedRequests from "../src/server/http/server/MalformedRequests.ts"
import { stateOf } from "../src/server/http/server/RequestState.ts"

let server: Server
const sockets: Array<Socket> = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const listen = async (limits: Partial<Limits>, answer: RequestListener) => {
  const connections = await Effect.runPromise(
    Effect.provide(Effect.service(Connections), Connections.layer({ ...defaults, ...limits }))
  )
  server = connections.watch(
    MalformedRequests.watch(createServer(answer), systemRandomness, "http://sheaf.test/v2/errors/")
  )
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return connections
}

/** Opens a connection, sends a text, and reads nothing yet. */
const open = async (text: string): Promise<Socket> => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  sockets.push(socket)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.write(text)
  return socket
}

/** All data until the connection is closed or reset. */
const rest = async (socket: Socket): Promise<string> => {
  let text = ""
  socket
    .setEncoding("latin1")
    .on("data", (piece) => (text += piece))
    .resume()
  // `once` of node:events would fail on a reset.
  await new Promise((closed) => socket.once("close", closed))
  return text
}

const get = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
/** More bytes than the system buffers for a client. */
const much = Buffer.alloc(32 * 1024 * 1024)
const idle = 100

describe("connections", () => {
  it("are closed if the client does not read the response", async () => {
    const closed: Array<Promise<unknown>> = []
    const connections = await listen({ idle, maxUnread: Infinity }, (request, response) => {
      closed.push(once(request.socket, "close"))
      response.end(much)
    })
    await open(get)
    await expect.poll(() => closed.length).toBe(1)
    await closed[0]
    expect([connections.ended().stalled, connections.open(), connections.inProgress()]).toEqual([1, 0, 0])
  })

  it("get 408 and are closed if the client stops in the middle of its body", async () => {
    const connections = await listen({ idle }, (request) => request.resume())
    const text = await rest(await open("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf"))
    expect(text).toContain("HTTP/1.1 408 ")
    expect(text).toContain("request_timeout")
    expect(connections.ended().stalled).toBe(1)
  })

  it("get 408 if a request does not arrive completely in time, even if bytes keep arriving", async () => {
    const connections = await listen({ wholeWithin: 200 }, (request) => request.resume())
    const socket = await open("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nhalf")
    const sends = setInterval(() => socket.write("x"), 10)
    const text = await rest(socket).finally(() => clearInterval(sends))
    expect(text).toContain("HTTP/1.1 408 ")
    expect(text).toContain("request_timeout")
    expect([connections.ended().stalled, connections.open()]).toEqual([1, 0])
  })

  const put = (length: number) => `PUT /files/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nhalf`
  const uploaded = 1_000_000

  it("may take longer for an accepted upload while bytes arrive", async () => {
    let seen = 0
    await listen({ wholeWithin: 100 }, (request, response) => {
      stateOf(request).isAcceptedUpload = ++seen === 1
      request.resume().on("end", () => response.end("all of it"))
    })
    const slow = await open(put(uploaded))
    await expect.poll(() => seen).toBe(1)
    expect(await rest(await open(put(uploaded)))).toContain("HTTP/1.1 408 ")
    // Now the first one is late too.
    const [answer] = await Promise.all([once(slow.resume(), "data"), slow.write(Buffer.alloc(uploaded - 4))])
    expect(String(answer)).toContain("all of it")
  })

  it("get 408 if an accepted upload stops", async () => {
    await listen({ idle }, (request) => {
      stateOf(request).isAcceptedUpload = true
      request.resume()
    })
    expect(await rest(await open(put(uploaded)))).toContain("HTTP/1.1 408 ")
  })

  it("are not kept for the rest of an upload after its response", async () => {
    const connections = await listen({ wholeWithin: 100 }, (request, response) => {
      stateOf(request).isAcceptedUpload = true
      response.end("no")
    })
    const socket = await open(put(uploaded))
    const closed = new Promise((done) => socket.once("close", done))
    // The reset that follows later bytes would discard a response that was not read yet.
    const [response] = await once(socket.setEncoding("latin1").resume(), "data")
    expect(response).toMatch(/^HTTP\/1.1 200 OK[^]*\r\nno/)
    const sends = setInterval(() => socket.write("x"), 10)
    await closed.finally(() => clearInterval(sends))
    await expect.poll(connections.open).toBe(0)
  })

  it("are kept while the client waits for the response", async () => {
    let timeouts = 0
    const connections = await listen({ idle }, (request, response) => {
      // Longer than the server waits for a client.
      request.socket.on("timeout", () => {
        if (++timeouts === 3) response.end("at last")
      })
    })
    expect(await rest(await open(get))).toContain("at last")
    expect([timeouts, connections.ended().stalled]).toEqual([3, 0])
  })

  it("are closed at once and counted above the maximum", async () => {
    const connections = await listen({ max: 2 }, (_, response) => response.end("ok"))
    const held = [await open(""), await open("")]
    await expect.poll(() => connections.open()).toBe(2)
    expect(await rest(await open(get))).toBe("")
    expect(connections.ended().dropped).toBe(1)
    held[0]!.destroy()
    await expect.poll(() => connections.open()).toBe(1)
    expect(await rest(await open(get))).toContain("200 OK")
  })

  it("are closed if they have the most unread bytes when the total is too large", async () => {
    const closed: Array<Promise<unknown>> = []
    const connections = await listen({ maxUnread: 96 * 1024 * 1024 }, (request, response) => {
      if (request.url === "/all") closed.push(once(request.socket, "close"))
      response.end(request.url === "/all" ? much : much.subarray(0, much.length / 2))
    })
    const some = await open(get)
    for (let client = 0; client < 3; client++) await open(get.replace(" / ", " /all "))
    await expect.poll(() => closed.length).toBe(3)
    await Promise.race(closed)
    expect([connections.ended().unread, connections.open()]).toEqual([1, 3])
    expect((await rest(some)).length).toBeGreaterThan(much.length / 2)
  })

  it("are closed after the first response when further requests were sent without waiting for it", async () => {
    const seen: Array<string> = []
    await listen({}, (request, response) => {
      if (stateOf(request).isPipelined) return
      seen.push(request.url!)
      setImmediate(() => response.end(`<${request.url}>`))
    })
    const text = await rest(
      await open("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    )
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Connection: close\r\n[^]*<\/1>/i)
    expect(text).not.toContain("</2>")
    expect(seen).toEqual(["/1"])
  })

  it("are closed at once when too many requests were sent without waiting for the first response", async () => {
    const connections = await listen({ maxPipelined: 3 }, () => {})
    await rest(await open("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(4)))
    expect(connections.ended().pipelined).toBe(1)
  })

  it("announce that a response in progress is the last when the server stops", async () => {
    const answers: Array<() => void> = []
    const connections = await listen({}, (_, response) => answers.push(() => response.end("ok")))
    const socket = await open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await expect.poll(() => answers.length).toBe(1)
    connections.drain()
    answers[0]!()
    expect(await rest(socket)).toMatch(/\r\nconnection: close\r\n[^]*ok$/i)
  })

  it("serve one more request each after they retire, and new ones are still accepted", async () => {
    const connections = await listen({}, (_, response) => response.end("ok"))
    const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    const idle = await open(request)
    await once(idle.resume(), "data")
    connections.retire()
    idle.write(request)
    const later = await open(request)
    for (const socket of [idle, later]) expect(await rest(socket)).toMatch(/\r\nconnection: close\r\n[^]*ok$/i)
    await expect.poll(connections.open).toBe(0)
  })
})
