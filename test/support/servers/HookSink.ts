import type { IncomingMessage, ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import type { Certificate } from "./Certificate.ts"
import { HttpServer } from "./HttpServer.ts"

/** A delivery as it came over the wire. */
export interface ReceivedHook {
  readonly path: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly raw: string
  readonly body: any
}

/** What a path answers: a status, or more. */
export type HookAnswer = number | ((received: ReceivedHook, response: ServerResponse) => void)

/** A receiver of webhooks on this machine, by paths. */
export class HookSink {
  readonly received: Array<ReceivedHook> = []
  readonly answers = new Map<string, HookAnswer>()
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

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  on(path: string): ReadonlyArray<ReceivedHook> {
    return this.received.filter((each) => each.path === path)
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender is gone, such as one that was killed.
      return
    }
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const raw = Buffer.concat(chunks).toString()
    const received = { path: request.url ?? "", id: headers["webhook-id"] ?? "", headers, raw, body: JSON.parse(raw) }
    this.received.push(received)
    const answer = this.answers.get(received.path) ?? 204
    if (typeof answer === "number") response.writeHead(answer).end()
    else answer(received, response)
    for (const listener of this.listeners) listener()
  }

  /** Waits until it is true of what came; in real time, as sockets live in it. */
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
 * What an independent receiver says of a delivery: its body, or an error. It takes the time from the machine's clock: a
 * delivery of a test's clock is verified with `at`, signed anew by nobody.
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
