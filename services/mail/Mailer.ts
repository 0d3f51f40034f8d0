import { Context, Data, Effect, Layer, Redacted } from "effect"
import type { NodemailerError, Transporter } from "nodemailer"
import { mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { domainToASCII } from "node:url"
import { ago } from "../database/DeleteInBatches.ts"

/** One mail to one address, in plain text. */
export interface Mail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly created_at: string
}

/** A mail was not delivered. `code` is of SMTP (550) or of the system (ECONNREFUSED), and names no person. */
export class Undelivered extends Data.TaggedError("Undelivered")<{
  readonly code: string
  /** Whether the server will never accept this mail for this recipient. */
  readonly isPermanent: boolean
}> {}

/** Milliseconds without a response until a server is given up. Scanning a message may take longer than a greeting. */
const greetingPatience = 10_000
const silencePatience = 30_000
/** Maximum milliseconds of a delivery. */
const deliveryPatience = 60_000

/** Maximum number of connections to the SMTP server, and so of concurrent deliveries. */
export const maxDeliveries = 4

/** The header of a mail. It is equal for each attempt, so that a receiver recognises a mail that it has already. */
const headerOf = (mail: Mail, from: string) => ({
  from,
  to: { name: "", address: mail.to },
  subject: mail.subject,
  date: new Date(mail.created_at),
  "message-id": `<${mail.id}@${domainToASCII(/@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? "") || "localhost"}>`,
  // Prevents automatic replies (RFC 3834).
  "auto-submitted": "auto-generated"
})

/** Only a refusal of the recipient or of the message is permanent: other errors concern the server or its use. */
const undelivered = (error: unknown): Undelivered => {
  if (error instanceof Undelivered) return error
  const { code, command, originalCode, permanent, responseCode } = error as NodemailerError
  return new Undelivered({
    code: String(responseCode ?? originalCode ?? code ?? (error as Error).name),
    // 530: the server requires a log-in first.
    isPermanent: permanent === true && responseCode !== 530 && (command === "RCPT TO" || command === "DATA")
  })
}

/** Whether an address is only valid for servers with SMTPUTF8 (RFC 6531): hosts in other scripts are sent as Punycode. */
const isInternational = (address: string): boolean => /\P{ASCII}/u.test(/([^<\s@]*)@[^@]*$/.exec(address)?.[1] ?? "")

/**
 * Fails if the server has no SMTPUTF8. Nodemailer would send it the bytes of the address all the same, which it may take
 * for another one. The connection is one of its own, and closed before a log-in.
 */
const requireUtf8 = async (transport: Transporter, signal: AbortSignal): Promise<void> => {
  const { default: SMTPConnection } = await import("nodemailer/lib/smtp-connection")
  const connection = new SMTPConnection(transport.options)
  try {
    await new Promise<void>((resolve, reject) => {
      const abort = () => reject(signal.reason as Error)
      if (signal.aborted) return abort()
      signal.addEventListener("abort", abort, { once: true })
      connection.on("error", reject)
      connection.once("end", () => reject(new Error("ECONNECTION")))
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    // The last response is that to EHLO.
    if (/^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse))) return
  } finally {
    connection.close()
  }
  throw new Undelivered({ code: "the mail server has no SMTPUTF8, which the address needs", isPermanent: true })
}

const isLoopback = (host: string): boolean => /^(localhost|127\.[0-9.]+|\[::1\])$/.test(host)

/**
 * Milliseconds that a mail stays in the outbox: the longest life of a token in it (contract 4: invitations by default;
 * password resets live shorter).
 */
const outboxLife = 7 * 24 * 3600_000
/** File names in the outbox sort by the time of their mails. */
const outboxTime = (created_at: string): string => created_at.replaceAll(":", "-")
const outboxName = /^\.?(\d{4}-\d{2}-\d{2}T[\d.-]+Z)-\w+\.eml(?:\.tmp)?$/

/** Deletes the old mails of an outbox. Other files in the directory are not touched. */
const endOutbox = Effect.fnUntraced(function* (directory: string) {
  const before = outboxTime(yield* ago(outboxLife))
  yield* Effect.promise(async () => {
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    })
    for (const name of names) {
      const time = outboxName.exec(name)?.[1]
      if (time !== undefined && time < before) await rm(join(directory, name), { force: true })
    }
  })
})

/** Delivers mail. */
export class Mailer extends Context.Service<
  Mailer,
  {
    /** Whether mail reaches its recipients. If not, responses must contain what the mail says. */
    readonly hasSmtp: boolean
    readonly deliver: (mail: Mail) => Effect.Effect<void, Undelivered>
    /** Connects to the SMTP server and logs in, without a mail. Succeeds without a server. */
    readonly verify: Effect.Effect<void, Undelivered>
    /** Deletes old mails from the outbox: the tokens in them are secrets. */
    readonly endOutbox: Effect.Effect<void>
  }
>()("sheaf/mail/Mailer") {
  /**
   * Delivers to the server of SMTP_URL. Certificates are verified, and a password is only sent with TLS or to this
   * machine. The URL's query can override this (`?requireTLS=false`), with the options of nodemailer.
   */
  static readonly layerSmtp = (options: {
    readonly url: Redacted.Redacted
    readonly from: string
    /** An outbox from before there was a server: its mails are still deleted. */
    readonly outbox: string
  }) =>
    Layer.effect(
      Mailer,
      Effect.gen(function* () {
        const url = Redacted.value(options.url)
        const { hostname, username } = new URL(url)
        let pool: Promise<Transporter> | undefined
        // Imported with the first mail: most processes send none.
        const connected = () =>
          (pool ??= import("nodemailer").then(({ createTransport }) =>
            createTransport({
              url,
              pool: true,
              requireTLS: username !== "" && !isLoopback(hostname),
              maxConnections: maxDeliveries,
              // The queue repeats failed deliveries. The pool only repeats one whose connection closed before it was
              // used.
              maxRequeues: 1,
              dnsTimeout: greetingPatience,
              connectionTimeout: greetingPatience,
              greetingTimeout: greetingPatience,
              socketTimeout: silencePatience,
              socketCloseTimeout: 1_000,
              idleTimeout: 5_000
            })
          ))
        yield* Effect.addFinalizer(() => Effect.promise(async () => (await pool)?.close({ force: true })))
        return Mailer.of({
          hasSmtp: true,
          endOutbox: endOutbox(options.outbox),
          verify: Effect.tryPromise({
            try: async () => {
              const transport = await connected()
              if (isInternational(options.from)) await requireUtf8(transport, AbortSignal.timeout(deliveryPatience))
              await transport.verify()
            },
            catch: undelivered
          }),
          deliver: (mail) =>
            Effect.tryPromise({
              try: async (interrupted) => {
                const signal = AbortSignal.any([interrupted, AbortSignal.timeout(deliveryPatience)])
                const { from, to, ...headers } = headerOf(mail, options.from)
                const transport = await connected()
                if (isInternational(from) || isInternational(mail.to)) await requireUtf8(transport, signal)
                await transport.sendMail({ from, to, headers, text: mail.text, signal })
              },
              catch: undelivered
            })
        })
      })
    )

  /** Delivers to files: one RFC 5322 message each, named in order of time, readable only by the owner (contract 1). */
  static readonly layerOutbox = (options: { readonly directory: string; readonly from: string }) =>
    Layer.succeed(
      Mailer,
      Mailer.of({
        hasSmtp: false,
        endOutbox: endOutbox(options.directory),
        verify: Effect.void,
        deliver: (mail) =>
          Effect.tryPromise({
            try: async () => {
              const { default: MimeNode } = await import("nodemailer/lib/mime-node")
              const header = new MimeNode("text/plain; charset=utf-8").setHeader(headerOf(mail, options.from))
              // Not encoded, so that a reader of the file can copy a link from it.
              header.setHeader("content-transfer-encoding", "8bit")
              const message = `${header.buildHeaders()}\r\n\r\n${mail.text.replaceAll("\n", "\r\n")}`
              await mkdir(options.directory, { recursive: true, mode: 0o700 })
              const name = `${outboxTime(mail.created_at)}-${mail.id}.eml`
              // A file with the final name is complete. The next attempt overwrites an incomplete one.
              const temporary = join(options.directory, `.${name}.tmp`)
              const file = await open(temporary, "w", 0o600)
              try {
                await file.writeFile(message)
                await file.sync()
              } finally {
                await file.close()
              }
              await rename(temporary, join(options.directory, name))
            },
            catch: undelivered
          })
      })
    )
}
