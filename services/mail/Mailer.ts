import { Context, Data, Effect, Layer, Redacted } from "effect"
import type { NodemailerError, Transporter } from "nodemailer"
import { mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { domainToASCII } from "node:url"
import { ago } from "../database/Prune.ts"

/** One mail to one address, in plain text. */
export interface Mail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly created_at: string
}

/** A mail could not be handed over. `code`: of SMTP (550) or of the system (ECONNREFUSED); it names nobody. */
export class Undelivered extends Data.TaggedError("Undelivered")<{
  readonly code: string
  /** The server will never take this mail for this recipient. */
  readonly isPermanent: boolean
}> {}

/** A server that says nothing is given up; scanning a message may take it longer than a greeting. */
const greetingPatience = 10_000
const silencePatience = 30_000
/** Longer than this no delivery takes. */
const deliveryPatience = 60_000

/** Connections to the SMTP server, and so mails that are under way at once. */
export const maxDeliveries = 4

/** The header of a mail: the same one on each try, so that a receiver can tell that it has it already. */
const headerOf = (mail: Mail, from: string) => ({
  from,
  to: { name: "", address: mail.to },
  subject: mail.subject,
  date: new Date(mail.created_at),
  "message-id": `<${mail.id}@${domainToASCII(/@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? "") || "localhost"}>`,
  // No answering machine answers it: RFC 3834.
  "auto-submitted": "auto-generated"
})

/** Only a refusal of the recipient or of the message is for good: others tell of the server, or of how it is used. */
const undelivered = (error: unknown): Undelivered => {
  const { code, command, originalCode, permanent, responseCode } = error as NodemailerError
  return new Undelivered({
    code: String(responseCode ?? originalCode ?? code ?? (error as Error).name),
    // 530: it wants a log-in first.
    isPermanent: permanent === true && responseCode !== 530 && (command === "RCPT TO" || command === "DATA")
  })
}

const isLoopback = (host: string): boolean => /^(localhost|127\.[0-9.]+|\[::1\])$/.test(host)

/** As long as the tokens in its mails can be good for (contract 4: invitations by default, password resets for less). */
const outboxLife = 7 * 24 * 3600_000
/** The names of an outbox sort by the time of their mails. */
const outboxTime = (created_at: string): string => created_at.replaceAll(":", "-")
const outboxName = /^\.?(\d{4}-\d{2}-\d{2}T[\d.-]+Z)-\w+\.eml(?:\.tmp)?$/

/** Whatever else lies in the directory is somebody else's. */
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

/** The way out of the house to people: where mail goes. */
export class Mailer extends Context.Service<
  Mailer,
  {
    /** Mail reaches people by itself; without, what it says must also stand in an answer. */
    readonly hasSmtp: boolean
    readonly deliver: (mail: Mail) => Effect.Effect<void, Undelivered>
    /** Removes old mails from the outbox: the tokens in them are secrets. */
    readonly endOutbox: Effect.Effect<void>
  }
>()("sheaf/mail/Mailer") {
  /**
   * By the server of SMTP_URL. Certificates are verified, and a password is told only under TLS or to this machine;
   * the URL's query may say otherwise (`?requireTLS=false`), in the names of nodemailer.
   */
  static readonly layerSmtp = (options: {
    readonly url: Redacted.Redacted
    readonly from: string
    /** What an outbox held before there was a server still ends. */
    readonly outbox: string
  }) =>
    Layer.effect(
      Mailer,
      Effect.gen(function* () {
        const url = Redacted.value(options.url)
        const { hostname, username } = new URL(url)
        let pool: Promise<Transporter> | undefined
        // Read in when there is something to send: most starts have nothing.
        const connected = () =>
          (pool ??= import("nodemailer").then(({ createTransport }) =>
            createTransport({
              url,
              pool: true,
              requireTLS: username !== "" && !isLoopback(hostname),
              maxConnections: maxDeliveries,
              // Another try is not the pool's business, but for a connection that ended before it was used.
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
          deliver: (mail) =>
            Effect.tryPromise({
              try: async (interrupted) => {
                const signal = AbortSignal.any([interrupted, AbortSignal.timeout(deliveryPatience)])
                const { from, to, ...headers } = headerOf(mail, options.from)
                await (await connected()).sendMail({ from, to, headers, text: mail.text, signal })
              },
              catch: undelivered
            })
        })
      })
    )

  /** Into files: one RFC 5322 message each, in the order of time by name, for its owner alone (contract 1). */
  static readonly layerOutbox = (options: { readonly directory: string; readonly from: string }) =>
    Layer.succeed(
      Mailer,
      Mailer.of({
        hasSmtp: false,
        endOutbox: endOutbox(options.directory),
        deliver: (mail) =>
          Effect.tryPromise({
            try: async () => {
              const { default: MimeNode } = await import("nodemailer/lib/mime-node")
              const header = new MimeNode("text/plain; charset=utf-8").setHeader(headerOf(mail, options.from))
              // The text as it is: who opens the file can take a link from it.
              header.setHeader("content-transfer-encoding", "8bit")
              const message = `${header.buildHeaders()}\r\n\r\n${mail.text.replaceAll("\n", "\r\n")}`
              await mkdir(options.directory, { recursive: true, mode: 0o700 })
              const name = `${outboxTime(mail.created_at)}-${mail.id}.eml`
              // Under its name it is whole. A try that was cut short is written over by the next one.
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
