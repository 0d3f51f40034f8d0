import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import type { Random } from "../../../src/program/testing/Random.ts"

/** A proxy that cuts connections by chance. The server behind it can be replaced, as by a restart on the same port. */
export class CuttingProxy {
  /** The server that new connections reach; without one they are refused. */
  target: string | undefined
  isCutting = false
  /** Number of connections that it has cut. */
  cuts = 0
  private readonly random: Random
  private readonly clients = new Set<Socket>()
  private readonly server = createServer((client) => this.connect(client))
  private waiting: Array<{ readonly cuts: number; readonly resolve: () => void }> = []

  private constructor(random: Random) {
    this.random = random
  }

  static async start(random: Random): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(random)
    proxy.server.listen(0, "127.0.0.1")
    await once(proxy.server, "listening")
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v2`
  }

  /** Resolves after some more cuts. */
  further(cuts: number): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ cuts: this.cuts + cuts, resolve }))
  }

  /** Closes all connections, and refuses new ones. */
  refuse(): void {
    this.target = undefined
    for (const client of this.clients) client.destroy()
  }

  async stop(): Promise<void> {
    this.refuse()
    this.server.close()
    await once(this.server, "close")
  }

  private connect(client: Socket): void {
    // Errors of connections are intended here.
    client.on("error", () => {})
    if (this.target === undefined) return void client.resetAndDestroy()
    const { hostname, port } = new URL(this.target)
    const server = connect(Number(port), hostname).on("error", () => {})
    this.clients.add(client)
    client.once("close", () => (this.clients.delete(client), server.destroy()))
    server.once("close", () => client.destroy())
    // Most cuts are in responses, the others in requests.
    this.forward(client, server, this.random.chance(0.2) ? this.random.between(0, 1_000) : Infinity)
    this.forward(server, client, this.random.between(0, this.random.pick([500, 2_000, 50_000])))
  }

  /** Forwards bytes until their number is reached. */
  private forward(from: Socket, to: Socket, bytes: number): void {
    let left = bytes
    from.on("data", (chunk) => {
      if (this.isCutting && chunk.length > left) {
        from.removeAllListeners("data")
        to.write(chunk.subarray(0, left), () => (this.random.chance(0.5) ? to.destroy() : to.resetAndDestroy()))
        this.counted()
      } else if (!to.write(chunk)) {
        from.pause()
        to.once("drain", () => from.resume())
      }
      left -= Math.min(left, chunk.length)
    })
  }

  private counted(): void {
    this.cuts++
    for (const { resolve } of this.waiting.filter(({ cuts }) => cuts <= this.cuts)) resolve()
    this.waiting = this.waiting.filter(({ cuts }) => cuts > this.cuts)
  }
}
