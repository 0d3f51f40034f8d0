/** One keep-alive HTTP/1.1 connection, one request at a time: a plain socket, so that generating load costs little. */
import { connect, type Socket } from "node:net"

export interface Reply {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  readonly body: Buffer
}

const HOST = "127.0.0.1"
const LINE = Buffer.from("\r\n")
const END_OF_HEAD = Buffer.from("\r\n\r\n")
const TIMEOUT = 60_000

export const header = (head: string, name: string): string | undefined =>
  new RegExp(`\r\n${name}: *([^\r]*)`, "i").exec(head)?.[1]

/** The text of a request; `body` is sent unchanged. */
export const rawRequest = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string
): string => {
  const all = {
    host: HOST,
    ...(body === "" ? {} : { "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}` }),
    ...headers
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`
}

/** The text of a request with a JSON body. */
export const requestText = (
  credential: string,
  method: string,
  path: string,
  value?: unknown,
  headers: Readonly<Record<string, string>> = {}
): string =>
  rawRequest(
    method,
    path,
    { authorization: `Bearer ${credential}`, ...headers },
    value === undefined ? "" : JSON.stringify(value)
  )

/** Returns undefined while the chunked body is incomplete. */
const unchunked = (data: Buffer, start: number): Buffer | undefined => {
  const parts: Buffer[] = []
  for (let at = start; ;) {
    const lineEnd = data.indexOf(LINE, at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(data.toString("latin1", at, lineEnd), 16)
    if (data.length < lineEnd + size + 4) return undefined
    if (size === 0) return Buffer.concat(parts)
    parts.push(data.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + size + 4
  }
}

export class Connection {
  private readonly socket: Socket
  private chunks: Buffer[] = []
  private received = 0
  /** The total length of the response, once its head has arrived. */
  private expected = 0
  private waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined
  private failure: Error | undefined

  constructor(
    port: number,
    { localAddress, timeout = TIMEOUT }: { readonly localAddress?: string; readonly timeout?: number } = {}
  ) {
    this.socket = connect({ host: HOST, port, noDelay: true, ...(localAddress === undefined ? {} : { localAddress }) })
    this.socket.setTimeout(timeout, () => this.socket.destroy(new Error(`no response within ${timeout} ms`)))
    this.socket.on("data", (chunk) => this.onData(chunk))
    this.socket.on("end", () => this.onEnd())
    this.socket.on("error", (error) => (this.failure ??= error))
    this.socket.on("close", () => {
      this.failure ??= new Error("the connection was closed")
      this.waiting?.reject(this.failure)
    })
  }

  /** Whether another request can be sent. */
  get isOpen(): boolean {
    return this.failure === undefined
  }

  /** Rejects if the connection ends before the response is complete. */
  exchange(request: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure)
      this.waiting = { resolve, reject }
      this.socket.write(request)
    })
  }

  close(): void {
    this.failure ??= new Error("the connection was closed")
    this.socket.destroy()
  }

  private onData(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.received += chunk.length
    if (this.received < this.expected) return
    const data = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks)
    this.chunks = [data]
    const headEnd = data.indexOf(END_OF_HEAD)
    if (headEnd < 0) return
    const head = data.toString("latin1", 0, headEnd)
    const status = Number(head.slice(9, 12))
    const start = headEnd + 4
    const length = header(head, "content-length")
    if (status === 304 || status === 204) this.done({ status, head, body: data.subarray(start) })
    else if (header(head, "transfer-encoding") === "chunked") {
      const body = unchunked(data, start)
      if (body !== undefined) this.done({ status, head, body })
    } else if (length !== undefined) {
      this.expected = start + Number(length)
      if (data.length >= this.expected) this.done({ status, head, body: data.subarray(start) })
    }
  }

  /** A response without a length ends with its connection (RFC 9112, section 6.3). */
  private onEnd(): void {
    this.failure ??= new Error("the server closed the connection")
    const data = Buffer.concat(this.chunks)
    const headEnd = data.indexOf(END_OF_HEAD)
    if (headEnd < 0 || this.expected > 0) return
    const head = data.toString("latin1", 0, headEnd)
    if (header(head, "transfer-encoding") !== undefined) return
    this.done({ status: Number(head.slice(9, 12)), head, body: data.subarray(headEnd + 4) })
  }

  private done(reply: Reply): void {
    this.chunks = []
    this.received = this.expected = 0
    if (header(reply.head, "connection")?.toLowerCase() === "close") this.close()
    const waiting = this.waiting
    this.waiting = undefined
    waiting?.resolve(reply)
  }
}
