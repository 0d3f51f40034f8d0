import type { IncomingMessage, ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import type { Certificate } from "./Certificate.ts"
import { HttpServer } from "./HttpServer.ts"

/** A delivery as received over the network. */
export interface ReceivedHook {
  readonly path: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly raw: string
  readonly body: any
}

/** The response of a path: a status, or a function that writes it. */
export type HookResponse = number | ((received: ReceivedHook, response: ServerResponse) => void)

/** A receiver of webhooks on this machine. The map sets the response of each path; the default is 204. */
export class HookSink {
  readonly received: Array<ReceivedHook> = []
  readonly responses = new Map<string, HookResponse>()
  private readonly listeners = new Set<() => void>()
  private server!: HttpServer

  static async start(options: { readonly certificate?: Certificate; readonly port?: number } = {}): Promise<HookSink> {
    const sink = new HookSink()
    sink.server = await HttpServer.start(
      (request, response) => void sink.take(request, response),
      options.certificate,
      options.port
    )
    return sink
  }

  get port(): number {
    return this.server.port
  }

  get connections(): number {
    return this.server.connections
  }

  /** The URL of a path, for a webhook. */
  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** The deliveries to a path. */
  on(path: string): ReadonlyArray<ReceivedHook> {
    return this.received.filter((each) => each.path === path)
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender has closed the connection, for example because it was killed.
      return
    }
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const raw = Buffer.concat(chunks).toString()
    const received = { path: request.url ?? "", id: headers["webhook-id"] ?? "", headers, raw, body: JSON.parse(raw) }
    this.received.push(received)
    const answer = this.responses.get(received.path) ?? 204
    if (typeof answer === "number") response.writeHead(answer).end()
    else answer(received, response)
    for (const listener of this.listeners) listener()
  }

  /**
   * Waits until a condition on the received deliveries holds; in real time, because sockets do not use the test clock.
   */
  async until(what: string, test: () => boolean): Promise<void> {
    let end = () => {}
    const seen = new Promise<void>((resolve, reject) => {
      const look = () => (test() ? resolve() : undefined)
      const timer = setTimeout(() => reject(new Error(`not within 120 s: ${what}`)), 120_000)
      this.listeners.add(look)
      end = () => {
        clearTimeout(timer)
        this.listeners.delete(look)
      }
      look()
    })
    try {
      await seen
    } finally {
      end()
    }
  }

  stop(): Promise<void> {
    return this.server.stop()
  }
}

/**
 * Verifies a delivery with an independent library, and returns its body or throws. The library uses the machine's
 * clock, which is set to the delivery's time meanwhile.
 */
export const verified = (secret: string, { headers, raw }: ReceivedHook): unknown => {
  const webhook = new Webhook(secret)
  const seconds = Number(headers["webhook-timestamp"])
  const real = Date.now
  Date.now = () => seconds * 1000
  try {
    return webhook.verify(raw, headers as Record<string, string>)
  } finally {
    Date.now = real
  }
}
