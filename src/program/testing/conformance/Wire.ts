import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

/** A request of a client. */
export interface Asked {
  readonly method: string
  /** Without `/v2`. */
  readonly path: string
  readonly body: any
}

/** A response, and how it reaches the client. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  /** `half`: the connection ends in the middle. `slowly`: in many small chunks. */
  readonly passed?: "half" | "slowly"
}

/** What happens to a request. Without a response, the connection is closed. `key` replaces the one of the client. */
export type Network = (request: Asked, send: (key?: string) => Promise<Answer>) => Promise<Answer | undefined>

/** A request, and the response that the client got, unless it was lost. */
export interface Exchange extends Asked {
  readonly status: number | undefined
  readonly answer: any
  /** When the request came and the response went, in milliseconds. */
  readonly came: number
  readonly went: number
  /** The seconds of `Retry-After`. */
  readonly retryAfter: number
}

/** A response that does not come from the server. */
export const instead = (status: number, body: object | string, headers: Answer["headers"] = {}): Answer => ({
  status,
  headers: {
    "content-type":
      typeof body === "string" ? "text/html" : status < 300 ? "application/json" : "application/problem+json",
    ...headers
  },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

/** A response whose JSON is another one. */
export const changed = (answer: Answer, change: (body: any) => unknown): Answer => ({
  ...answer,
  body: JSON.stringify(change(JSON.parse(answer.body)))
})

const json = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The network between one client and the server, at an address that stays. */
export class Wire {
  readonly #server: Server
  readonly #target: string
  readonly exchanges: Array<Exchange> = []
  network: Network | undefined

  private constructor(target: string) {
    this.#target = target
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy())
    })
  }

  static async start(target: string): Promise<Wire> {
    const wire = new Wire(target)
    await new Promise<void>((resolve) => wire.#server.listen(0, "127.0.0.1", resolve))
    return wire
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v2`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const came = performance.now()
    const path = request.url!.replace(/^\/v2/, "")
    const body = await buffer(request)
    const method = request.method!
    const asked = { method, path, body: json(body.toString()) }
    const forward = (key?: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const { "accept-encoding": _, host: __, ...headers } = request.headers
        if (key !== undefined) headers.authorization = `Bearer ${key}`
        ask(this.#target + path, { method, headers }, resolve)
          .on("error", reject)
          .end(body)
      })
    if (path.startsWith("/sync/stream") && this.network === undefined) {
      const stream = await forward()
      response.writeHead(stream.statusCode!, stream.headers)
      stream.pipe(response)
      return
    }
    const send = async (key?: string): Promise<Answer> => {
      const answer = await forward(key)
      return { status: answer.statusCode!, headers: answer.headers, body: (await buffer(answer)).toString() }
    }
    const answer = await (this.network === undefined ? send() : this.network(asked, send))
    const isWhole = answer !== undefined && answer.passed !== "half"
    this.exchanges.push({
      ...asked,
      came,
      went: performance.now(),
      status: isWhole ? answer.status : undefined,
      answer: isWhole ? json(answer.body) : undefined,
      retryAfter: Number(answer?.headers["retry-after"] ?? 0)
    })
    if (answer === undefined) return void response.destroy()
    const bytes = Buffer.from(answer.body)
    const { "content-length": _, "transfer-encoding": __, connection: ___, ...headers } = answer.headers
    response.writeHead(answer.status, {
      ...headers,
      ...(answer.passed === "slowly" ? {} : { "content-length": bytes.length })
    } as {})
    if (answer.passed === undefined) return void response.end(bytes)
    if (answer.passed === "half")
      return void response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    for (let at = 0; at < bytes.length; at += 101) {
      await new Promise((resolve) => response.write(bytes.subarray(at, at + 101), resolve))
    }
    response.end()
  }
}
