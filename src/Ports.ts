import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Database } from "../services/storage/Database.ts"
import { Nudge } from "../services/storage/Nudge.ts"
import { Secrets } from "../services/storage/Secrets.ts"
import { writePrivate } from "./Bootstrap.ts"
import { ConfigError, parseKey, type Settings } from "./Config.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"

/** What went wrong first: errors of libraries often say only where it was noticed. */
const rootOf = (error: { readonly cause?: unknown }): Error =>
  error.cause instanceof Error ? rootOf(error.cause) : error as Error

/** The start stops with one line when DATABASE_URL leads nowhere. */
const reached = Layer.effectDiscard(Effect.gen(function*() {
  const { write } = yield* Database
  yield* Effect.mapError(write.unsafe("SELECT 1"), (error) =>
    new ConfigError({ message: `DATABASE_URL leads to no usable database: ${rootOf(error).message}` }))
}))

/** PostgreSQL: the one of DATABASE_URL, which other processes may share, or one of our own in DATA_DIR. */
const database = (
  settings: Settings
): Layer.Layer<Database | Nudge, ConfigError | EmbeddedPostgres.EmbeddedPostgresError | SqlError.SqlError> =>
  settings.databaseUrl !== undefined
    ? Layer.merge(reached, Nudge.layerPostgres).pipe(Layer.provideMerge(Database.layer({ url: settings.databaseUrl })))
    : Layer.unwrap(
      Effect.map(
        EmbeddedPostgres.start({ directory: join(settings.dataDir, "postgres") }),
        (embedded) =>
          Nudge.layerAlone.pipe(Layer.provideMerge(Database.layer({ ...embedded, database: "sheaf" })))
      )
    )

/** SECRET_KEY, or with the embedded database the one that is made in DATA_DIR. */
const secrets = (settings: Settings) =>
  Layer.unwrap(Effect.gen(function*() {
    let current = settings.secretKey
    if (current === undefined) {
      const file = join(settings.dataDir, "secret.key")
      if (!existsSync(file)) writePrivate(file, `${randomBytes(32).toString("base64")}\n`)
      current = parseKey(readFileSync(file, "utf8").trim())
      if (current === undefined) {
        return yield* new ConfigError({ message: `${file} must hold 32 bytes in base64` })
      }
    }
    return Secrets.layer({ current, previous: settings.secretKeyPrevious })
  }))

/** The outside world. */
export const layer = (settings: Settings) => {
  const place = Effect.try({
    try: () => mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 }),
    catch: (error) => new ConfigError({ message: `DATA_DIR cannot be made: ${(error as Error).message}` })
  })
  return Layer.unwrap(Effect.as(place, Layer.merge(database(settings), secrets(settings))))
}

