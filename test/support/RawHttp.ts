import { connect, type Socket } from "node:net"
import type { TestApp } from "./TestApp.ts"

export interface RawAnswer {
  readonly status: number
  /** Names in lower case; a name that comes several times keeps its last value. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const parse = (bytes: Buffer): RawAnswer => {
  const end = bytes.indexOf("\r\n\r\n")
  const [statusLine, ...fields] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(":")
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    })
  )
  return { status: Number(statusLine!.split(" ")[1]), headers, body: bytes.subarray(end + 4) }
}

/**
 * Sends bytes just as they are, as no client would, and takes what comes until the server ends the connection: so the
 * request has to say `Connection: close`, or be one after which the server does.
 */
export const raw = (url: string, request: string | Buffer): Promise<RawAnswer> => {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Array<Buffer> = []
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on("data", (chunk) => received.push(chunk))
    // A server that has answered may reset a connection on which more is sent.
    socket.on("error", (error) => received.length === 0 && reject(error))
    socket.on("close", () => resolve(parse(Buffer.concat(received))))
  })
}

/** A request of one line and header fields, with its body. */
export const request = (
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Buffer = ""
): Buffer => {
  const all = {
    host: "sheaf.test",
    connection: "close",
    ...(body.length === 0 ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    ...headers
  }
  const fields = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${fields}\r\n`, "latin1"), Buffer.from(body)])
}

/**
 * A request that is silent for so many milliseconds, and has no answer after the server has then answered so many
 * others, is one that the server waits for the rest of: a busy machine is slow to answer all of them.
 */
const silence = 1_000
const others = 20

/** The statuses of the answers that came. */
export const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Requests to an App byte by byte, each over a connection of its own. */
export class RawWire {
  private readonly app: TestApp
  constructor(app: TestApp) {
    this.app = app
  }

  /** A request line and headers, with the App's key. */
  head(line: string, headers: ReadonlyArray<string> = []): string {
    return [line, "Host: x", `Authorization: Bearer ${this.app.key}`, ...headers, "", ""].join("\r\n")
  }

  post(path: string, headers: ReadonlyArray<string>, body = ""): string {
    return this.head(`POST /v2${path} HTTP/1.1`, ["Content-Type: application/json", ...headers]) + body
  }

  async open(): Promise<Socket> {
    const socket = connect(Number(new URL(this.app.url).port), "127.0.0.1")
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
    // Whatever the server does to the connection is the matter of the test, not an error of its own.
    socket.on("error", () => {})
    return socket
  }

  /** An open connection on which so much has been sent. */
  async begin(text: string): Promise<Socket> {
    const socket = await this.open()
    await new Promise<void>((resolve) => socket.write(text, () => resolve()))
    return socket
  }

  /** Waits until the server has answered so many other requests, one after the other. */
  private async answered(count: number): Promise<void> {
    for (let time = 0; time < count; time++) {
      const socket = await this.begin(this.head("GET /v2/notebooks HTTP/1.1", ["Connection: close"]))
      await new Promise((resolve) => socket.once("close", resolve).resume())
    }
  }

  /**
   * Sends it, and gives all that comes back until the connection is closed: by the server, or by this side once the
   * server waits for more.
   */
  async exchange(text: string | Buffer): Promise<string> {
    const socket = await this.open()
    const pieces: Array<Buffer> = []
    socket.on("data", (piece: Buffer) => pieces.push(piece))
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.setTimeout(silence, async () => {
      const before = pieces.length
      await this.answered(others)
      if (pieces.length === before) socket.end()
    })
    socket.write(text)
    await closed
    return Buffer.concat(pieces).toString("latin1")
  }

  /** A call that ends its connection: none that is kept is mistaken for one that leaks. */
  async ask(method: string, path: string, body = ""): Promise<any> {
    const sent = [`Content-Length: ${Buffer.byteLength(body)}`, "Content-Type: application/json", "Connection: close"]
    const answer = await this.exchange(this.head(`${method} /v2${path} HTTP/1.1`, sent) + body)
    return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))
  }
}
