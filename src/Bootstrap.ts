import { Cause, Clock, Effect, Redacted } from "effect"
import { SqlError } from "effect/sql"
import * as Migrator from "effect/sql/Migrator"
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { ApiKeys } from "../services/identity/ApiKeys.ts"
import { scopes } from "../services/identity/Scopes.ts"
import { Passwords } from "../services/identity/Passwords.ts"
import { operator } from "../services/limits/Throttles.ts"
import * as Tokens from "../services/Tokens.ts"
import { Users } from "../services/identity/Users.ts"
import { Database, isConnectionError, sqlStateOf } from "../services/database/Database.ts"
import { systemActor } from "../services/writer/Actor.ts"
import { Secrets } from "../services/secrets/Secrets.ts"
import * as WebhookSecrets from "../services/webhooks/WebhookSecrets.ts"
import * as VapidKeys from "../services/webpush/VapidKeys.ts"
import * as Migrations from "../services/database/Migrations.ts"
import { ConfigError, type Settings } from "./Config.ts"
import { usingFile } from "./FileFailure.ts"
import * as KeyCheck from "./KeyCheck.ts"
import { rootOf } from "../services/RootOf.ts"

/** Writes a file that only its owner reads, whole or not at all. */
export const writePrivate = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  const handle = openSync(temporary, "w", 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
}

/** Where the first start writes the key that it makes. */
export const keyFile = ({ dataDir }: Settings): string => join(dataDir, "bootstrap.json")

export interface Made {
  readonly secret: Redacted.Redacted
  /** Where the key was written; undefined when it was given. */
  readonly file: string | undefined
}

/**
 * First start (contract 1): an empty database gets a user, the workspace "Personal", its notebook "Inbox" and a key.
 * The key's file is written before the commit: a key without its file would be lost, a file without its key is
 * written anew by the next start.
 */
const firstStart = (settings: Settings) =>
  Effect.gen(function* () {
    const { write: sql } = yield* Database
    const found = yield* sql.unsafe("SELECT 1 AS found FROM users LIMIT 1")
    if (found.length > 0) return undefined
    const now = yield* Clock.currentTimeMillis
    const password_hash =
      settings.bootstrapPassword === undefined
        ? null
        : yield* (yield* Passwords).hash(Redacted.value(settings.bootstrapPassword), operator)
    const { user, workspace_id } = yield* (yield* Users).create(
      {
        email: settings.bootstrapEmail,
        email_proven: true,
        name: "Owner",
        locale: "en",
        timezone: "UTC",
        password_hash,
        workspace: { name: "Personal", slug: "personal", plan: "team", seats: 1 }
      },
      systemActor
    )
    const user_id = user.id
    const secret = settings.bootstrapApiKey ?? Tokens.make("sfk")
    yield* (yield* ApiKeys).issue({ workspace_id, user_id, name: "Bootstrap key", scopes, secret, now })
    if (settings.bootstrapApiKey !== undefined) return { secret, file: undefined }
    const file = keyFile(settings)
    yield* usingFile("DATA_DIR", file, () =>
      writePrivate(file, `${JSON.stringify({ workspace_id, user_id, api_key: Redacted.value(secret) }, null, 2)}\n`)
    )
    return { secret, file }
  })

/**
 * SQLSTATEs that the operator can mend: a role without a right (42501), a server that only reads (25006), has no room
 * (class 53), or is stopping or starting (57P), another start that holds the lock for long (55P03), and a database with
 * tables, types or functions of another program (42P07, 42710, 42723).
 */
const mendable = /^(42501|25006|53...|55P03|57P0.|42P07|42710|42723)$/
const foreign = /^(42P07|42710|42723)$/

/** What a migration failed of. */
const causeOf = (error: unknown): SqlError.SqlError | undefined =>
  error instanceof Migrator.MigrationError && SqlError.isSqlError(error.cause) ? error.cause : undefined

/** What PostgreSQL said, where the operator can mend it. */
const refusalOf = (settings: Settings, error: unknown): string | undefined => {
  if (error instanceof ConfigError || error instanceof Migrations.NewerSchema) return error.message
  const sql = SqlError.isSqlError(error) ? error : causeOf(error)
  if (sql === undefined || !(isConnectionError(sql) || mendable.test(sqlStateOf(sql) ?? ""))) return undefined
  const place = settings.databaseUrl === undefined ? "The database in DATA_DIR" : "The database of DATABASE_URL"
  const state = sqlStateOf(sql) ?? ""
  const advice =
    state === "42501"
      ? ": its role must own the database"
      : foreign.test(state)
        ? ": it must be empty before the first start"
        : ""
  return `${place} cannot be used: ${rootOf(sql).message}${advice}`
}

/** What the operator can mend is one line; anything else is a defect. */
const orConfigError =
  (settings: Settings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, ConfigError, R> =>
    Effect.catchCause(effect, (cause) => {
      const message = refusalOf(settings, Cause.squash(cause))
      return message === undefined
        ? Effect.failCause(Cause.die(Cause.squash(cause)))
        : Effect.fail(new ConfigError({ message }))
    })

/**
 * Migrates, and seals what stays stored with the current key. It comes before all services, whose jobs read the tables.
 * Safe for several processes that start at once: one with another key than the first is refused.
 */
export const prepare = (settings: Settings) =>
  Migrations.run(
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const secrets = yield* Secrets
      yield* KeyCheck.settle(settings)
      yield* VapidKeys.prepare(sql, secrets)
      yield* WebhookSecrets.resealAll(sql, secrets)
    })
  ).pipe(orConfigError(settings))

/** Makes what an empty database needs. Safe for several processes that start at once. */
export const run = (settings: Settings) => Migrations.locked(firstStart(settings)).pipe(orConfigError(settings))
