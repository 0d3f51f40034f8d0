import type { KeyObject } from "node:crypto"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { Secrets } from "../secrets/Secrets.ts"
import { signerOf } from "./Signature.ts"
import type { WebhookRow } from "./Webhook.ts"

/**
 * Stored secrets of webhooks, encrypted with the SECRET_KEY: the current one, and for a day the previous one.
 * `Signature.ts` has their format and signs with them.
 */

export interface Sealed {
  readonly secret: string
  readonly previous_secret: string | null
}

/** Returns the secrets of a webhook; none if the current one was encrypted with an unknown SECRET_KEY. */
export const openAll = (secrets: Secrets["Service"], { previous_secret, secret }: Sealed): ReadonlyArray<string> => {
  const present = secrets.open("webhook", secret)
  if (present === undefined) return []
  // A previous secret that cannot be decrypted is not used.
  const previous = previous_secret === null ? undefined : secrets.open("webhook", previous_secret)
  return previous === undefined ? [present] : [present, previous]
}

/** Returns the keys that sign for a webhook. */
export const signersOf = (secrets: Secrets["Service"], sealed: Sealed): ReadonlyArray<KeyObject> =>
  openAll(secrets, sealed).map(signerOf)

/** Encrypts secrets again that were encrypted with another SECRET_KEY, at the start. Secrets of unknown keys stay. */
export const resealAll = Effect.fnUntraced(function* (sql: PgClient, secrets: Secrets["Service"]) {
  const renewed = (sealed: string | null): string | null =>
    sealed === null ? null : (secrets.renew("webhook", sealed) ?? sealed)
  let last = { workspace_id: "", id: "" }
  while (true) {
    const rows = yield* sql.unsafe<typeof last & Pick<WebhookRow, "secret" | "previous_secret">>(
      `SELECT workspace_id, id, secret, previous_secret FROM webhooks WHERE (workspace_id, id) > ($1, $2)
      ORDER BY workspace_id, id LIMIT 1000`,
      [last.workspace_id, last.id]
    )
    for (const { id, previous_secret, secret, workspace_id } of rows) {
      const next = [renewed(secret), renewed(previous_secret)]
      if (next[0] === secret && next[1] === previous_secret) continue
      const text = "UPDATE webhooks SET secret = $3, previous_secret = $4 WHERE workspace_id = $1 AND id = $2"
      yield* sql.unsafe(text, [workspace_id, id, ...next])
    }
    if (rows.length < 1000) return
    last = rows.at(-1)!
  }
})
