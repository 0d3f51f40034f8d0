/** Receives webhooks, and refuses some of them once. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export class Sink {
  /** The ids of the events that were received, by the name of the history. */
  private readonly received = new Map<string, Set<string>>()
  private requests = 0
  /** The names of histories of which it forgets one delivery: a planted fault. */
  readonly forgetful = new Set<string>()
  private readonly server = createServer((request, response) => void this.take(request, response))

  static async start(): Promise<Sink> {
    const sink = new Sink()
    sink.server.listen(0, "127.0.0.1")
    await once(sink.server, "listening")
    return sink
  }

  url(name: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${name}`
  }

  of(name: string): Set<string> {
    const found = this.received.get(name) ?? new Set()
    this.received.set(name, found)
    return found
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      for await (const _ of request);
    } catch {
      // The sender was killed.
      return
    }
    // Some are refused: they come again.
    const isRefused = ++this.requests % 29 === 0
    const name = request.url!.slice(1)
    if (!isRefused && !(this.of(name).size > 5 && this.forgetful.delete(name)))
      this.of(name).add(String(request.headers["webhook-id"]))
    response.writeHead(isRefused ? 500 : 204).end()
  }

  async stop(): Promise<void> {
    this.server.close()
    this.server.closeAllConnections()
    await once(this.server, "close")
  }
}
