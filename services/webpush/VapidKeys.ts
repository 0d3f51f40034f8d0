import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { Unavailable } from "../Errors.ts"
import { Randomness } from "../Randomness.ts"
import type { Secrets } from "../secrets/Secrets.ts"
import { makePair, type VapidPair } from "./PushMessage.ts"

type Keys = Secrets["Service"]

interface Row {
  readonly public_key: string
  readonly sealed: string
}

const stored = (sql: Reads) =>
  Effect.map(sql.unsafe<Row>("SELECT public_key, sealed FROM vapid_keys WHERE id = 1"), ([row]) => row)

/** Whether the keys of this process decrypt the pair; undefined when there is none yet. */
export const isReadable = (sql: Reads, secrets: Keys) =>
  Effect.map(stored(sql), (row) => (row === undefined ? undefined : secrets.open("web-push", row.sealed) !== undefined))

/**
 * Makes the key pair of this installation, and encrypts it again when SECRET_KEY has changed. Runs at the start, under
 * the lock of all starts: browsers are bound to the pair that they subscribed with, so that there must be only one.
 */
export const prepare = Effect.fnUntraced(function* (sql: Reads, secrets: Keys) {
  const row = yield* stored(sql)
  const sealed = row === undefined ? undefined : secrets.renew("web-push", row.sealed)
  if (row !== undefined && sealed !== undefined) {
    if (sealed !== row.sealed) yield* sql.unsafe("UPDATE vapid_keys SET sealed = $1 WHERE id = 1", [sealed])
    return
  }
  if (row !== undefined) {
    yield* Effect.logWarning("the Web Push key was encrypted with another SECRET_KEY: devices must subscribe again")
    yield* sql.unsafe("DELETE FROM push_subscriptions")
  }
  const pair = makePair(yield* Randomness)
  yield* sql.unsafe(
    `INSERT INTO vapid_keys (id, public_key, sealed) VALUES (1, $1, $2)
    ON CONFLICT (id) DO UPDATE SET public_key = excluded.public_key, sealed = excluded.sealed`,
    [pair.public_key, secrets.seal("web-push", pair.private_key)]
  )
})

/** Another node has sealed the pair with a SECRET_KEY that this one does not have. */
const sealedOtherwise = new Unavailable({
  code: "service_unavailable",
  detail: "The Web Push key is encrypted with another SECRET_KEY: all nodes must have the same",
  retry_after: 30
})

/** The key pair, once `prepare` has run. */
export const read = (sql: Reads, secrets: Keys) =>
  Effect.flatMap(stored(sql), (row): Effect.Effect<VapidPair, Unavailable> => {
    if (row === undefined) throw new Error("the pair of Web Push was never made")
    const private_key = secrets.open("web-push", row.sealed)
    return private_key === undefined
      ? Effect.fail(sealedOtherwise)
      : Effect.succeed({ public_key: row.public_key, private_key })
  })
