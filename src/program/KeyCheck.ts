import { Effect, Redacted } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { opens } from "../../services/backup/BackupKey.ts"
import type { CheckedBackup } from "../../services/backup/Restore.ts"
import { Database } from "../../services/database/Database.ts"
import * as SecretKey from "../../services/secrets/SecretKey.ts"
import { Secrets } from "../../services/secrets/Secrets.ts"
import * as VapidKeys from "../../services/webpush/VapidKeys.ts"
import { ConfigError, type Settings } from "../server/settings/Config.ts"
import { secretKeyFile } from "../server/settings/ServedSettings.ts"
import { parseKey } from "../server/settings/SettingParsers.ts"
import { usingFile } from "./UsingFile.ts"

/** The operator's command that gives up a lost key. */
export const acceptCommand = "sheaf secret-key accept"

/** Reads the key in the file, which exists. */
export const readKey = Effect.fnUntraced(function* (settings: Settings) {
  const file = secretKeyFile(settings)
  const key = parseKey(yield* usingFile("DATA_DIR", file, () => readFileSync(file, "utf8")))
  return key ?? (yield* new ConfigError({ message: `${file} must hold 32 bytes in base64` }))
})

const isSame = (one: Redacted.Redacted<Uint8Array>, other: Redacted.Redacted<Uint8Array>): boolean =>
  Buffer.from(Redacted.value(one)).equals(Redacted.value(other))

/**
 * Whether the key that a server has after the restore of a backup opens it, in words; refuses another key. `isLost`: the
 * key of the backup is lost, and `secret-key accept` gives it up after the restore.
 */
export const ofBackup = Effect.fnUntraced(function* (settings: Settings, backup: CheckedBackup, isLost: boolean) {
  const file = secretKeyFile(settings)
  const own = backup.secretKey === undefined ? undefined : parseKey(backup.secretKey)
  const stored = existsSync(file) ? yield* readKey(settings) : undefined
  if (settings.secretKey === undefined && own !== undefined && stored !== undefined && !isSame(own, stored)) {
    return yield* new ConfigError({
      message: `The backup has its secret key, and ${file} is another one: remove the file, and restore again`
    })
  }
  const [name, current] =
    settings.secretKey !== undefined
      ? ["SECRET_KEY", settings.secretKey]
      : own !== undefined
        ? ["The secret key that it has", own]
        : [file, stored]
  if (current === undefined) return `The backup has no secret key: write it to ${file} before the start.`
  const secrets = yield* Effect.provide(Secrets, Secrets.layer({ current, previous: settings.secretKeyPrevious }))
  const isRight = opens(secrets, backup.keyMarks)
  if (isRight === false && !isLost) {
    return yield* new ConfigError({
      message:
        `${name} is not the secret key that opens this backup: use the key of the server that made it. ` +
        `If that key is lost, restore with --lost-key, then run: ${acceptCommand}`
    })
  }
  return isRight === undefined
    ? `The backup does not show its secret key, so ${name} could not be compared with it.`
    : isRight
      ? `${name} opens this backup.`
      : `${name} does not open this backup: run ${acceptCommand} before the start.`
})

const refusal = (settings: Settings) =>
  new ConfigError({
    message:
      `${settings.secretKey === undefined ? secretKeyFile(settings) : "SECRET_KEY"} is not the key that encrypts the secrets in this database: ` +
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
