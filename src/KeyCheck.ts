import { Effect } from "effect"
import { join } from "node:path"
import { Database } from "../services/database/Database.ts"
import * as SecretKey from "../services/secrets/SecretKey.ts"
import { Secrets } from "../services/secrets/Secrets.ts"
import * as VapidKeys from "../services/webpush/VapidKeys.ts"
import { ConfigError, type Settings } from "./Config.ts"

/** The operator's command that goes on without a lost key. */
export const acceptCommand = "npm run -s sheaf -- secret-key accept"

/** Where the key is without SECRET_KEY. */
export const keyFile = ({ dataDir }: Settings): string => join(dataDir, "secret.key")

const refusal = (settings: Settings) =>
  new ConfigError({
    message:
      `${settings.secretKey === undefined ? keyFile(settings) : "SECRET_KEY"} is not the key that this database is sealed with: ` +
      "put back the right one. To change it, set the old one as SECRET_KEY_PREVIOUS. " +
      `If the old one is lost, run: ${acceptCommand}`
  })

/** Which key the database has. Versions without a fingerprint sealed the key of Web Push at each start. */
export const state = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const secrets = yield* Secrets
  const known = yield* SecretKey.state(sql, secrets)
  return known === "none" && (yield* VapidKeys.isReadable(sql, secrets)) === false ? "other" : known
})

/** Records the key of this node in a database that has none or the previous one, and refuses another one. */
export const settle = Effect.fnUntraced(function* (settings: Settings) {
  const known = yield* state
  if (known === "other") return yield* refusal(settings)
  if (known !== "current") yield* SecretKey.record((yield* Database).write, yield* Secrets)
})

/** Refuses a command with another key than the server's, and records nothing. */
export const require = Effect.fnUntraced(function* (settings: Settings) {
  const known = yield* state
  if (known === "other") return yield* refusal(settings)
  if (known === "previous") {
    return yield* new ConfigError({
      message: "The server has not started with the new secret key yet: start it first, then run the command again"
    })
  }
})
