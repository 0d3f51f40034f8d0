import { Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { Admission, defaults as admission } from "../src/http/Admission.ts"
import { defaults, type Limits } from "../src/http/Connection.ts"
import { Connections } from "../src/http/Connections.ts"
import * as MalformedRequests from "../src/http/MalformedRequests.ts"
import { stateOf } from "../src/http/RequestState.ts"

let server: Server
const sockets: Array<Socket> = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const listen = async (limits: Partial<Limits>, answer: RequestListener) => {
  const connections = await Effect.runPromise(
    Effect.provide(
      Effect.service(Connections),
      Layer.provide(Connections.layer({ ...defaults, ...limits }), Admission.layer(admission))
    )
  )
  server = connections.watch(MalformedRequests.watch(createServer(answer), "http://sheaf.test/v2/errors/"))
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return connections
}

/** A connection on which so much was sent, and of which nothing is read until it is asked for. */
const open = async (text: string): Promise<Socket> => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  sockets.push(socket)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.write(text)
  return socket
}

/** All that comes until the end. */
const rest = async (socket: Socket): Promise<string> => {
  let text = ""
  socket
    .setEncoding("latin1")
    .on("data", (piece) => (text += piece))
    .resume()
  await once(socket, "close")
  return text
}

const get = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
/** More than the system takes on for a client. */
const much = Buffer.alloc(32 * 1024 * 1024)
const stalledAfter = 100

describe("connections", () => {
  it("whose client does not read its answer are ended", async () => {
    const closed: Array<Promise<unknown>> = []
    const connections = await listen({ stalledAfter }, (request, response) => {
      closed.push(once(request.socket, "close"))
      response.end(much)
    })
    await open(get)
    await expect.poll(() => closed.length).toBe(1)
    await closed[0]
    expect([connections.ended().stalled, connections.open(), connections.answering()]).toEqual([1, 0, 0])
  })

  it("whose client takes nothing are ended, however much is written to them and however much they send", async () => {
    const closed: Array<Promise<unknown>> = []
    const connections = await listen({ stalledAfter }, (request, response) => {
      response.write(much)
      const pings = setInterval(() => response.write("ping"), stalledAfter / 10)
      closed.push(once(request.socket, "close").finally(() => clearInterval(pings)))
    })
    const socket = await open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    const sends = setInterval(() => socket.write("\r\n"), stalledAfter / 10)
    await expect.poll(() => closed.length).toBe(1)
    await closed[0]
    clearInterval(sends)
    expect([connections.ended().stalled, connections.open()]).toEqual([1, 0])
  })

  it("whose client stops in the middle of its body are told so, and ended", async () => {
    const connections = await listen({ stalledAfter }, (request) => request.resume())
    const text = await rest(await open("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf"))
    expect(text).toContain("HTTP/1.1 408 ")
    expect(text).toContain("request_timeout")
    expect(connections.ended().stalled).toBe(1)
  })

  it("whose request does not come whole in time are told so, however steadily it comes", async () => {
    const connections = await listen({ wholeWithin: 200 }, (request) => request.resume())
    const socket = await open("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nhalf")
    const sends = setInterval(() => socket.write("x"), 10)
    const text = await rest(socket).finally(() => clearInterval(sends))
    expect(text).toContain("HTTP/1.1 408 ")
    expect(text).toContain("request_timeout")
    expect([connections.ended().stalled, connections.open()]).toEqual([0, 0])
  })

  const put = (length: number) => `PUT /files/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nhalf`
  const uploaded = 1_000_000

  it("that upload a file are given longer once it was let in, as long as they go on", async () => {
    let seen = 0
    await listen({ wholeWithin: 100 }, (request, response) => {
      stateOf(request).isLetIn = ++seen === 1
      request.resume().on("end", () => response.end("all of it"))
    })
    const slow = await open(put(uploaded))
    await expect.poll(() => seen).toBe(1)
    expect(await rest(await open(put(uploaded)))).toContain("HTTP/1.1 408 ")
    // Now the first is late as well.
    const [answer] = await Promise.all([once(slow.resume(), "data"), slow.write(Buffer.alloc(uploaded - 4))])
    expect(String(answer)).toContain("all of it")
  })

  it("that upload a file are ended once they do not go on", async () => {
    await listen({ stalledAfter }, (request) => {
      stateOf(request).isLetIn = true
      request.resume()
    })
    expect(await rest(await open(put(uploaded)))).toContain("HTTP/1.1 408 ")
  })

  it("are not kept for what is left of an upload that was answered", async () => {
    const connections = await listen({ wholeWithin: 100 }, (request, response) => {
      stateOf(request).isLetIn = true
      response.end("no")
    })
    const socket = await open(put(uploaded))
    const sends = setInterval(() => socket.write("x"), 10)
    expect(await rest(socket).finally(() => clearInterval(sends))).toMatch(/^HTTP\/1.1 200 OK[^]*\r\nno/)
    expect(connections.open()).toBe(0)
  })

  it("that wait for the server are not", async () => {
    let timeouts = 0
    const connections = await listen({ stalledAfter }, (request, response) => {
      // Longer than any client would be waited for.
      request.socket.on("timeout", () => {
        if (++timeouts === 3) response.end("at last")
      })
    })
    expect(await rest(await open(get))).toContain("at last")
    expect([timeouts, connections.ended().stalled]).toEqual([3, 0])
  })

  it("beyond their number are closed at once, and counted", async () => {
    const connections = await listen({ max: 2 }, (_, response) => response.end("ok"))
    const held = [await open(""), await open("")]
    await expect.poll(() => connections.open()).toBe(2)
    expect(await rest(await open(get))).toBe("")
    expect(connections.ended().dropped).toBe(1)
    held[0]!.destroy()
    await expect.poll(() => connections.open()).toBe(1)
    expect(await rest(await open(get))).toContain("200 OK")
  })

  it("with the most to read are let go, once all together hold too much", async () => {
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

  it("are let go with the very answer that is too much", async () => {
    const unread: Array<number> = []
    const connections = await listen({ maxUnread: 80 * 1024 * 1024 }, (_, response) => {
      response.end(much)
      unread.push(connections.ended().unread)
    })
    for (let client = 1; client <= 3; client++) {
      await open(get)
      await expect.poll(() => unread.length).toBe(client)
    }
    expect(unread).toEqual([0, 0, 1])
  })

  it("answer all that is sent on them in its order, one after the other, and read no more than a few ahead", async () => {
    const requests = 6_000
    const answers: Array<() => void> = []
    const seen: Array<string> = []
    await listen({}, (request, response) => {
      seen.push(request.url!)
      answers.push(() => response.end(`<${request.url}>`))
    })
    let sent = ""
    for (let index = 1; index < requests; index++) sent += `GET /${index} HTTP/1.1\r\nHost: x\r\n\r\n`
    sent += get.replace(" / ", ` /${requests} `)
    const socket = await open(sent)
    const [served] = await once(server, "request")
    expect(seen).toEqual(["/1"])
    const read = served.socket.bytesRead
    expect(read).toBeLessThan(sent.length / 2)
    let most = 0
    const text = rest(socket)
    for (let index = 0; index < requests; index++) {
      if (answers.length === index) await once(server, "request")
      expect(answers.length).toBe(index + 1)
      answers[index]!()
      most = Math.max(most, served.socket.bytesRead - sent.indexOf(`GET ${seen[index]} `))
    }
    const answered = [...(await text).matchAll(/<\/(\d+)>/g)].map(([, index]) => Number(index))
    expect(answered).toEqual(Array.from({ length: requests }, (_, index) => index + 1))
    // What Node reads at once, and what of it was left.
    expect(most).toBeLessThan(2 * 65_536)
  })

  it("that send many requests at once have one of them answered before others are looked at", async () => {
    let atOnce = 0
    let most = 0
    await listen({}, (_, response) => {
      most = Math.max(most, ++atOnce)
      // By then the sockets have been looked at.
      setImmediate(() => (atOnce = 0))
      response.end("ok")
    })
    const text = await rest(await open("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(900) + get))
    expect(text.match(/200 OK/g)).toHaveLength(901)
    expect(most).toBe(1)
  })

  it("that sent the most requests are let go, once too many wait in all", async () => {
    const taken: Array<() => void> = []
    const connections = await listen({ maxWaiting: 3 }, (_, response) => taken.push(() => response.end("ok")))
    const few = await open("GET / HTTP/1.1\r\nHost: x\r\n\r\n" + get)
    await expect.poll(() => taken.length).toBe(1)
    expect(await rest(await open("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500)))).toBe("")
    expect([connections.ended().crowded, connections.open(), taken.length]).toEqual([1, 1, 2])
    const text = rest(few)
    for (let index = 0; index < 3; index++) {
      if (taken.length === index) await once(server, "request")
      taken[index]!()
    }
    expect((await text).match(/200 OK/g)).toHaveLength(2)
  })

  it("that sent the most are let go, once too much is not parsed yet, and those that sent little are not", async () => {
    const taken: Array<() => void> = []
    const connections = await listen({ maxUnparsed: 70_000 }, (_, response) => taken.push(() => response.end("ok")))
    const ahead = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    const few: Array<Socket> = []
    for (let count = 1; count <= 20; count++) {
      few.push(await open(ahead.repeat(20)))
      await expect.poll(() => taken.length).toBe(count)
    }
    expect([connections.ended().crowded, connections.open()]).toEqual([0, 20])
    await open(ahead.repeat(3_500))
    await expect.poll(() => [connections.ended().crowded, connections.open()]).toEqual([1, 20])
    for (const socket of few) socket.destroy()
  })

  it("with an answer under way are told, when the server stops, that it is the last", async () => {
    const answers: Array<() => void> = []
    const connections = await listen({}, (_, response) => answers.push(() => response.end("ok")))
    const socket = await open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await expect.poll(() => answers.length).toBe(1)
    connections.drain()
    answers[0]!()
    expect(await rest(socket)).toMatch(/\r\nConnection: close\r\n[^]*ok$/)
  })

  it("take one more request each once they retire, and new ones are still taken", async () => {
    const connections = await listen({}, (_, response) => response.end("ok"))
    const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    const idle = await open(request)
    await once(idle.resume(), "data")
    connections.retire()
    idle.write(request)
    const later = await open(request)
    for (const socket of [idle, later]) expect(await rest(socket)).toMatch(/\r\nConnection: close\r\n[^]*ok$/)
    expect(connections.open()).toBe(0)
  })
})
