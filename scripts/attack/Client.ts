/** A caller with an address of its own on the loopback network, so that what is shared by network can be told apart. */
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"

export interface Answer {
  /** 0 when the connection ended without one, or its time was up. */
  readonly status: number
  readonly text: string
  readonly ms: number
}

export interface Sending {
  readonly body?: unknown
  /** Instead of `body`: what is sent as it is. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly credential?: string
}

const HOST = "127.0.0.1"
const PATIENCE = 15_000
/** From 127.0.1.1 on: the host itself stays apart. */
let addresses = 0
export const nextAddress = (): string => `127.0.${1 + Math.floor(addresses / 250)}.${1 + (addresses++ % 250)}`

export class Client {
  readonly #port: number
  readonly #credential: string | undefined
  readonly #signal: AbortSignal
  readonly #agent: Agent
  readonly address: string

  constructor({
    address = nextAddress(),
    connections = 64,
    credential,
    port,
    signal
  }: {
    readonly port: number
    readonly signal: AbortSignal
    readonly address?: string
    readonly credential?: string
    readonly connections?: number
  }) {
    this.#port = port
    this.#credential = credential
    this.#signal = signal
    this.address = address
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
    signal.addEventListener("abort", () => this.#agent.destroy(), { once: true })
  }

  /** Never fails: no answer is status 0. */
  send(
    method: string,
    path: string,
    { body, credential = this.#credential, headers = {}, raw }: Sending = {}
  ): Promise<Answer> {
    const text = raw ?? (body === undefined ? "" : JSON.stringify(body))
    const began = performance.now()
    return new Promise((resolve) => {
      const end = (status: number, text: string) => resolve({ status, text, ms: performance.now() - began })
      if (this.#signal.aborted) return end(0, "")
      const sent = request(
        {
          host: HOST,
          port: this.#port,
          localAddress: this.address,
          method,
          path,
          agent: this.#agent,
          signal: this.#signal,
          timeout: PATIENCE,
          headers: {
            ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
            ...(text === "" ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
            ...headers
          }
        },
        (answer) => {
          const chunks: Array<Buffer> = []
          answer.on("data", (chunk: Buffer) => chunks.push(chunk))
          answer.on("error", () => end(0, ""))
          answer.on("end", () => end(answer.statusCode ?? 0, Buffer.concat(chunks).toString()))
        }
      )
      sent.on("timeout", () => sent.destroy())
      sent.on("error", () => end(0, ""))
      sent.end(text)
    })
  }

  get(path: string, sending?: Sending): Promise<Answer> {
    return this.send("GET", path, sending)
  }

  post(path: string, body: unknown, sending?: Sending): Promise<Answer> {
    return this.send("POST", path, { ...sending, body })
  }

  /** What an attack needs to be what it is: any other status ends it. */
  async need(status: number, method: string, path: string, sending?: Sending): Promise<any> {
    const answer = await this.send(method, path, sending)
    if (answer.status !== status) {
      throw new Error(`${method} ${path}: ${answer.status} instead of ${status} ${answer.text.slice(0, 300)}`)
    }
    return JSON.parse(answer.text)
  }

  /** A connection to write what one likes; it ends with the attack. */
  socket(): Socket {
    const socket = connect({ host: HOST, port: this.#port, localAddress: this.address })
    socket.on("error", () => socket.destroy())
    const end = () => socket.destroy()
    this.#signal.addEventListener("abort", end, { once: true })
    socket.on("close", () => this.#signal.removeEventListener("abort", end))
    return socket
  }
}

/** Statuses and how often each came. */
export const statuses = (answers: ReadonlyArray<Answer>): string => {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status || "none"}×${count}`)
    .join(" ")
}

export const slowest = (answers: ReadonlyArray<Answer>): string =>
  `slowest ${Math.round(Math.max(0, ...answers.map(({ ms }) => ms)))} ms`

export const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** So many at once, each again as soon as it is done, until the attack's time is up or `most` were made. */
export const flood = async (
  signal: AbortSignal,
  { atOnce, most }: { readonly atOnce: number; readonly most: number },
  one: (index: number) => Promise<Answer>
): Promise<Array<Answer>> => {
  const answers: Array<Answer> = []
  let begun = 0
  await Promise.all(
    times(atOnce, async () => {
      while (begun < most && !signal.aborted) {
        const answer = await one(begun++)
        // What the end of the attack cut off says nothing.
        if (answer.status !== 0 || !signal.aborted) answers.push(answer)
      }
    })
  )
  return answers
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
