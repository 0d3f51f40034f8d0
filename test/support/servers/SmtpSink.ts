import { once } from "node:events"
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server"

/** A message as it came over the wire, and what a reader sees of it. */
export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** The client asked for SMTPUTF8. */
  readonly isUtf8: boolean
  /** Unfolded and decoded, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly raw: string
}

/** What becomes of a try: a reply to the recipient, or the end of the connection in the middle. */
export type Fault = number | "drop"

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1"
  )

/** RFC 2047. */
const decodedWords = (value: string): string =>
  value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/(?:=\?utf-8\?[qb]\?[^?]*\?=)+/gi, (words) =>
      Buffer.concat(
        [...words.matchAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi)].map(([, way, text]) =>
          way!.toLowerCase() === "b" ? Buffer.from(text!, "base64") : quotedPrintable(text!.replaceAll("_", " "))
        )
      ).toString()
    )

/** The header fields and the text of a message of one part. */
export const parse = (raw: string): Pick<Received, "headers" | "text" | "raw"> => {
  const end = raw.indexOf("\r\n\r\n")
  const headers = new Map(
    raw
      .slice(0, end)
      .replaceAll(/\r\n(?=[ \t])/g, "")
      .split("\r\n")
      .map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())]
      })
  )
  const body = raw.slice(end + 4)
  const encoding = headers.get("content-transfer-encoding")
  const text =
    encoding === "base64"
      ? Buffer.from(body, "base64").toString()
      : encoding === "quoted-printable"
        ? quotedPrintable(body.replaceAll(/=\r\n/g, "")).toString()
        : body
  return { headers, text: text.replaceAll("\r\n", "\n"), raw }
}

/** A mail server on this machine that keeps what it gets, and fails as it is told to. */
export class SmtpSink {
  readonly received: Array<Received> = []
  /** Addresses in the order in which they were tried. */
  readonly tried: Array<string> = []
  /** User and password of those who logged in. */
  readonly logins: Array<readonly [string, string]> = []
  /** By recipient: what its next tries meet, one after the other. */
  readonly faults = new Map<string, Array<Fault>>()
  /** By recipient: what every other try meets. */
  readonly always = new Map<string, Fault>()
  /** Recipients whose mail is acknowledged once the promise is kept. */
  readonly held = new Map<string, Promise<void>>()
  private readonly server: SMTPServer
  private readonly listeners = new Set<() => void>()

  private constructor(options: SMTPServerOptions) {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: options.secure === true ? [] : ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      closeTimeout: 100,
      logger: false,
      ...options,
      onAuth: ({ password, username }, _, done) => {
        this.logins.push([username ?? "", password ?? ""])
        done(null, { user: username })
      },
      onRcptTo: ({ address }, session, done) => {
        this.tried.push(address)
        this.tell()
        const fault = this.faults.get(address)?.shift() ?? this.always.get(address)
        if (fault === "drop") return this.drop(session)
        // Servers name the address in what they say.
        done(fault === undefined ? null : Object.assign(new Error(`no, not <${address}>`), { responseCode: fault }))
      },
      onData: (stream, session, done) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", async () => {
          const { mailFrom, rcptTo, smtpUtf8 } = session.envelope
          const to = rcptTo.map(({ address }) => address)
          await Promise.all(to.map((address) => this.held.get(address)))
          this.received.push({
            from: mailFrom === false ? "" : mailFrom.address,
            to,
            isUtf8: smtpUtf8 === true,
            ...parse(Buffer.concat(chunks).toString())
          })
          done()
          this.tell()
        })
      }
    })
    // Clients that don't like the certificate are no failure of the test.
    this.server.on("error", () => {})
  }

  static async start(options: SMTPServerOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options)
    sink.server.listen(0, "127.0.0.1")
    await once(sink.server.server, "listening")
    return sink
  }

  get port(): number {
    const address = this.server.server.address()
    if (address === null || typeof address === "string") throw new Error("the sink has no port")
    return address.port
  }

  private tell() {
    for (const listener of this.listeners) listener()
  }

  private drop({ id }: SMTPServerSession) {
    for (const connection of this.server.connections) if (connection.id === id) connection.close()
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

  /** The first `count` messages, once there are as many. */
  async mail(count = 1): Promise<ReadonlyArray<Received>> {
    await this.until(`${count} mails`, () => this.received.length >= count)
    return this.received
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()))
  }
}
