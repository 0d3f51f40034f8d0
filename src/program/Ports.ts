import { Clock, Effect, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { accessSync, constants, existsSync } from "node:fs"
import { isIP } from "node:net"
import { hostname } from "node:os"
import { join } from "node:path"
import { Randomness } from "../../services/Randomness.ts"
import { RateCounters } from "../../services/limits/RateCounters.ts"
import { Mailer } from "../../services/mail/Mailer.ts"
import { Outgoing } from "../../services/outgoing/Outgoing.ts"
import { Blobs } from "../../services/files/Blobs.ts"
import * as CheckedBlobs from "../../services/files/CheckedBlobs.ts"
import { type Address, Database, patchedDriver, type UnpatchedDriver } from "../../services/database/Database.ts"
import { DiskSpace } from "../../services/files/DiskSpace.ts"
import * as FileStore from "../../services/files/FileStore.ts"
import { NodeBus } from "../../services/database/NodeBus.ts"
import * as Migrations from "../../services/database/Migrations.ts"
import * as Suitability from "../../services/database/Suitability.ts"
import { Secrets } from "../../services/secrets/Secrets.ts"
import { writePrivate } from "./PrivateFile.ts"
import { ConfigError, type Settings } from "../server/settings/Config.ts"
import { acceptCommand, readKey } from "./KeyCheck.ts"
import { secretKeyFile } from "../server/settings/ServedSettings.ts"
import { makeDirectory } from "./MakeDirectory.ts"
import * as RestoreMark from "./RestoreMark.ts"
import * as EmbeddedPostgres from "./postgres/EmbeddedPostgres.ts"
import type { ParentLink } from "../../services/concurrency/ParentLink.ts"
import * as ParentCounters from "../../services/limits/ParentCounters.ts"
import * as PostgresDirectories from "./postgres/PostgresDirectories.ts"
import { rootOf } from "../../services/ErrorCause.ts"
import { usingFile } from "./UsingFile.ts"

/** Stops the start with one line when the database of DATABASE_URL cannot be reached. */
const reached = Layer.effectDiscard(
  Effect.gen(function* () {
    const { write } = yield* Database
    yield* Effect.mapError(
      write.unsafe("SELECT 1"),
      (error) => new ConfigError({ message: `The database of DATABASE_URL cannot be used: ${rootOf(error).message}` })
    )
  })
)

/** The embedded database that a parent has started for its workers. */
type Embedded = Exclude<Address, { readonly url: unknown }>

/** Maximum number of connections to the embedded database: about twenty for each process, and some for commands. */
const connectionsOf = ({ workers }: Settings): number => 40 + 20 * (workers === 1 ? 1 : workers + 1)

/**
 * PostgreSQL: the database of DATABASE_URL, which other processes may share, or an embedded one in DATA_DIR, which the
 * server shares with operator's commands only.
 */
const database = (
  settings: Settings,
  command: boolean,
  started?: Embedded
): Layer.Layer<
  Database | NodeBus,
  ConfigError | EmbeddedPostgres.EmbeddedPostgresError | SqlError.SqlError | UnpatchedDriver
> =>
  settings.databaseUrl !== undefined
    ? Layer.merge(reached, NodeBus.layer({ alone: false })).pipe(
        Layer.provideMerge(Database.layer({ url: settings.databaseUrl }))
      )
    : Layer.unwrap(
        // The driver is checked before anything is created.
        Effect.map(
          Effect.andThen(
            patchedDriver,
            started === undefined
              ? Effect.map(
                  EmbeddedPostgres.start({
                    directory: PostgresDirectories.current(settings.dataDir),
                    command,
                    connections: connectionsOf(settings)
                  }),
                  (embedded) => ({ ...embedded, database: "sheaf" })
                )
              : Effect.succeed(started)
          ),
          (address) =>
            NodeBus.layer({ alone: !command && settings.workers === 1 }).pipe(
              Layer.provideMerge(Database.layer(address))
            )
        )
      )

/** Whether DATA_DIR holds an embedded database. */
export const hasCluster = ({ dataDir }: Settings): boolean =>
  PostgresDirectories.majorOf(PostgresDirectories.current(dataDir)) !== undefined

/** Refuses to create a database next to one that an interrupted `migrate postgres` has moved aside. */
const requireDatabase = Effect.fnUntraced(function* ({ dataDir, databaseUrl }: Settings) {
  const major = databaseUrl === undefined ? PostgresDirectories.interrupted(dataDir) : undefined
  if (major === undefined) return
  const [aside, current] = [PostgresDirectories.aside(dataDir, major), PostgresDirectories.current(dataDir)]
  return yield* new ConfigError({
    message: `sheaf migrate postgres was interrupted: run it again, or go back to the earlier version and rename ${aside} to ${current}`
  })
})

/** SECRET_KEY; without it, for the embedded database, a key in DATA_DIR that is created before the database. */
const secrets = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      let current = settings.secretKey
      if (current === undefined) {
        const file = secretKeyFile(settings)
        if (!existsSync(file) && hasCluster(settings)) {
          return yield* new ConfigError({
            message:
              `${file} is missing, and it encrypts secrets in the database: restore it, or set SECRET_KEY. ` +
              `If it is lost, create a new one (openssl rand -base64 32 > ${file}), then run: ${acceptCommand}`
          })
        }
        const randomness = yield* Randomness
        yield* usingFile("DATA_DIR", file, () => {
          if (!existsSync(file)) writePrivate(file, `${randomness.bytes(32).toString("base64")}\n`)
        })
        current = yield* readKey(settings)
      }
      return Secrets.layer({ current, previous: settings.secretKeyPrevious })
    })
  )

/** The sender of mail: MAIL_FROM, or an address at the host of PUBLIC_URL. */
const sender = ({ mailFrom, publicUrl }: Settings): string => {
  const { hostname } = new URL(publicUrl)
  const host = isIP(hostname.replaceAll(/[[\]]/g, "")) === 0 ? hostname : "localhost"
  return mailFrom ?? `Sheaf <sheaf@${host}>`
}

/** The contact that push services receive (RFC 8292, section 2.1). */
export const contact = (settings: Settings): string => {
  if (settings.publicUrl.startsWith("https://")) return settings.publicUrl
  const from = sender(settings)
  return `mailto:${/<([^<>]+)>$/.exec(from)?.[1] ?? from}`
}

/** Sends mail through the server of SMTP_URL, or writes it to files in DATA_DIR (contract 1). */
export const mailer = (settings: Settings): Layer.Layer<Mailer> => {
  const from = sender(settings)
  const outbox = join(settings.dataDir, "outbox")
  return settings.smtpUrl === undefined
    ? Mailer.layerOutbox({ directory: outbox, from })
    : Mailer.layerSmtp({ url: settings.smtpUrl, from, outbox })
}

/** Files, checked as they are read. A full disk accepts none, also for a bucket: uploads are buffered on the disk. */
export const blobs = (settings: Settings): Layer.Layer<Blobs, never, DiskSpace> =>
  Layer.effect(
    Blobs,
    Effect.map(Effect.all([Blobs, DiskSpace]), ([store, disk]) => CheckedBlobs.make(store, disk))
  ).pipe(Layer.provide(FileStore.layer(settings)))

/** The disk of DATA_DIR, with a reserve for the embedded database. */
export const diskSpace = ({ dataDir, databaseUrl }: Settings, reserve = databaseUrl === undefined) =>
  DiskSpace.layer({ directory: dataDir, reserve })

/** Counters of rate limits, in Redis, whose client is loaded only if it is used, or in memory (contract 1). */
export const counters = ({ redisUrl }: Settings): Layer.Layer<RateCounters> =>
  redisUrl === undefined
    ? RateCounters.layerMemory
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../../services/limits/SharedCounters.ts")),
          (SharedCounters) => SharedCounters.layer(redisUrl)
        )
      )

/** Requests to URLs that users give. */
export const outgoing = ({ webhookAllow }: Settings): Layer.Layer<Outgoing> => Outgoing.layer({ allow: webhookAllow })

/** Refuses a database that is unsuitable or of a newer version before anything else uses it, also before migrations. */
const usable = (settings: Settings) => {
  const prefix = `The database ${settings.databaseUrl === undefined ? "in DATA_DIR" : "of DATABASE_URL"} cannot be used: `
  return Layer.effectDiscard(Effect.andThen(Suitability.require, Migrations.refuseNewer)).pipe(
    Layer.catchTag("UnsuitableDatabase", ({ message }) => refused(`${prefix}${message}`)),
    Layer.catchTag("NewerSchema", ({ message }) => refused(message))
  )
}

const refused = (message: string): Layer.Layer<never, ConfigError> => Layer.effectDiscard(new ConfigError({ message }))

/**
 * After a checkpoint PostgreSQL reuses the files of its log instead of creating more on a full disk. A checkpoint waits
 * for a connection and can fail like any statement; the next one follows two seconds later.
 */
const checkpoints = Layer.effectDiscard(
  Effect.gen(function* () {
    const { write } = yield* Database
    const { isFull } = yield* DiskSpace
    yield* Effect.suspend(() => (isFull() ? Effect.asVoid(write.unsafe("CHECKPOINT")) : Effect.void)).pipe(
      Effect.catchCause((cause) => Effect.logDebug("no checkpoint was made on the full disk", cause)),
      Effect.repeat(Schedule.spaced("2 seconds")),
      Effect.forkScoped,
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
  })
)

/** The keys come first: a database is never created without them. */
const stored = (settings: Settings, command: boolean) =>
  Layer.effectDiscard(RestoreMark.refuse(settings)).pipe(
    Layer.provideMerge(usable(settings)),
    Layer.provideMerge(database(settings, command)),
    Layer.provideMerge(secrets(settings))
  )

/** The ports that an operator's command needs, whether the server runs or not. */
export const forCommand = (settings: Settings) => {
  return Layer.unwrap(
    Effect.gen(function* () {
      yield* requireDatabase(settings)
      // A wrong DATA_DIR is reported, instead of creating a database there.
      if (settings.databaseUrl === undefined && !hasCluster(settings)) {
        return yield* new ConfigError({
          message: `DATA_DIR ${settings.dataDir} has no database that this user can read: start Sheaf there first`
        })
      }
      return Layer.mergeAll(stored(settings, true), blobs(settings), outgoing(settings)).pipe(
        // Only the server keeps the reserve.
        Layer.provideMerge(diskSpace(settings, false))
      )
    })
  )
}

/** Creates DATA_DIR if it does not exist. */
export const dataDirectory = ({ dataDir }: Settings) =>
  usingFile("DATA_DIR", dataDir, () => {
    makeDirectory(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  })

/** The ports of a restore into a marked DATA_DIR, which no other process uses. They create no key. */
export const forRestore = (settings: Settings) =>
  Layer.merge(usable(settings).pipe(Layer.provideMerge(database(settings, false))), blobs(settings)).pipe(
    Layer.provideMerge(diskSpace(settings, false))
  )

/** The ports of a worker, whose parent has prepared DATA_DIR and the database, and has the reserve on the disk. */
export const forWorker = (settings: Settings, link: ParentLink, started: Embedded | undefined) =>
  Layer.mergeAll(
    Layer.provideMerge(database(settings, false, started), secrets(settings)),
    mailer(settings),
    settings.redisUrl === undefined ? ParentCounters.layer(link) : counters(settings),
    blobs(settings),
    outgoing(settings)
  ).pipe(Layer.provideMerge(diskSpace(settings, false)))

/** What a parent has for its workers. */
export const forParent = (settings: Settings) =>
  Layer.mergeAll(prepared(settings), blobs(settings)).pipe(Layer.provideMerge(diskSpace(settings)))

/** DATA_DIR, the keys and the database, which the server opens before anything else uses them. */
const prepared = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* dataDirectory(settings)
      yield* requireDatabase(settings)
      // Before a key is created that is not the one of the backup.
      if (RestoreMark.isThere(settings) && settings.databaseUrl === undefined && !hasCluster(settings)) {
        return yield* new ConfigError({ message: RestoreMark.unfinished(settings) })
      }
      return settings.databaseUrl === undefined
        ? Layer.provideMerge(checkpoints, stored(settings, false))
        : stored(settings, false)
    })
  )

/** All ports of the server. */
export const layer = (settings: Settings) =>
  Layer.mergeAll(prepared(settings), mailer(settings), counters(settings), blobs(settings), outgoing(settings)).pipe(
    Layer.provideMerge(diskSpace(settings))
  )

/** The node's own folder in DATA_DIR, because nodes with DATABASE_URL may share DATA_DIR. */
export const searchFolder = ({ databaseUrl, dataDir, host, port }: Settings): string =>
  join(dataDir, "search", databaseUrl === undefined ? "local" : `${hostname()}-${host}-${port}`)
