import { Effect } from "effect"
import { Database } from "../../database/Database.ts"
import { reseal } from "../../secrets/Reseal.ts"
import { Secrets } from "../../secrets/Secrets.ts"

/** Encrypts the tokens of shares with the present key while the previous one is configured. */
export const resealTokens = Effect.gen(function* () {
  const secrets = yield* Secrets
  const { write } = yield* Database
  if (secrets.isChanging) yield* reseal(write, secrets, { table: "shares", column: "token", purpose: "share-token" })
})
