import { PgConnection } from "@effect/sql-pg"
import { Clock, Data, Deferred, Effect, Queue, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { isLostConnection } from "../../../services/database/Database.ts"
import { attempt, EmbeddedPostgresError, failure } from "./EmbeddedPostgresError.ts"
import { holderOf, holders, newcomer, takeLock } from "./ClusterLock.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import * as PostgresCluster from "./PostgresCluster.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as PostgresProcess from "./PostgresProcess.ts"
import * as PostgresSettings from "./PostgresSettings.ts"
import * as Postmaster from "./Postmaster.ts"

export { EmbeddedPostgresError }

/** The address of the server with the database `sheaf`. */
export interface EmbeddedPostgres {
  readonly socketDirectory: string
  readonly port: number
  readonly username: string
}

/** Only a part of the file name of the socket: the server does not listen on the network. */
const port = 5432
/** A temporary failure, such as a server that is stopping: a retry may succeed. */
class Transient extends Data.TaggedError("Transient")<{ readonly message: string }> {}

class Occupied extends Data.TaggedError("Occupied")<{
  readonly message: string
  readonly address: EmbeddedPostgres
}> {}

interface Home extends PostgresCluster.PostgresCluster {
  readonly address: EmbeddedPostgres
  readonly holder: (typeof holders)[keyof typeof holders]
  readonly connections: number
}

/**
 * Runs PostgreSQL on `directory` until the scope closes, and restarts it when it ends by itself. A second Sheaf on the
 * directory is refused. An operator's `command` uses the server of a running Sheaf, or else runs its own server; other
 * starts wait until it ends.
 */
export const start: (options: {
  readonly directory: string
  readonly command?: boolean
  /** Maximum number of connections; a node has about twenty. */
  readonly connections?: number
}) => Effect.Effect<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> = Effect.fn("EmbeddedPostgres.start")(
  function* (options) {
    const { command, connections = 60, directory } = options
    const home = yield* open(path.resolve(directory), command ? holders.command : holders.server, connections)
    yield* PostgresCluster.initialise(home, PostgresDatabase.superuser)
    const started = yield* Deferred.make<EmbeddedPostgres, EmbeddedPostgresError>()
    yield* Effect.forkScoped(supervise(home, started))
    return { ...(yield* Deferred.await(started)), username: PostgresDatabase.owner }
  },
  // Processes run in real time, also if the program uses a test clock.
  Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
)

const supervise = (home: Home, started: Deferred.Deferred<EmbeddedPostgres, EmbeddedPostgresError>) => {
  const life = vacate(home).pipe(Effect.andThen(live(home, Deferred.succeed(started, home.address))), Effect.scoped)
  const warn = (code: number) =>
    Effect.logWarning(`PostgreSQL ended unexpectedly (exit code ${code}); restarting it. Its log: ${home.log}`)
  /** The last error that was logged: repeated attempts usually fail with the same one. */
  let reported = ""
  const report = ({ message }: { readonly message: string }) => {
    if (message === reported) return Effect.void
    reported = message
    return Effect.logError(`PostgreSQL is down: ${message}`)
  }
  const furtherLives = life.pipe(
    Effect.tapError(report),
    Effect.retry(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])),
    Effect.tap((code) => {
      reported = ""
      return warn(code)
    }),
    Effect.repeat(Schedule.spaced("100 millis"))
  )
  return life.pipe(
    // An orphaned server takes time to stop, and the backends of a killed server keep its memory until they notice.
    Effect.retry({
      while: (error) => error._tag === "Transient",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))
    }),
    Effect.matchEffect({
      onSuccess: (code) => Effect.andThen(warn(code), furtherLives),
      onFailure: (error) =>
        home.holder === holders.command && error._tag === "Occupied"
          ? Deferred.succeed(started, error.address)
          : Effect.flatMap(
              Deferred.fail(started, new EmbeddedPostgresError({ message: error.message })),
              // The start had succeeded before: a connection was refused later, such as on a full disk.
              (isFirst) => (isFirst ? Effect.void : Effect.andThen(report(error), furtherLives))
            )
    }),
    // A defect must not leave the start waiting, nor end the supervision without a log line.
    Effect.tapDefect((defect) =>
      Effect.andThen(Effect.logError("The supervision of PostgreSQL failed", defect), Deferred.die(started, defect))
    )
  )
}

/** Ensures that no server runs on the cluster: stops an orphaned server, and fails if another Sheaf is running. */
const vacate = Effect.fnUntraced(function* (home: Home) {
  const found = yield* attempt(home.directory, () => Postmaster.read(home.cluster))
  const address = found?.socketDirectory ? { ...home.address, socketDirectory: found.socketDirectory } : home.address
  const busy = (why: string) => new Transient({ message: `PostgreSQL is busy in ${home.directory}: ${why}` })
  // The socket is checked before the process id, which is meaningless for a server in another container.
  const connection = yield* connect(address, newcomer).pipe(
    Effect.catchIf(isNotListening, () => Effect.succeed(null)),
    Effect.mapError((error) => busy(detail(error)))
  )
  if (connection === null) {
    if (found === undefined) return
    const state = yield* attempt(home.directory, () => Postmaster.state(found.pid))
    if (state === "postgres") return yield* busy(`process ${found.pid} is starting or stopping`)
    return yield* attempt(home.directory, () => Postmaster.forget(home.cluster, found))
  }
  if (!(yield* takeLock(connection).pipe(Effect.mapError((error) => busy(detail(error)))))) {
    const holder = yield* holderOf(connection).pipe(Effect.mapError((error) => busy(detail(error))))
    if (holder !== holders.server) return yield* busy("an operator's command or another start is running")
    return yield* new Occupied({
      message: `Another Sheaf is running on ${home.directory}: stop it first, or set another DATA_DIR`,
      address
    })
  }
  yield* Effect.logWarning(`An orphaned PostgreSQL runs on ${home.directory}; stopping it`)
  // The server signals itself: it may run in another process namespace, where only it has its process id and the right.
  // That ends this connection too, so errors are ignored; the next attempt checks whether it has stopped. Until then the
  // lock is held, so that no other start uses a server that is stopping.
  yield* connection.query("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid").pipe(
    Effect.flatMap(({ rows }) => connection.query(`COPY (SELECT) TO PROGRAM 'kill -INT ${rows[0]?.["pid"]}'`)),
    Effect.andThen(connection.query("SELECT pg_sleep(30)")),
    Effect.exit
  )
  return yield* busy("it does not stop")
}, Effect.scoped)

/** Runs the server from its start to its end. An end before it was `up` is a failure. */
const live = Effect.fnUntraced(function* (home: Home, up: Effect.Effect<unknown>) {
  const { binaries, address, cluster, connections, directory, log } = home
  const start = crypto.randomUUID()
  const server = yield* PostgresProcess.run({
    account: binaries.account,
    command: [binaries.postgres, "-D", cluster, ...PostgresSettings.argumentsOf({ ...address, connections, start })],
    directory,
    log
  })
  let wasUp = false
  const ended = Effect.gen(function* () {
    const code = yield* server.ended
    if (wasUp) return code
    const errors = yield* server.errors
    const message = `PostgreSQL cannot be started in ${directory}: ${errors[0]}`
    // Another running server writes to the same log: its errors may come first.
    const isTransient =
      code === 0 ||
      errors.some((error) => /pre-existing shared memory|lock file .* (already exists|is empty)/.test(error))
    return yield* isTransient ? new Transient({ message }) : new EmbeddedPostgresError({ message })
  })
  const firstUp = Effect.suspend(() => {
    wasUp = true
    return up
  })
  return yield* Effect.raceFirst(ended, guard(home, start, firstUp))
})

/** Holds the lock, and takes it again after the server has closed all connections because a backend crashed. */
const guard = (home: Home, start: string, up: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const connection = yield* connectWhenReady(home)
    // When two servers start at the same time, one finds the other behind the socket, and its own soon ends.
    if (!(yield* isOf(connection, start)) || !(yield* takeLock(connection))) {
      return yield* new Transient({ message: `Another Sheaf is taking over the PostgreSQL in ${home.directory}` })
    }
    // The previous holder may have stopped the server, which then accepts no new connections.
    yield* Effect.scoped(connect(home.address, home.holder))
    yield* complete(home, connection)
    yield* up
    // No message is sent on this channel: listening detects the end of the connection.
    const silence = yield* connection.listen("sheaf_guard")
    return yield* Effect.forever(Queue.take(silence))
  }).pipe(
    Effect.scoped,
    Effect.catchTag("SqlError", (error) => Effect.logWarning(`PostgreSQL dropped its connections: ${detail(error)}`)),
    Effect.andThen(Effect.sleep("10 millis")),
    Effect.forever
  )

const connectWhenReady = (home: Home) => {
  // The file is checked first, because each connection that is too early adds a line to the log.
  const ready = attempt(home.directory, () => Postmaster.read(home.cluster)?.status === "ready").pipe(
    Effect.repeat({ until: (ready) => ready, schedule: Schedule.spaced("3 millis") })
  )
  const slowRecovery = Effect.logWarning("PostgreSQL is recovering from an unclean shutdown; waiting for it").pipe(
    Effect.delay("5 seconds"),
    Effect.andThen(Effect.never)
  )
  return Effect.raceFirst(ready, slowRecovery).pipe(
    Effect.andThen(connect(home.address, home.holder)),
    Effect.retry({
      while: (error) => error._tag === "SqlError",
      schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo({ times: 1000 }))
    }),
    Effect.catchTag("SqlError", (error) => failure(home.directory, detail(error)))
  )
}

/**
 * Creates the database and its owner, and removes the files of a killed initdb. The lock excludes other processes.
 */
const complete = Effect.fnUntraced(
  function* (home: Home, connection: PgConnection.PgConnection) {
    yield* PostgresDatabase.make(connection, (database) => connect(home.address, home.holder, database))
    yield* PostgresCluster.sweep(home)
  },
  Effect.scoped,
  // After a lost connection there will be another server: a start that took this one for an orphan has stopped it.
  (effect, home) =>
    Effect.mapError(effect, (error) =>
      error._tag === "SqlError" && !isLostConnection(error) ? failure(home.directory, detail(error)) : error
    )
)

const open = Effect.fnUntraced(function* (directory: string, holder: Home["holder"], connections: number) {
  yield* attempt(directory, () => {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
    fs.chmodSync(directory, 0o700)
  })
  const binaries = yield* PostgresBinaries.locate(directory)
  const { user } = binaries.account
  if (user !== undefined && holder === holders.server) {
    yield* Effect.logWarning(
      `Sheaf runs as root, so PostgreSQL runs as user ${user.uid}: any process of that user has access to all data. Start Sheaf as a dedicated user, or allow user namespaces`
    )
  }
  const socketDirectory = yield* socketDirectoryFor(directory, binaries.account)
  const address: EmbeddedPostgres = { socketDirectory, port, username: PostgresDatabase.superuser }
  const home: Home = {
    directory,
    cluster: path.join(directory, "cluster"),
    log: path.join(directory, "postgres.log"),
    binaries,
    address,
    holder,
    connections
  }
  return home
})

/** The system limits the length of a socket's path. */
const socketDirectoryFor = (directory: string, account: PostgresBinaries.Account) => {
  const limit = process.platform === "linux" ? 107 : 103
  if (Buffer.byteLength(path.join(directory, `.s.PGSQL.${port}`)) <= limit) return Effect.succeed(directory)
  return Effect.acquireRelease(
    attempt(directory, () => {
      const place = fs.mkdtempSync(path.join(os.tmpdir(), "sheaf-"))
      PostgresBinaries.giveTo(account, place)
      return place
    }),
    (place) => Effect.sync(() => fs.rmSync(place, { recursive: true, force: true }))
  )
}

const connect = (
  { socketDirectory, port, username }: EmbeddedPostgres,
  applicationName: string,
  database = "postgres"
) => PgConnection.make({ host: socketDirectory, port, username, database, applicationName })

/** Whether the server of the connection was started with this id. */
const isOf = (connection: PgConnection.PgConnection, start: string) =>
  connection
    .query("SELECT current_setting('sheaf.start', true) AS start")
    .pipe(Effect.map(({ rows }) => rows[0]?.["start"] === start))

const isNotListening = ({ reason: { cause } }: SqlError) =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ECONNREFUSED")

/** The message of PostgreSQL or the system, without that of the driver around it. */
const detail = ({ message, reason: { cause } }: SqlError) =>
  typeof cause === "object" && cause !== null && "message" in cause ? String(cause.message) : message
