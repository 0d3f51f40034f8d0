/** The network between the clients of a history and the nodes: it loses, doubles and repeats requests. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fate } from "./Plan.ts"
import type { Stage } from "./Stage.ts"
import { Trace } from "./Trace.ts"

export interface Request {
  readonly method: string
  /** From the origin on, such as `/v2/notes`; whole outside the nodes. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A body of JSON; undefined if there is none. */
// `any`, so that checks read it freely.
export const bodyOf = ({ bytes }: Reply): any =>
  bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes))

/** A reply with another body. */
export const withBody = (reply: Reply, body: unknown): Reply => ({
  ...reply,
  bytes: new TextEncoder().encode(JSON.stringify(body))
})

/** Is between clients and nodes, and may change both requests and replies: a planted fault. */
export type Tamper = (request: Request, send: (request: Request) => Promise<Reply>) => Promise<Reply>

export interface Calling {
  readonly node: number
  readonly fate?: Fate
  /** Whether sending the request twice has the effect of sending it once. */
  readonly isRepeatable: boolean
}

export interface Called {
  /** Undefined if it is not known whether the request had an effect. */
  readonly reply: Reply | undefined
  /** An earlier attempt may have had the effect already. */
  readonly isRepeated: boolean
}

/** Milliseconds for one attempt, and for all of a request. */
const attemptTime = 20_000
const patience = 120_000

/** The codes of causes after which the request certainly reached no server. */
const isUnsent = (error: unknown): boolean => (error as { cause?: { code?: string } }).cause?.code === "ECONNREFUSED"

const hasText = ({ bytes }: Reply, text: string): boolean =>
  bytes.length < 2_000 && new TextDecoder().decode(bytes).includes(text)

/** Another request with the same key is running, or the caller has to wait. */
const isWaiting = (reply: Reply): boolean => reply.status === 429 || hasText(reply, "idempotency_in_progress")
/** MCP has errors with the status 200. */
const isDone = (reply: Reply): boolean => reply.status < 300 && !isWaiting(reply) && !hasText(reply, '"isError":true')

export class Wire {
  private readonly stage: Pick<Stage, "files" | "origins">
  tamper: Tamper = (request, send) => send(request)
  /** Number of requests by what happened to them. */
  readonly counts = new Map<string, number>()
  readonly trace = new Trace()

  constructor(stage: Pick<Stage, "files" | "origins">) {
    this.stage = stage
  }

  /** The path of an address: a client may reach each node. */
  pathOf(address: string | URL): string {
    const { href, origin, pathname, search } = new URL(address)
    return origin === this.stage.files ? href : pathname + search
  }

  count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  /** One attempt, without a fault. */
  async exchange(request: Request, node: number, signal = AbortSignal.timeout(attemptTime)): Promise<Reply> {
    try {
      const reply = await this.send(request, node, signal)
      this.trace.took(request, node, reply)
      return reply
    } catch (error) {
      this.trace.took(request, node, String((error as Error).cause ?? error))
      throw error
    }
  }

  private send(request: Request, node: number, signal: AbortSignal): Promise<Reply> {
    const { origins } = this.stage
    return this.tamper(request, async ({ body, headers, method, path }) => {
      const init = { method, headers, signal, ...(body === undefined ? {} : { body }) }
      const response = await fetch(path.startsWith("/") ? origins[node % origins.length]! + path : path, init)
      return {
        status: response.status,
        headers: response.headers,
        bytes: new Uint8Array(await response.arrayBuffer())
      }
    })
  }

  private async attempt(request: Request, node: number, fate: Fate): Promise<Reply> {
    if (fate !== "well") this.count(fate)
    if (fate === "hungUp") {
      const end = new AbortController()
      const hanging = this.exchange(request, node, end.signal)
      setImmediate(() => end.abort())
      return hanging
    }
    if (fate !== "doubled") {
      const reply = await this.exchange(request, node)
      if (fate === "lostResponse") throw new TypeError("the response was lost")
      return reply
    }
    const both = await Promise.allSettled([this.exchange(request, node), this.exchange(request, node + 1)])
    const replies = both.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))
    const done = replies.find(isDone) ?? replies[0]
    if (done === undefined) throw new TypeError("both requests failed")
    return done
  }

  /** Sends a request until there is a final response, or its effect is unknown and it must not be repeated. */
  async call(request: Request, { fate = "well", isRepeatable, node }: Calling): Promise<Called> {
    const until = performance.now() + patience
    const first = fate === "doubled" && !isRepeatable ? "well" : fate
    let isRepeated = first === "doubled"
    for (let attempt = 0; ; attempt++) {
      try {
        const reply = await this.attempt(request, node + attempt, attempt === 0 ? first : "well")
        const mustWait = isWaiting(reply)
        if (!mustWait && reply.status < 502) return { reply, isRepeated }
        // A write with the response 503 may have been stored.
        if (!mustWait) isRepeated = true
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof DOMException)) throw error
        if (!isUnsent(error)) isRepeated = true
      }
      if (isRepeated && !isRepeatable) return { reply: undefined, isRepeated }
      if (performance.now() > until) {
        if (!isRepeated) throw new Error(`no node serves ${request.method} ${request.path}`)
        return { reply: undefined, isRepeated }
      }
      this.count("repeated")
      await sleep(Math.min(200, 10 * 2 ** attempt))
    }
  }

  /** A `fetch` for engines, whose pushes have the fates that `next` returns. */
  fetching(node: () => number, next: () => Fate): typeof fetch {
    return async (url, { body, headers, method = "GET" } = {}) => {
      const path = this.pathOf(String(url))
      const bytes = body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : (body as string | undefined)
      const sent = bytes == null ? {} : { body: bytes }
      const request = { method, path, headers: Object.fromEntries(new Headers(headers)), ...sent }
      const reply = await this.attempt(request, node(), path.endsWith("/sync/push") ? next() : "well")
      return new Response(reply.bytes.length === 0 ? null : reply.bytes, reply)
    }
  }
}
