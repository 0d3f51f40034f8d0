/** A client with its own address on the loopback network, so that limits per network apply to it alone. */
import { connect, type Socket } from "node:net"
import { Connection, rawRequest } from "../bench/Connection.ts"

export interface Reply {
  /** 0 if the connection ended without a response, or the request timed out. */
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  readonly text: string
  readonly ms: number
}

export interface Sending {
  readonly body?: unknown
  /** Sent unchanged instead of `body`. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly credential?: string
}

const HOST = "127.0.0.1"
const PATIENCE = 15_000
/** From 127.0.1.1 on: the host itself is not used. */
let addresses = 0
export const nextAddress = (): string => `127.0.${1 + Math.floor(addresses / 250)}.${1 + (addresses++ % 250)}`

/** From 127.1.0.1 on: each address is in a different network, however networks are counted. */
let networks = 0
export const nextNetwork = (): string => `127.${1 + Math.floor(networks / 250)}.${networks++ % 250}.1`

export class Client {
  readonly #port: number
  readonly #credential: string | undefined
  readonly #signal: AbortSignal
  readonly #patience: number
  readonly #all = new Set<Connection>()
  readonly #idle: Array<Connection> = []
  /** Requests that wait for a connection. */
  readonly #waiting: Array<() => void> = []
  readonly #connections: number
  readonly address: string

  constructor({
    address = nextAddress(),
    connections = 64,
    credential,
    patience = PATIENCE,
    port,
    signal
  }: {
    readonly port: number
    readonly signal: AbortSignal
    readonly address?: string
    readonly credential?: string
    /** Maximum number of connections. */
    readonly connections?: number
    /** Milliseconds within which a response, or at least a part of it, must arrive. */
    readonly patience?: number
  }) {
    this.#port = port
    this.#credential = credential
    this.#signal = signal
    this.#patience = patience
    this.#connections = connections
    this.address = address
    signal.addEventListener("abort", () => this.#close(), { once: true })
  }

  /** Never fails: without a response the status is 0. */
  async send(
    method: string,
    path: string,
    { body, credential = this.#credential, headers = {}, raw }: Sending = {}
  ): Promise<Reply> {
    const text = raw ?? (body === undefined ? "" : JSON.stringify(body))
    const authorization: Record<string, string> =
      credential === undefined ? {} : { authorization: `Bearer ${credential}` }
    const request = rawRequest(method, path, { ...authorization, ...headers }, text)
    const began = performance.now()
    try {
      const { body, head, status } = await this.#exchange(request)
      return { status, head, text: body.toString(), ms: performance.now() - began }
    } catch {
      return { status: 0, head: "", text: "", ms: performance.now() - began }
    }
  }

  async #exchange(request: string) {
    const connection = await this.#take()
    try {
      return await connection.exchange(request)
    } finally {
      this.#free(connection)
    }
  }

  async #take(): Promise<Connection> {
    for (;;) {
      this.#signal.throwIfAborted()
      const idle = this.#idle.pop()
      if (idle?.isOpen === true) return idle
      if (idle !== undefined) this.#all.delete(idle)
      else if (this.#all.size < this.#connections) {
        const made = new Connection(this.#port, { localAddress: this.address, timeout: this.#patience })
        this.#all.add(made)
        return made
      } else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #free(connection: Connection): void {
    if (connection.isOpen) this.#idle.push(connection)
    else this.#all.delete(connection)
    this.#waiting.shift()?.()
  }

  #close(): void {
    for (const connection of this.#all) connection.close()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  get(path: string, sending?: Sending): Promise<Reply> {
    return this.send("GET", path, sending)
  }

  post(path: string, body: unknown, sending?: Sending): Promise<Reply> {
    return this.send("POST", path, { ...sending, body })
  }

  /** Sends a request that the attack depends on; throws for any other status. */
  async need(status: number, method: string, path: string, sending?: Sending): Promise<any> {
    const reply = await this.send(method, path, sending)
    if (reply.status !== status) {
      throw new Error(`${method} ${path}: ${reply.status} instead of ${status} ${reply.text.slice(0, 300)}`)
    }
    return JSON.parse(reply.text)
  }

  /** A plain connection that ends with the attack. */
  socket(): Socket {
    const socket = connect({ host: HOST, port: this.#port, localAddress: this.address })
    socket.on("error", () => socket.destroy())
    const end = () => socket.destroy()
    this.#signal.addEventListener("abort", end, { once: true })
    socket.on("close", () => this.#signal.removeEventListener("abort", end))
    return socket
  }
}

/** Statuses and the number of each. */
export const statuses = (replies: ReadonlyArray<Reply>): string => {
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status || "none"}×${count}`)
    .join(" ")
}

export const slowest = (replies: ReadonlyArray<Reply>): string =>
  `slowest ${Math.round(Math.max(0, ...replies.map(({ ms }) => ms)))} ms`

export const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** Runs `atOnce` requests at a time, until the attack ends or `most` requests were made. */
export const flood = async (
  signal: AbortSignal,
  { atOnce, most }: { readonly atOnce: number; readonly most: number },
  one: (index: number) => Promise<Reply>
): Promise<Array<Reply>> => {
  const replies: Array<Reply> = []
  let begun = 0
  await Promise.all(
    times(atOnce, async () => {
      while (begun < most && !signal.aborted) {
        const reply = await one(begun++)
        // The end of the attack aborts requests, which is not a fault of the server.
        if (reply.status !== 0 || !signal.aborted) replies.push(reply)
      }
    })
  )
  return replies
}
