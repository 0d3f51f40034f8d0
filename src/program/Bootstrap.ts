import { Cause, Clock, Effect, Option, Redacted, Schema } from "effect"
import { SqlError } from "effect/sql"
import * as Migrator from "effect/sql/Migrator"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Randomness } from "../../services/Randomness.ts"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { Credentials } from "../../services/identity/Credentials.ts"
import { scopes } from "../../services/identity/Scopes.ts"
import { Passwords } from "../../services/identity/Passwords.ts"
import { SetupLinks } from "../../services/identity/registrations/SetupLinks.ts"
import { operator } from "../../services/limits/PasswordClient.ts"
import * as Tokens from "../../services/Tokens.ts"
import { defaultRegion } from "../../services/identity/User.ts"
import { Users } from "../../services/identity/Users.ts"
import { Database, isConnectionError, sqlStateOf } from "../../services/database/Database.ts"
import { systemActor } from "../../services/writer/Actor.ts"
import { announceAll } from "../../services/writer/Restores.ts"
import { reseal } from "../../services/secrets/Reseal.ts"
import { Secrets } from "../../services/secrets/Secrets.ts"
import * as VapidKeys from "../../services/webpush/VapidKeys.ts"
import * as ClockSkew from "../../services/database/ClockSkew.ts"
import * as LastVersion from "../../services/database/LastVersion.ts"
import * as Migrations from "../../services/database/Migrations.ts"
import { firstUserName } from "../server/settings/PasswordSettings.ts"
import { ConfigError, defaultBootstrapEmail, type Settings } from "../server/settings/Config.ts"
import * as KeyCheck from "./KeyCheck.ts"
import { rootOf } from "../../services/ErrorCause.ts"
import { writePrivate } from "./PrivateFile.ts"
import * as UpgradeBackups from "./UpgradeBackups.ts"
import { usingFile } from "./UsingFile.ts"
import { version } from "../server/Version.ts"

const KeyFile = Schema.fromJsonString(Schema.Struct({ api_key: Schema.String }))

/** The file to which the first start writes the API key that it creates. */
const keyFile = ({ dataDir }: Settings): string => join(dataDir, "bootstrap.json")

/**
 * The file with the first API key. Undefined if there is none, as on other nodes, or if that key is no longer valid, as
 * after its user was deleted.
 */
export const validKeyFile = Effect.fnUntraced(function* (settings: Settings) {
  const file = keyFile(settings)
  const text = yield* Effect.option(Effect.try(() => readFileSync(file, "utf8")))
  const { api_key } = Option.getOrUndefined(Option.flatMap(text, Schema.decodeUnknownOption(KeyFile))) ?? {}
  if (api_key === undefined) return undefined
  const { authenticate } = yield* Credentials
  return (yield* Effect.isSuccess(authenticate(Redacted.make(api_key), undefined))) ? file : undefined
})

export interface Made {
  readonly secret: Redacted.Redacted
  /** The file with the key; undefined if the operator supplied the key. */
  readonly file: string | undefined
}

export interface Started {
  /** The first key; undefined if the database was not empty. */
  readonly made: Made | undefined
  /** The link for the first account; undefined if none is needed. */
  readonly setup: Redacted.Redacted | undefined
}

/**
 * First start (contract 1): an empty database gets a user, the workspace "Personal", its notebook "Inbox" and a key.
 * The file is written before the commit: a key without its file would be lost, and the next start overwrites a file
 * without its key.
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
        email: settings.bootstrapEmail ?? defaultBootstrapEmail,
        email_proven: true,
        name: firstUserName,
        ...defaultRegion,
        password_hash,
        is_operator: true,
        workspace: { name: "Personal", slug: "personal", plan: "team", seats: 1 }
      },
      systemActor
    )
    const user_id = user.id
    const secret = settings.bootstrapApiKey ?? Tokens.make(yield* Randomness, "sfk")
    yield* (yield* ApiKeys).issue({ workspace_id, user_id, name: "Bootstrap key", scopes, secret, now })
    if (settings.bootstrapApiKey !== undefined) return { secret, file: undefined }
    const file = keyFile(settings)
    yield* usingFile("DATA_DIR", file, () =>
      writePrivate(file, `${JSON.stringify({ workspace_id, user_id, api_key: Redacted.value(secret) }, null, 2)}\n`)
    )
    return { secret, file }
  })

/**
 * SQLSTATEs of problems that the operator can fix: a role without a privilege (42501), a server that is read-only
 * (25006), out of resources (class 53), or stopping or starting (57P), another start that holds the lock for too long
 * (55P03), and a database with tables, types or functions of another program (42P07, 42710, 42723).
 */
const fixable = /^(42501|25006|53...|55P03|57P0.|42P07|42710|42723)$/
const foreign = /^(42P07|42710|42723)$/

/** The SQL error that made a migration fail. */
const causeOf = (error: unknown): SqlError.SqlError | undefined =>
  error instanceof Migrator.MigrationError && SqlError.isSqlError(error.cause) ? error.cause : undefined

/** The message for an error that the operator can fix; undefined for any other error. */
const refusalOf = (settings: Settings, error: unknown): string | undefined => {
  const isRefusal = [ConfigError, Migrations.NewerSchema, Migrations.TablesInUse].some((each) => error instanceof each)
  if (isRefusal) return (error as Error).message
  const sql = SqlError.isSqlError(error) ? error : causeOf(error)
  if (sql === undefined || !(isConnectionError(sql) || fixable.test(sqlStateOf(sql) ?? ""))) return undefined
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

/** Turns errors that the operator can fix into one line; any other error is a defect. */
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
 * Refuses a node whose clock differs from the database's: its changes would have wrong times for all clients. The others
 * are compared with the same clock.
 */
const requireClock = Effect.gen(function* () {
  const problem = ClockSkew.problemOf(yield* ClockSkew.ofMachine)
  if (problem !== undefined) {
    return yield* new ConfigError({
      message: `${problem}: set the clock by a time service, such as systemd-timesyncd or chrony`
    })
  }
})

/**
 * Migrates the database, after a backup if no other node runs, and encrypts stored secrets with the current key. It runs before all services,
 * whose jobs read the tables. Several processes may start at once: one whose key differs from the first one's is refused.
 * `backUp` writes the backup of a schema.
 */
export const prepare = <R>(
  settings: Settings,
  backUp: (schema: number) => Effect.Effect<unknown, ConfigError | SqlError.SqlError, R>
) =>
  Effect.andThen(
    requireClock,
    Migrations.run(
      Effect.gen(function* () {
        const { write: sql } = yield* Database
        const secrets = yield* Secrets
        yield* KeyCheck.settle(settings)
        yield* VapidKeys.prepare(sql, secrets)
        yield* reseal(sql, secrets, { table: "webhooks", column: "secret", purpose: "webhook" })
        yield* reseal(sql, secrets, { table: "webhooks", column: "previous_secret", purpose: "webhook" })
        yield* reseal(sql, secrets, { table: "factors", column: "secret", purpose: "totp" })
        yield* LastVersion.record(version)
        yield* announceAll
      }),
      Effect.fnUntraced(function* (schema) {
        const doOthersRun = yield* UpgradeBackups.othersRun(schema)
        yield* KeyCheck.refuseOther(settings, schema)
        // The way back is to start the earlier version, which can run with the migrations.
        if (doOthersRun) yield* Effect.logInfo("migrating while other nodes run, without a backup")
        else yield* backUp(schema)
        return doOthersRun
      })
    )
  ).pipe(orConfigError(settings))

/** Whether the operator configured the first user. Then no link is needed, and none is printed. */
const isConfigured = ({ bootstrapApiKey, bootstrapEmail, bootstrapPassword }: Settings): boolean =>
  [bootstrapApiKey, bootstrapEmail, bootstrapPassword].some((value) => value !== undefined)

/**
 * Creates what an empty database needs, and a link for the first account while no account has a password (contract 1).
 * Several processes may start at once.
 */
export const run = (settings: Settings) =>
  Migrations.locked(
    Effect.gen(function* () {
      const made = yield* firstStart(settings)
      const setup = isConfigured(settings) ? undefined : yield* (yield* SetupLinks).offer
      const started: Started = {
        made,
        setup: setup && Redacted.make(`${settings.publicUrl}/setup?token=${Redacted.value(setup)}`)
      }
      return started
    })
  ).pipe(orConfigError(settings))
