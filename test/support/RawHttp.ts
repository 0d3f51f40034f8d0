import { connect, type Socket } from "node:net"
import type { TestApp } from "./TestApp.ts"

export interface RawResponse {
  readonly status: number
  /** Names in lower case; a repeated name keeps its last value. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const parse = (bytes: Buffer): RawResponse => {
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
 * Sends raw bytes and returns the response once the server closes the connection. The request must contain `Connection:
 * close`, or be one after which the server closes.
 */
export const raw = (url: string, request: string | Buffer): Promise<RawResponse> => {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Array<Buffer> = []
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on("data", (chunk) => received.push(chunk))
    // The server may reset a connection on which bytes arrive after its response.
    socket.on("error", (error) => received.length === 0 && reject(error))
    socket.on("close", () => resolve(parse(Buffer.concat(received))))
  })
}

/** Builds a request from a request line, header fields and a body. */
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
 * The server waits for the rest of a request if it sends nothing for `silence` milliseconds, and then still nothing
 * while it responds to `others` other requests. (A busy machine responds slowly to all of them.)
 */
const silence = 1_000
const others = 20

/** The status codes of the responses in a text. */
export const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Sends raw requests to an App, each over its own connection. */
export class RawWire {
  private readonly app: TestApp
  constructor(app: TestApp) {
    this.app = app
  }

  /** Builds a request line and headers, with the App's key. */
  head(line: string, headers: ReadonlyArray<string> = []): string {
    return [line, "Host: x", `Authorization: Bearer ${this.app.key}`, ...headers, "", ""].join("\r\n")
  }

  post(path: string, headers: ReadonlyArray<string>, body = ""): string {
    return this.head(`POST /v2${path} HTTP/1.1`, ["Content-Type: application/json", ...headers]) + body
  }

  async open(): Promise<Socket> {
    const socket = connect(Number(new URL(this.app.url).port), "127.0.0.1")
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
    // The tests examine what the server does to the connection; it is not an error here.
    socket.on("error", () => {})
    return socket
  }

  /** Opens a connection and sends a text. */
  async begin(text: string): Promise<Socket> {
    const socket = await this.open()
    await new Promise<void>((resolve) => socket.write(text, () => resolve()))
    return socket
  }

  /** Waits for the responses to `count` other requests, one after the other. */
  private async awaitResponses(count: number): Promise<void> {
    for (let time = 0; time < count; time++) {
      const socket = await this.begin(this.head("GET /v2/notebooks HTTP/1.1", ["Connection: close"]))
      await new Promise((resolve) => socket.once("close", resolve).resume())
    }
  }

  /**
   * Sends a text and returns everything received until the connection is closed: by the server, or by this side once
   * the server waits for more.
   */
  async exchange(text: string | Buffer): Promise<string> {
    const socket = await this.open()
    const pieces: Array<Buffer> = []
    socket.on("data", (piece: Buffer) => pieces.push(piece))
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.setTimeout(silence, async () => {
      const before = pieces.length
      await this.awaitResponses(others)
      if (pieces.length === before) socket.end()
    })
    socket.write(text)
    await closed
    return Buffer.concat(pieces).toString("latin1")
  }

  /** Sends a request and closes its connection, so that no kept-alive connection looks like a leak. */
  async ask(method: string, path: string, body = ""): Promise<any> {
    const sent = [`Content-Length: ${Buffer.byteLength(body)}`, "Content-Type: application/json", "Connection: close"]
    const answer = await this.exchange(this.head(`${method} /v2${path} HTTP/1.1`, sent) + body)
    return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))
  }
}
