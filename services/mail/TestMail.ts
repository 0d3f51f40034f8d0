import { Clock, Effect } from "effect"
import { Randomness } from "../Randomness.ts"
import { Mailer } from "./Mailer.ts"
import * as OperatorLetters from "./OperatorLetters.ts"

/**
 * Sends a test mail at once, past the queue, so that the operator sees the response of the SMTP server. Returns whether
 * there is an SMTP server; without one the mail is a file in the outbox.
 */
export const send = Effect.fnUntraced(function* (to: string, publicUrl: string, locale: string) {
  const { deliver, hasSmtp } = yield* Mailer
  const created_at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const id = (yield* Randomness).text(22)
  yield* deliver({ id, to, created_at, ...OperatorLetters.test({ publicUrl, locale }) })
  return hasSmtp
})
