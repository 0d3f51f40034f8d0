import { Effect } from "effect"
import { join } from "node:path"
import { Database } from "../services/database/Database.ts"
import * as SecretKey from "../services/secrets/SecretKey.ts"
import { Secrets } from "../services/secrets/Secrets.ts"
import * as VapidKeys from "../services/webpush/VapidKeys.ts"
import { ConfigError, type Settings } from "./Config.ts"

/** The operator's command that gives up a lost key. */
export const acceptCommand = "sheaf secret-key accept"

/** The file with the secret key when SECRET_KEY is not set. */
export const keyFile = ({ dataDir }: Settings): string => join(dataDir, "secret.key")

const refusal = (settings: Settings) =>
  new ConfigError({
    message:
      `${settings.secretKey === undefined ? keyFile(settings) : "SECRET_KEY"} is not the key that encrypts the secrets in this database: ` +
      "restore the right key. To change the key, set the old one as SECRET_KEY_PREVIOUS. " +
      `If the old key is lost, run: ${acceptCommand}`
  })

/** Which key the database uses. Versions without a fingerprint encrypted the key of Web Push at each start. */
export const state = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const secrets = yield* Secrets
  const known = yield* SecretKey.state(sql, secrets)
  return known === "none" && (yield* VapidKeys.isReadable(sql, secrets)) === false ? "other" : known
})

/** The first schema that has the fingerprint of the key. */
const firstWithFingerprint = 34

/** Which key a database with an earlier schema uses. */
export const stateAt = (schema: number) => (schema < firstWithFingerprint ? Effect.succeed("none" as const) : state)

/** Refuses another key before anything is done for a migration. Records nothing. */
export const refuseOther = Effect.fnUntraced(function* (settings: Settings, schema: number) {
  if ((yield* stateAt(schema)) === "other") return yield* refusal(settings)
})

/** Records the key of this node in a database that has none or the previous one, and refuses another one. */
export const settle = Effect.fnUntraced(function* (settings: Settings) {
  const known = yield* state
  if (known === "other") return yield* refusal(settings)
  if (known !== "current") yield* SecretKey.record((yield* Database).write, yield* Secrets)
})

/** Refuses a command whose key is not the server's. Records nothing. */
export const require = Effect.fnUntraced(function* (settings: Settings) {
  const known = yield* state
  if (known === "other") return yield* refusal(settings)
  if (known === "previous") {
    return yield* new ConfigError({
      message: "The server has not started with the new secret key yet: start it first, then run the command again"
    })
  }
})
