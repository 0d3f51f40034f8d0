import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createPlain } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { isShared, listenMore, requireFree } from "../../src/http/Listeners.ts"

const listening = async () => {
  const server = listenMore(createServer((request, response) => response.end(String(request.socket.remotePort))))
  await once(server.listen({ port: 0, host: "127.0.0.1", reusePort: true }), "listening")
  return { server, port: (server.address() as AddressInfo).port }
}
const connectionsOf = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  )

describe.skipIf(!isShared)("a server with several sockets (where the system shares a port)", () => {
  it("has whatever they accept as its own, and ends them with itself", async () => {
    const { server, port } = await listening()
    const asked = Array.from({ length: 64 }, () =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "keep-alive" } }).then((answer) => answer.text())
    )
    // Each of them over a connection of its own: as many as there are ports of clients.
    const clients = new Set(await Promise.all(asked))
    expect(clients.size).toBeGreaterThan(1)
    expect(await connectionsOf(server)).toBe(clients.size)
    const closed = once(server, "close")
    server.close()
    server.closeIdleConnections()
    await closed
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  })

  it("serves every connection that was made before it is closed", async () => {
    const { server, port } = await listening()
    const clients = Array.from({ length: 4 }, () => connect(port, "127.0.0.1"))
    const texts = clients.map((client) => {
      client.end("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      return text(client)
    })
    // The system has connected them, and the loop has taken none of them.
    await new Promise((done) => process.nextTick(done))
    const closed = once(server, "close")
    server.close()
    for (const response of await Promise.all(texts)) expect(response).toContain("200 OK")
    await closed
  })

  it("is not begun where another one has the port, shared or not", async () => {
    const { server, port } = await listening()
    await expect(requireFree(port, "127.0.0.1")).rejects.toMatchObject({ code: "EADDRINUSE" })
    server.close()
    await once(server, "close")
    await requireFree(port, "127.0.0.1")
    const plain = createPlain()
    await once(plain.listen(port, "127.0.0.1"), "listening")
    await expect(requireFree(port, "127.0.0.1")).rejects.toMatchObject({ code: "EADDRINUSE" })
    plain.close()
    await once(plain, "close")
  })
})
