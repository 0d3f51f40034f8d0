import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { Transform } from "node:stream"

/**
 * Whether it forwards, accepts connections without forwarding (`keepsSilent`), resets them (`refuses`), forwards requests
 * and resets them at the response (`losesResponses`), or responds itself (`replies`).
 */
type State = "passes" | "keepsSilent" | "refuses" | "losesResponses" | "replies"

/** A proxy whose connections can be closed or made silent without any effect on the server. */
export class TcpProxy {
  private state: State = "passes"
  /** What it responds in the state `replies`. */
  reply = ""
  /** Milliseconds by which it delays each chunk. */
  delay = 0
  private readonly sockets = new Set<Socket>()
  private readonly server
  /** Number of connections so far. */
  opened = 0
  /** Bytes that are still forwarded to the server before the proxy refuses. */
  room = Infinity

  private constructor(host: string, port: number) {
    this.server = createServer((client) => {
      this.opened++
      this.watch(client)
      if (this.state === "refuses") client.resetAndDestroy()
      if (this.state === "replies") client.once("data", () => client.end(this.reply))
      if (this.state !== "passes" && this.state !== "losesResponses") return
      const upstream = connect(port, host)
      this.watch(upstream)
      client.pipe(this.delayed()).pipe(upstream)
      if (this.state === "losesResponses") upstream.once("data", () => client.resetAndDestroy())
      else upstream.pipe(this.delayed()).pipe(client)
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

  /** Number of open sockets, of clients and to the server. */
  get open(): number {
    return this.sockets.size
  }

  /** Changes the state for new connections, and closes the open ones. */
  turn(state: State): void {
    this.state = state
    for (const socket of this.sockets) socket.destroy()
  }

  /** Stops forwarding on the open connections. */
  hold(): void {
    for (const socket of this.sockets) socket.unpipe().pause()
  }

  async stop(): Promise<void> {
    this.turn("refuses")
    this.server.close()
    await once(this.server, "close")
  }

  private delayed(): Transform {
    return new Transform({
      transform: (chunk, _, done) => {
        if (this.delay === 0) done(null, chunk)
        else setTimeout(done, this.delay, null, chunk)
      }
    })
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket)
    socket.once("close", () => this.sockets.delete(socket))
    // Errors of connections are intended here.
    socket.on("error", () => {})
  }
}
