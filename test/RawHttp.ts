import { connect } from "node:net"

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
