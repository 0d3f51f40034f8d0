import { Clock, Effect, Redacted } from "effect"
import { Database } from "../database/Database.ts"
import { messageOf } from "../ErrorCause.ts"
import * as OperatorLetters from "../mail/OperatorLetters.ts"
import { Randomness } from "../Randomness.ts"
import { signatureOf, signerOf } from "../webhooks/Signature.ts"
import * as AlarmClaims from "./AlarmClaims.ts"
import type { Alarms } from "./OperatorMails.ts"

/** ALARM_WEBHOOK, which gets the alarms that operators are mailed, in English. */
export interface AlarmWebhook {
  readonly url: string
  /** Signs by Standard Webhooks 1.0. */
  readonly secret: Redacted.Redacted<string> | undefined
}

/** Milliseconds for which a shutdown may wait for the response. */
const timeout = 5_000

const claimText = `WITH ${AlarmClaims.text} SELECT kind FROM claimed`

const releaseText = `DELETE FROM alarms WHERE kind = ANY ($1)`

/** Returns why the alarms were not accepted. The address is the operator's own, so it may be inside the network. */
const posted = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
  Effect.promise(async () => {
    try {
      const signal = AbortSignal.timeout(timeout)
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal })
      await response.body?.cancel()
      return response.ok ? undefined : `it responded with ${response.status}`
    } catch (error) {
      return messageOf(error)
    }
  })

/**
 * Sends the alarms, if one of them was not sent within a day, whichever node sends them. After a failure the next look
 * tries again; a process that is killed meanwhile leaves them to the next day. `text` is what chat servers show.
 */
export const send = Effect.fnUntraced(function* (hook: AlarmWebhook, publicUrl: string, alarms: Alarms) {
  const { write: sql } = yield* Database
  const now = yield* Clock.currentTimeMillis
  const kinds = alarms.map(({ kind }) => `webhook ${kind}`)
  const claimed = yield* sql.unsafe<{ readonly kind: string }>(claimText, AlarmClaims.parameters(kinds, now))
  if (claimed.length === 0) return
  const [first, ...others] = alarms
  const { subject, text } = OperatorLetters.alarms(publicUrl, [first.notice, ...others.map(({ notice }) => notice)])(
    "en"
  )
  const body = JSON.stringify({
    type: "server.alarms",
    timestamp: new Date(now).toISOString(),
    data: { url: publicUrl, kinds: alarms.map(({ kind }) => kind) },
    text: `${subject}\n\n${text}`
  })
  const id = (yield* Randomness).id("ev", now)
  const seconds = Math.floor(now / 1000)
  const signature =
    hook.secret === undefined
      ? {}
      : { "webhook-signature": signatureOf([signerOf(Redacted.value(hook.secret))], id, seconds, body) }
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    ...signature
  }
  const failure = yield* posted(hook.url, headers, body)
  if (failure === undefined) return
  yield* sql.unsafe(releaseText, [claimed.map(({ kind }) => kind)])
  yield* Effect.logWarning(`ALARM_WEBHOOK did not accept the alarms: ${failure}`)
}, Effect.uninterruptible)
