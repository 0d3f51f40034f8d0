import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createPlain, type Socket } from "node:net"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { kept, readShared } from "../../src/http/SharedReads.ts"

describe("reads into one buffer", () => {
  it("are what this version of Node does for a socket of a server", async () => {
    const server = createPlain()
    await once(server.listen(0, "127.0.0.1"), "listening")
    const accepted = once(server, "connection") as Promise<[Socket]>
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
    const [socket] = await accepted
    const buffers = new Set<unknown>()
    const texts: Array<Buffer> = []
    const read = Promise.withResolvers<void>()
    const isShared = readShared(socket, (bytes) => {
      buffers.add(bytes.buffer)
      texts.push(kept(bytes))
      if (Buffer.concat(texts).length === 6) read.resolve()
      else client.write("two")
    })
    expect(isShared).toBe(true)
    client.write("one")
    await read.promise
    expect(Buffer.concat(texts).toString()).toBe("onetwo")
    expect(buffers.size).toBe(1)
    expect(texts.some((bytes) => buffers.has(bytes.buffer))).toBe(false)
    client.destroy()
    await once(server.close(), "close")
  })

  it("leave the body of a request as it came, however others send theirs in between", async () => {
    const bodies = new Map<string, Array<Buffer>>()
    const server = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      bodies.set(request.url!, pieces)
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => response.end())
    })
    server.on("connection", (socket) => {
      const [parse] = socket.listeners("data") as Array<(bytes: Buffer) => void>
      socket.removeListener("data", parse!)
      socket.on("data", parse!)
      readShared(socket, (bytes) => parse!.call(socket, bytes))
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = server.address() as AddressInfo
    const sent = ["a", "b"].map((letter) => Buffer.alloc(300_000, letter))
    await Promise.all(
      sent.map((body, n) => fetch(`http://127.0.0.1:${port}/${n}`, { method: "POST", body: new Uint8Array(body) }))
    )
    expect(sent.map((body, n) => Buffer.concat(bodies.get(`/${n}`)!).equals(body))).toEqual([true, true])
    server.closeAllConnections()
    await once(server.close(), "close")
  })
})
