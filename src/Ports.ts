import { Clock, Effect, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { isIP } from "node:net"
import { dirname, join } from "node:path"
import { RateCounters } from "../services/limits/RateCounters.ts"
import { Mailer } from "../services/mail/Mailer.ts"
import { Outgoing } from "../services/outgoing/Outgoing.ts"
import { Blobs } from "../services/files/Blobs.ts"
import * as CheckedBlobs from "../services/files/CheckedBlobs.ts"
import { Database, patchedDriver, type UnpatchedDriver } from "../services/database/Database.ts"
import * as DiskBlobs from "../services/files/DiskBlobs.ts"
import { DiskSpace } from "../services/files/DiskSpace.ts"
import { NodeBus } from "../services/database/NodeBus.ts"
import * as Migrations from "../services/database/Migrations.ts"
import * as Suitability from "../services/database/Suitability.ts"
import { Secrets } from "../services/secrets/Secrets.ts"
import { writePrivate } from "./Bootstrap.ts"
import { ConfigError, parseKey, type Settings } from "./Config.ts"
import { usingFile } from "./FileFailure.ts"
import { acceptCommand, keyFile } from "./KeyCheck.ts"
import * as EmbeddedPostgres from "./postgres/EmbeddedPostgres.ts"
import { rootOf } from "../services/RootOf.ts"

/** The start stops with one line when DATABASE_URL leads nowhere. */
const reached = Layer.effectDiscard(
  Effect.gen(function* () {
    const { write } = yield* Database
    yield* Effect.mapError(
      write.unsafe("SELECT 1"),
      (error) => new ConfigError({ message: `DATABASE_URL leads to no usable database: ${rootOf(error).message}` })
    )
  })
)

/**
 * PostgreSQL: the one of DATABASE_URL, which other processes may share, or one of our own in DATA_DIR, which only an
 * operator's command shares with the server.
 */
const database = (
  settings: Settings,
  command: boolean
): Layer.Layer<
  Database | NodeBus,
  ConfigError | EmbeddedPostgres.EmbeddedPostgresError | SqlError.SqlError | UnpatchedDriver
> =>
  settings.databaseUrl !== undefined
    ? Layer.merge(reached, NodeBus.layer({ alone: false })).pipe(
        Layer.provideMerge(Database.layer({ url: settings.databaseUrl }))
      )
    : Layer.unwrap(
        // Asked before anything is made.
        Effect.map(
          Effect.andThen(patchedDriver, EmbeddedPostgres.start({ directory: clusterDirectory(settings), command })),
          (embedded) =>
            NodeBus.layer({ alone: !command }).pipe(
              Layer.provideMerge(Database.layer({ ...embedded, database: "sheaf" }))
            )
        )
      )

const clusterDirectory = ({ dataDir }: Settings): string => join(dataDir, "postgres")

/** Whether DATA_DIR holds an embedded database. */
const hasCluster = (settings: Settings): boolean =>
  existsSync(join(clusterDirectory(settings), "cluster", "PG_VERSION"))

/** SECRET_KEY, or with the embedded database the one that is made in DATA_DIR before the database. */
const secrets = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      let current = settings.secretKey
      if (current === undefined) {
        const file = keyFile(settings)
        if (!existsSync(file) && hasCluster(settings)) {
          return yield* new ConfigError({
            message:
              `${file} is missing, and the database beside it is sealed with it: put it back, or set SECRET_KEY. ` +
              `If it is lost, make a new one (openssl rand -base64 32 > ${file}), then run: ${acceptCommand}`
          })
        }
        const text = yield* usingFile("DATA_DIR", file, () => {
          if (!existsSync(file)) writePrivate(file, `${randomBytes(32).toString("base64")}\n`)
          return readFileSync(file, "utf8")
        })
        current = parseKey(text)
        if (current === undefined) {
          return yield* new ConfigError({ message: `${file} must hold 32 bytes in base64` })
        }
      }
      return Secrets.layer({ current, previous: settings.secretKeyPrevious })
    })
  )

/** Who mail is from, unless MAIL_FROM says it. */
const sender = ({ mailFrom, publicUrl }: Settings): string => {
  const { hostname } = new URL(publicUrl)
  const host = isIP(hostname.replaceAll(/[[\]]/g, "")) === 0 ? hostname : "localhost"
  return mailFrom ?? `Sheaf <sheaf@${host}>`
}

/** Whom a push service may ask about what it is sent (RFC 8292, section 2.1). */
export const contact = (settings: Settings): string => {
  if (settings.publicUrl.startsWith("https://")) return settings.publicUrl
  const from = sender(settings)
  return `mailto:${/<([^<>]+)>$/.exec(from)?.[1] ?? from}`
}

/** Mail: by the server of SMTP_URL, or into files in DATA_DIR (contract 1). */
export const mailer = (settings: Settings): Layer.Layer<Mailer> => {
  const from = sender(settings)
  const outbox = join(settings.dataDir, "outbox")
  return settings.smtpUrl === undefined
    ? Mailer.layerOutbox({ directory: outbox, from })
    : Mailer.layerSmtp({ url: settings.smtpUrl, from, outbox })
}

/** Where files are kept: in the bucket of S3, whose SDK is loaded only where there is one, or in DATA_DIR (contract 1). */
const fileStore = ({ dataDir, s3 }: Settings): Layer.Layer<Blobs> =>
  s3 === undefined
    ? DiskBlobs.layer({ directory: join(dataDir, "files") })
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../services/files/S3Blobs.ts")),
          (S3Blobs) => S3Blobs.layer({ ...s3, spool: join(dataDir, "spool") })
        )
      )

/** Files, checked as they are read. None is taken in on a full disk, where those for a bucket wait as well. */
export const blobs = (settings: Settings): Layer.Layer<Blobs, never, DiskSpace> =>
  Layer.effect(
    Blobs,
    Effect.map(Effect.all([Blobs, DiskSpace]), ([store, disk]) => CheckedBlobs.make(store, disk))
  ).pipe(Layer.provide(fileStore(settings)))

/** The disk of DATA_DIR, with a reserve for the embedded database. */
export const diskSpace = ({ dataDir, databaseUrl }: Settings, reserve = databaseUrl === undefined) =>
  DiskSpace.layer({ directory: dataDir, reserve })

/** Limits: in Redis, which is read in only where it is used, or in memory (contract 1). */
export const counters = ({ redisUrl }: Settings): Layer.Layer<RateCounters> =>
  redisUrl === undefined
    ? RateCounters.layerMemory
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../services/limits/SharedCounters.ts")),
          (SharedCounters) => SharedCounters.layer(redisUrl)
        )
      )

/** Requests to URLs that users give. */
export const outgoing = ({ webhookAllow }: Settings): Layer.Layer<Outgoing> => Outgoing.layer({ allow: webhookAllow })

/** Nothing runs on a database that is unsuitable or of a newer version, also not what would run before its migrations. */
const usable = (settings: Settings) => {
  const prefix = `${settings.databaseUrl === undefined ? "DATA_DIR has" : "DATABASE_URL leads to"} no usable database: `
  return Layer.effectDiscard(Effect.andThen(Suitability.require, Migrations.refuseNewer)).pipe(
    Layer.catchTag("UnsuitableDatabase", ({ message }) => refused(`${prefix}${message}`)),
    Layer.catchTag("NewerSchema", ({ message }) => refused(message))
  )
}

const refused = (message: string): Layer.Layer<never, ConfigError> => Layer.effectDiscard(new ConfigError({ message }))

/**
 * A checkpoint lets PostgreSQL use the files of its log again, instead of making further ones on a full disk. It waits for a
 * connection and fails like any statement; the next one comes seconds later.
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

/** The keys come first: a database is never made without them. */
const stored = (settings: Settings, command: boolean) =>
  usable(settings).pipe(Layer.provideMerge(database(settings, command)), Layer.provideMerge(secrets(settings)))

/** What an operator's command needs of the outside world, whether the server runs or not. */
export const forCommand = (settings: Settings) => {
  // A mistaken DATA_DIR is said, not filled.
  return Layer.unwrap(
    settings.databaseUrl !== undefined || hasCluster(settings)
      ? Effect.succeed(
          Layer.mergeAll(stored(settings, true), blobs(settings), outgoing(settings)).pipe(
            // The reserve is the server's.
            Layer.provideMerge(diskSpace(settings, false))
          )
        )
      : new ConfigError({
          message: `No database is in DATA_DIR ${settings.dataDir}, or none that this user may read: start Sheaf there first`
        })
  )
}

/**
 * Makes a directory with its parents. `mkdirSync` with `recursive` does not come back from a place where the system says
 * that a parent is missing which is there, such as /proc/nope.
 */
const makeDirectory = (directory: string): void => {
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST" && statSync(directory).isDirectory()) return
    if (code !== "ENOENT" || existsSync(dirname(directory))) throw error
    makeDirectory(dirname(directory))
    mkdirSync(directory, { mode: 0o700 })
  }
}

/** The outside world. */
export const layer = (settings: Settings) => {
  const place = usingFile("DATA_DIR", settings.dataDir, () => {
    makeDirectory(settings.dataDir)
    accessSync(settings.dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  })
  return Layer.unwrap(
    Effect.as(
      place,
      Layer.mergeAll(
        settings.databaseUrl === undefined
          ? Layer.provideMerge(checkpoints, stored(settings, false))
          : stored(settings, false),
        mailer(settings),
        counters(settings),
        blobs(settings),
        outgoing(settings)
      ).pipe(Layer.provideMerge(diskSpace(settings)))
    )
  )
}
