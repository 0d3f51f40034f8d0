import { once } from "node:events"
import { createServer as createPlain, type RequestListener } from "node:http"
import { createServer as createSecure } from "node:https"
import type { Socket } from "node:net"
import type { Certificate } from "./Certificate.ts"

/** A local server for a test, over TLS if it has a certificate. */
export class HttpServer {
  /** Number of connections so far. */
  connections = 0
  private readonly sockets = new Set<Socket>()
  private readonly server

  private constructor(listener: RequestListener, certificate: Certificate | undefined) {
    this.server = certificate === undefined ? createPlain(listener) : createSecure({ ...certificate }, listener)
    this.server.on("connection", (socket: Socket) => {
      this.connections++
      this.sockets.add(socket)
      socket.once("close", () => this.sockets.delete(socket))
    })
    // A client that rejects the certificate is not a failure of the test.
    this.server.on("tlsClientError", () => {})
  }

  static async start(listener: RequestListener, certificate?: Certificate, port = 0): Promise<HttpServer> {
    const server = new HttpServer(listener, certificate)
    server.server.listen(port, "127.0.0.1")
    await once(server.server, "listening")
    return server
  }

  get port(): number {
    const address = this.server.address()
    if (address === null || typeof address === "string") throw new Error("the server has no port")
    return address.port
  }

  async stop(): Promise<void> {
    const closed = once(this.server, "close")
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
    await closed
  }
}
