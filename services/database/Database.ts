import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Clock, Context, Data, Duration, Effect, Layer, Predicate, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"
import { Unavailable } from "../Errors.ts"
import * as Heartbeat from "./Heartbeat.ts"
import { limited, type Reads } from "./ReachedRows.ts"

/** Where PostgreSQL is: a URL, or the directory of its Unix socket. */
export type Address =
  | { readonly url: Redacted.Redacted }
  | { readonly socketDirectory: string; readonly port: number; readonly username: string; readonly database: string }

/** Maximum number of connections of each pool. `NodeBus` and `ProcessLock` each hold a write connection all the time. */
export const poolSizes = { read: 6, heavy: 2, write: 9 } as const

/** Statement time-outs (contract 2) of ordinary reads, of `ExpensiveReads`, and of writes. */
const timeouts = { read: "10s", heavy: "3s", write: "60s" } as const

/**
 * No pool scans a table of all workspaces. Reads take pages and pulls in the order of an index, and do not sort rows
 * that a page does not show. Writes may sort: without a sort, each commit read the heads of all workspaces to take its
 * locks in order, 58 ms for 50 000 heads instead of 3.
 */
const avoided = {
  read: { enable_seqscan: "off", enable_sort: "off" },
  heavy: { enable_seqscan: "off", enable_sort: "off" },
  // A bitmap scan would read all rows of the workspace to find a few that are named.
  write: { enable_seqscan: "off", enable_bitmapscan: "off" }
} as const

/** Milliseconds after a refused write during which `/readyz` reports that the database takes no writes. */
const refusalLasts = 10_000

/**
 * Whether PostgreSQL has recently refused writes for lack of resources: until a write is stored, or for some seconds.
 */
class WriteRefusals {
  #refusedAt = Number.NEGATIVE_INFINITY

  /** Records the outcome of a write: its error, or undefined. */
  record(error: unknown): void {
    if (error === undefined) this.#refusedAt = Number.NEGATIVE_INFINITY
    else if (isExhausted(error)) this.#refusedAt = performance.now()
  }

  get areRecent(): boolean {
    return performance.now() - this.#refusedAt < refusalLasts
  }
}

/** The driver is not patched: under load it would use all memory (patches/README.md). */
export class UnpatchedDriver extends Data.TaggedError("UnpatchedDriver")<{ readonly message: string }> {}

/** Fails unless the driver is patched. */
export const patchedDriver = Effect.suspend(() =>
  "releasesWhatIsAnswered" in PgConnection
    ? Effect.void
    : new UnpatchedDriver({ message: "@effect/sql-pg is not patched: run node scripts/setup.mjs" })
)

const connectionTo = (address: Address): PgConnection.Config => ({
  ...("url" in address
    ? { url: address.url }
    : {
        host: address.socketDirectory,
        port: address.port,
        username: address.username,
        database: address.database
      }),
  applicationName: "sheaf",
  connectTimeout: Duration.seconds(5)
})

/** Retries of a write after a lost connection: 3.8 s in total, after at most 5 s of silence (`Heartbeat`). */
export const reconnecting = { schedule: Schedule.exponential("15 millis", 2), times: 8 } as const

const configOf = (
  address: Address,
  pool: keyof typeof poolSizes,
  { stream }: Heartbeat.Heartbeat,
  size: number = poolSizes[pool]
): PgPool.Config => ({
  stream,
  ...connectionTo(address),
  maxConnections: size,
  minConnections: pool === "heavy" ? 0 : 1,
  maxMessageSize: 512 * 1024 * 1024,
  ...(pool === "read" ? { multiplex: true } : {}),
  // A frozen node holds no lock for long, and no statement runs without limit.
  startupParameters: {
    lock_timeout: "5s",
    idle_in_transaction_session_timeout: "5s",
    statement_timeout: timeouts[pool],
    timezone: "UTC",
    // Statements are few, prepared, and look rows up by key: one plan is right for all values.
    plan_cache_mode: "force_generic_plan",
    // Without the values, the planner assumes that few rows match. These settings exclude the bad plans that it then
    // chose (test/services/database/Plans.test.ts); it still uses them where there is no other plan.
    ...avoided[pool],
    jit: "off"
  }
})

const endpointOf = (address: Address): Heartbeat.Endpoint =>
  "url" in address
    ? Heartbeat.endpointOfUrl(Redacted.value(address.url))
    : Heartbeat.endpointOf(address.socketDirectory, address.port)

const heartbeatOf = (address: Address, report: (state: "hung" | "responding") => Effect.Effect<void>) =>
  Heartbeat.make({ endpoint: endpointOf(address), config: connectionTo(address), report })

const logged = (state: "hung" | "responding") =>
  state === "hung"
    ? Effect.logError("PostgreSQL does not respond: its connections are closed, and requests get 503")
    : Effect.logWarning("PostgreSQL responds again")

/** A pool for a worker thread. `size`: maximum number of connections, by default the pool's; the heartbeat adds one. */
export const clientOf = (address: Address, pool: keyof typeof poolSizes, size?: number) =>
  Effect.flatMap(
    heartbeatOf(address, () => Effect.void),
    (heartbeat) => PgClient.make(configOf(address, pool, heartbeat, size))
  )

/**
 * Connection pools of one PostgreSQL. Reads share connections and are pipelined. They wait neither for writes and locks
 * nor for expensive reads, which have separate connections; there a statement is cancelled when its caller goes away.
 */
export class Database extends Context.Service<
  Database,
  {
    /** For worker threads, which open separate connections. */
    readonly address: Address
    /** Reads what the caller reaches. */
    readonly read: Reads
    /** The same connections for what is not read for one caller: caches, and rows that follow from others. */
    readonly whole: PgClient.PgClient
    readonly heavy: PgPool.PgPool
    readonly write: PgClient.PgClient
    readonly refusals: WriteRefusals
  }
>()("sheaf/database/Database") {
  static readonly layer = (address: Address) =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        yield* patchedDriver
        const heartbeat = yield* heartbeatOf(address, logged)
        const whole = yield* PgClient.make(configOf(address, "read", heartbeat))
        const heavy = yield* PgPool.make(configOf(address, "heavy", heartbeat))
        const write = yield* PgClient.make(configOf(address, "write", heartbeat))
        return Database.of({ address, read: limited(whole), whole, heavy, write, refusals: new WriteRefusals() })
      }).pipe(
        // Connections and their time-outs use real time, even when the program runs on a test clock.
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      )
    ).pipe(Layer.provide(Reactivity.layer))
}

/** The SQLSTATE of an error that PostgreSQL reported; undefined for other errors. */
export const sqlStateOf = ({ reason: { cause } }: SqlError.SqlError): string | undefined =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined

/** SQLSTATEs of a server that shuts down, has no free connection (57P, 53300), or ended an idle transaction (25P03). */
const goingAway = /^(57P0[1-5]|53300|25P03)$/

/** Whether a connection broke, or a server did not accept it. It is unknown whether the statement was executed. */
export const isLostConnection = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "ConnectionError" || goingAway.test(sqlStateOf(error) ?? ""))

/** Whether a connection was lost, or the server refuses it, such as after the password of the role was changed. */
export const isConnectionError = (error: unknown): boolean =>
  isLostConnection(error) || (SqlError.isSqlError(error) && error.reason.operation === "connect")

/**
 * SQLSTATEs of a server that lacks disk, memory or another resource, or whose storage fails (class 53, 58000, 58030),
 * or that takes no writes, as when a provider makes a full database read-only (25006). The statement changed nothing.
 */
const withoutResources = /^(53...|58000|58030|25006)$/

/** Whether PostgreSQL refused a statement for lack of disk, memory or another resource. */
export const isExhausted = (error: unknown): boolean =>
  SqlError.isSqlError(error) && !isConnectionError(error) && withoutResources.test(sqlStateOf(error) ?? "")

/**
 * The error for a failure after which a caller can try again later: a lost connection, a lock held by another
 * transaction, a statement that timed out, a server without resources. Undefined for other failures.
 */
export const unavailableOf = (error: SqlError.SqlError): Unavailable | undefined => {
  if (isConnectionError(error)) return Unavailable.database
  if (error.reason._tag === "LockTimeoutError") return Unavailable.locked
  if (isExhausted(error)) return Unavailable.exhausted
  // query_canceled: the statement changed nothing.
  return sqlStateOf(error) === "57014" ? Unavailable.overloaded : undefined
}

/** Turns SQL failures into defects, except those after which a caller can try again later. */
export const orUnavailable = <A, R>(
  effect: Effect.Effect<A, SqlError.SqlError | Unavailable, R>
): Effect.Effect<A, Unavailable, R> =>
  Effect.catch(effect, (error) => {
    const unavailable = SqlError.isSqlError(error) ? unavailableOf(error) : error
    return unavailable === undefined ? Effect.die(error) : Effect.fail(unavailable)
  })

/** Executes SQL, and returns its rows. */
export const runSql = <Row extends object = Record<string, unknown>>(
  sql: Reads,
  text: string,
  params?: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, Unavailable> => orUnavailable(sql.unsafe<Row>(text, params))
