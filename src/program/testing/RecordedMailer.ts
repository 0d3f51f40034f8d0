import { Effect, Layer } from "effect"
import { Mailer } from "../../../services/mail/Mailer.ts"
import { record, type SentMail } from "./Recording.ts"

/** Records mails instead of sending them. */
export const layer = (mails: Array<SentMail>): Layer.Layer<Mailer> =>
  Layer.succeed(
    Mailer,
    Mailer.of({
      hasSmtp: true,
      verify: Effect.void,
      endOutbox: Effect.void,
      deliver: ({ created_at, subject, text, to }) =>
        Effect.sync(() => record(mails, { to, subject, text, created_at }))
    })
  )
