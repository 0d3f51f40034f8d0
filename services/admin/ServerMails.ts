import { Clock, Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { Conflict, NotFound, type Unavailable } from "../Errors.ts"
import { defaultRegion } from "../identity/User.ts"
import { readsOfServer, type ServerReads } from "../lists/RecordService.ts"
import { Mailer } from "../mail/Mailer.ts"
import { Outbox } from "../mail/Outbox.ts"
import * as TestMail from "../mail/TestMail.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import * as ServerAudit from "./ServerAudit.ts"
import { type MailTest, type ServerMail, serverMailList } from "./ServerMail.ts"

const missing = NotFound.of("mail")

const testing = new Conflict({ code: "invalid_state", detail: "A test mail is being sent" })

/** The mails that wait or were given up, for operators (contract 11). */
export class ServerMails extends Context.Service<
  ServerMails,
  ServerReads<ServerMail> & {
    /** Sends a mail again, now, and returns it as it waits. Fails if it was sent meanwhile. */
    readonly resend: (id: string) => Effect.Effect<ServerMail, NotFound | Unavailable, Principal>
    /** Sends a test mail at once, one at a time, and returns the response of the SMTP server. */
    readonly test: (email: string) => Effect.Effect<MailTest, Conflict | NotFound | Unavailable, Principal>
  }
>()("sheaf/admin/ServerMails") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      ServerMails,
      Effect.gen(function* () {
        const reads = yield* readsOfServer<ServerMail>("ServerMails", serverMailList, missing)
        const { read } = yield* Database
        const outbox = yield* Outbox
        const audit = yield* ServerAudit.make
        const mailer = yield* Mailer
        let isTesting = false

        return ServerMails.of({
          ...reads,
          resend: traced("ServerMails.resend")(function* (id: string) {
            const mail = yield* reads.get(id)
            yield* audit("server.mail_resent", id, {
              change: (draft) =>
                Effect.flatMap(outbox.resend(draft, id), (isQueued) => (isQueued ? Effect.void : missing))
            })
            yield* outbox.wake
            const again: ServerMail =
              mail.state === "failed" ? { ...mail, state: "waiting", attempts: 0, error: null } : mail
            return { ...again, next_at: new Date(yield* Clock.currentTimeMillis).toISOString() }
          }),
          test: traced("ServerMails.test")(function* (recipient: string) {
            const { user_id } = yield* Principal
            const [operator] = yield* runSql<{ readonly locale: string }>(
              read,
              "SELECT locale FROM users WHERE id = $1",
              [user_id]
            )
            if (isTesting) return yield* testing
            isTesting = true
            return yield* audit("server.mail_tested", "mail", { data: { email: recipient } }).pipe(
              Effect.andThen(
                Effect.provideService(
                  TestMail.send(recipient, publicUrl, operator?.locale ?? defaultRegion.locale),
                  Mailer,
                  mailer
                )
              ),
              Effect.map((sent): MailTest => ({ recipient, sent, error: null })),
              Effect.catchTag("Undelivered", ({ code }) =>
                Effect.succeed<MailTest>({ recipient, sent: false, error: code })
              ),
              Effect.ensuring(
                Effect.sync(() => {
                  isTesting = false
                })
              )
            )
          })
        })
      })
    )
}
