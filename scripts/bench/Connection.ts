/** One keep-alive HTTP/1.1 connection, one request at a time: a raw socket, so that the load costs the machine little. */
import { connect, type Socket } from "node:net"

export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

const LINE = Buffer.from("\r\n")
const END_OF_HEAD = Buffer.from("\r\n\r\n")
const TIME_OUT = 60_000

export const header = (head: string, name: string): string | undefined =>
  new RegExp(`\r\n${name}: *([^\r]*)`, "i").exec(head)?.[1]

/** The text of a request. Only ASCII, so that its length in characters is its length in bytes. */
export const requestText = (
  credential: string | undefined,
  method: string,
  path: string,
  value?: unknown,
  more = ""
): string => {
  const authorization = credential === undefined ? "" : `Authorization: Bearer ${credential}\r\n`
  const text = value === undefined ? "" : JSON.stringify(value)
  const length = text === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${length}${more}\r\n${text}`
}

/** Undefined while the chunked body is incomplete. */
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
  /** Bytes that the answer has in all, as soon as its head is here. */
  private expected = 0
  private waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined
  private failure: Error | undefined

  constructor(port: number) {
    this.socket = connect({ host: "127.0.0.1", port, noDelay: true })
    this.socket.setTimeout(TIME_OUT, () => this.socket.destroy(new Error(`no answer within ${TIME_OUT} ms`)))
    this.socket.on("data", (chunk) => this.onData(chunk))
    this.socket.on("error", (error) => (this.failure = error))
    this.socket.on("close", () => {
      this.failure ??= new Error("the server closed the connection")
      this.waiting?.reject(this.failure)
    })
  }

  exchange(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure)
      this.waiting = { resolve, reject }
      this.socket.write(request, "latin1")
    })
  }

  close(): void {
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
    let body: Buffer | undefined
    if (status === 304 || status === 204) body = data.subarray(start)
    else if (header(head, "transfer-encoding") === "chunked") body = unchunked(data, start)
    else {
      this.expected = start + Number(header(head, "content-length"))
      if (Number.isNaN(this.expected)) return void this.socket.destroy(new Error(`answer without a length:\n${head}`))
      if (data.length >= this.expected) body = data.subarray(start)
    }
    if (body === undefined) return
    this.chunks = []
    this.received = this.expected = 0
    const waiting = this.waiting
    this.waiting = undefined
    waiting?.resolve({ status, head, body })
  }
}
