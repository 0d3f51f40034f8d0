import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** A way to a server that can be cut, or fall silent, without anything happening to the server. */
export class TcpProxy {
  /** `passes` all, takes connections and `keepsSilent`, or `refuses` them. */
  private state: "passes" | "keepsSilent" | "refuses" = "passes"
  private readonly sockets = new Set<Socket>()
  private readonly server
  /** Connections that were ever opened. */
  opened = 0
  /** So many bytes more go to the server before it refuses. */
  room = Infinity

  private constructor(host: string, port: number) {
    this.server = createServer((client) => {
      this.opened++
      this.watch(client)
      if (this.state === "refuses") client.resetAndDestroy()
      if (this.state !== "passes") return
      const upstream = connect(port, host)
      this.watch(upstream)
      client.pipe(upstream).pipe(client)
      client.on("data", (bytes) => {
        this.room -= bytes.length
        if (this.room < 0) this.turn("refuses")
      })
      client.once("close", () => upstream.destroy())
      upstream.once("close", () => client.destroy())
    })
  }

  static async to(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url)
    const proxy = new TcpProxy(hostname, Number(port))
    proxy.server.listen(0, "127.0.0.1")
    await once(proxy.server, "listening")
    return proxy
  }

  get url(): string {
    const address = this.server.address()
    if (address === null || typeof address === "string") throw new Error("the proxy has no port")
    return `http://127.0.0.1:${address.port}`
  }

  /** Connections that are open. */
  get open(): number {
    return this.sockets.size
  }

  /** From now on; what was open is closed. */
  turn(state: "passes" | "keepsSilent" | "refuses"): void {
    this.state = state
    for (const socket of this.sockets) socket.destroy()
  }

  /** Nothing more comes through on the connections that are open. */
  hold(): void {
    for (const socket of this.sockets) socket.unpipe().pause()
  }

  async stop(): Promise<void> {
    this.turn("refuses")
    this.server.close()
    await once(this.server, "close")
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket)
    socket.once("close", () => this.sockets.delete(socket))
    // What ends badly is what is wanted here.
    socket.on("error", () => {})
  }
}
