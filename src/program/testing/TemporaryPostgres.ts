import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Schedule, Scope } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sheaf from "../../../package.json" with { type: "json" }
import { Database } from "../../../services/database/Database.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import { makeTemporaryDirectory } from "../TemporaryDirectory.ts"
import { attempt, EmbeddedPostgresError } from "../postgres/EmbeddedPostgresError.ts"
import * as PostgresBinaries from "../postgres/PostgresBinaries.ts"
import * as PostgresCluster from "../postgres/PostgresCluster.ts"
import * as PostgresDatabase from "../postgres/PostgresDatabase.ts"
import * as PostgresProcess from "../postgres/PostgresProcess.ts"
import * as PostgresSettings from "../postgres/PostgresSettings.ts"
import * as Postmaster from "../postgres/Postmaster.ts"

/** The address of a PostgreSQL for tests. It can be passed to other processes as JSON. */
export interface TestPostgres {
  /** All files of the server, and of the instances that use it. */
  readonly directory: string
  readonly socketDirectory: string
  readonly port: number
  /** The owner of the databases. */
  readonly username: string
}

/** Only a part of the file name of the socket. */
const port = 5432
/** More than twenty instances have: each has about twenty connections. */
const connections = 600
/** The system limits the length of a socket's path. */
const longestPath = process.platform === "linux" ? 107 : 103

/** A database with the current schema, from which those of instances are copied. */
const template = "sheaf_template"

/** Nothing has to survive a crash: the data ends with the process that started the server. */
const withoutFlushes = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"].flatMap((each) => ["-c", each])

const makeDirectory = (): string => {
  const fits = (folder: string) =>
    join(folder, "sheaf-test-XXXXXX", "postgres", `.s.PGSQL.${port}`).length <= longestPath
  return makeTemporaryDirectory(fits(tmpdir()) ? tmpdir() : "/tmp", "sheaf-test-", 0o711)
}

const connect = ({ socketDirectory }: { readonly socketDirectory: string }, username: string, database = "postgres") =>
  PgConnection.make({ host: socketDirectory, port, username, database })

/** Waits for the server, and fails with its first error if it ends instead. */
const ready = (cluster: string, server: PostgresProcess.PostgresProcess) =>
  Effect.raceFirst(
    Effect.sync(() => Postmaster.read(cluster)?.status === "ready").pipe(
      Effect.repeat({ until: (isReady) => isReady, schedule: Schedule.spaced("3 millis") })
    ),
    Effect.flatMap(Effect.andThen(server.ended, server.errors), ([error]) =>
      Effect.fail(new EmbeddedPostgresError({ message: `PostgreSQL cannot be started: ${error}` }))
    )
  )

const prepare = Effect.fnUntraced(function* (address: TestPostgres) {
  const superuser = yield* connect(address, PostgresDatabase.superuser)
  yield* superuser.query(`CREATE ROLE ${address.username} LOGIN CREATEDB`)
  yield* superuser.query(`GRANT pg_checkpoint TO ${address.username}`)
  yield* superuser.query(`CREATE DATABASE ${template} OWNER ${address.username}`)
  yield* Effect.provide(Migrations.run(Effect.void), Database.layer({ ...address, database: template }), {
    local: true
  })
}, Effect.scoped)

const start = Effect.fnUntraced(function* () {
  const directory = yield* Effect.acquireRelease(attempt(tmpdir(), makeDirectory), (directory) =>
    Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  )
  const socketDirectory = join(directory, "postgres")
  yield* attempt(directory, () => fs.mkdirSync(socketDirectory, { mode: 0o700 }))
  const binaries = yield* PostgresBinaries.locate(socketDirectory)
  const cluster = join(socketDirectory, "cluster")
  const log = join(socketDirectory, "postgres.log")
  yield* PostgresCluster.initialise(
    { directory: socketDirectory, cluster, log, binaries },
    PostgresDatabase.superuser,
    ["--no-sync"]
  )
  const own = { socketDirectory, port, connections, start: "tests" }
  const server = yield* PostgresProcess.run({
    account: binaries.account,
    command: [binaries.postgres, "-D", cluster, ...PostgresSettings.argumentsOf(own), ...withoutFlushes],
    directory: socketDirectory,
    log,
    // A test process ends although its PostgreSQL runs, which ends with it.
    isReleased: true
  })
  yield* ready(cluster, server)
  const address: TestPostgres = { directory, socketDirectory, port, username: PostgresDatabase.owner }
  yield* prepare(address)
  return address
})

/** A running PostgreSQL, with a template of Sheaf's schema. */
export interface RunningPostgres {
  readonly address: TestPostgres
  /** Stops the server and deletes its files. Without it both happen when this process ends, however it ends. */
  readonly stop: () => Promise<void>
}

/** Starts a PostgreSQL in a temporary directory. */
export const run = async (): Promise<RunningPostgres> => {
  const scope = Effect.runSync(Scope.make())
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    const address = await Effect.runPromise(Effect.provideService(start(), Scope.Scope, scope))
    return { address, stop: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Held by the process, because test runners load this module once per test file. */
const shared = Symbol.for(`sheaf/testing/postgres ${sheaf.version}`)
type Holder = { [shared]?: Promise<RunningPostgres> | undefined }

/** The PostgreSQL of this process, which starts with the first call. */
export const ofProcess = async (): Promise<TestPostgres> => {
  const holder = globalThis as Holder
  const running = (holder[shared] ??= run())
  try {
    return (await running).address
  } catch (error) {
    // The next call tries again.
    if (holder[shared] === running) holder[shared] = undefined
    throw error
  }
}

const asSuperuser = (address: TestPostgres, statement: string): Promise<unknown> =>
  connect(address, PostgresDatabase.superuser).pipe(
    Effect.flatMap((connection) => connection.query(statement)),
    Effect.scoped,
    Effect.runPromise
  )

/** Copies a database without connections, by default an empty one with the current schema, and returns the name. */
export const createDatabase = async (address: TestPostgres, from = template): Promise<string> => {
  const name = `test_${randomBytes(8).toString("hex")}`
  // Copying whole files takes less than half the time of copying pages.
  await asSuperuser(address, `CREATE DATABASE ${name} OWNER ${address.username} TEMPLATE ${from} STRATEGY FILE_COPY`)
  return name
}

/** Drops a database as the superuser, which alone may end an autovacuum worker that is using it. */
export const dropDatabase = (address: TestPostgres, name: string): Promise<unknown> =>
  asSuperuser(address, `DROP DATABASE ${name} WITH (FORCE)`)
