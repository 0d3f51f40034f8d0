import { once } from "node:events"
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server"

/** A message as received over the network, with its decoded parts. */
export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Whether the client used SMTPUTF8. */
  readonly isUtf8: boolean
  /** Unfolded and decoded, by name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly raw: string
}

/** The result of an attempt: a reply code for the recipient, or a dropped connection. */
export type Fault = number | "drop"

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1"
  )

/** Decodes encoded words (RFC 2047). */
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

/** Parses the header fields and the text of a message with one part. */
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

/** A local mail server that stores its messages and fails as configured. */
export class SmtpSink {
  readonly received: Array<Received> = []
  /** Recipients in the order of the attempts. */
  readonly tried: Array<string> = []
  /** User name and password of each login. */
  readonly logins: Array<readonly [string, string]> = []
  /** Results of the next attempts by recipient, in order. */
  readonly faults = new Map<string, Array<Fault>>()
  /** The result of all other attempts by recipient. */
  readonly always = new Map<string, Fault>()
  /** Recipients whose mail is acknowledged when the promise resolves. */
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
        this.notify()
        const fault = this.faults.get(address)?.shift() ?? this.always.get(address)
        if (fault === "drop") return this.drop(session)
        // Real servers put the address into their replies.
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
          this.notify()
        })
      }
    })
    // A client that rejects the certificate is not a failure of the test.
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

  private notify() {
    for (const listener of this.listeners) listener()
  }

  private drop({ id }: SMTPServerSession) {
    for (const connection of this.server.connections) if (connection.id === id) connection.close()
  }

  /** Waits until a condition on the received mail holds; in real time, because sockets do not use the test clock. */
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

  /** Waits until at least `count` messages have arrived, and returns all of them. */
  async mail(count = 1): Promise<ReadonlyArray<Received>> {
    await this.until(`${count} mails`, () => this.received.length >= count)
    return this.received
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()))
  }
}
