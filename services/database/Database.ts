import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Clock, Context, Data, Duration, Effect, Layer, Predicate, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"
import { Unavailable } from "../Errors.ts"
import * as Heartbeat from "./Heartbeat.ts"

/** Where PostgreSQL is: an URL, or the directory of its Unix socket. */
export type Address =
  | { readonly url: Redacted.Redacted }
  | { readonly socketDirectory: string; readonly port: number; readonly username: string; readonly database: string }

/** Connections that each pool opens at most. Two of those that write are held: `NodeBus` listens, `Presence` keeps a lock. */
export const poolSizes = { read: 6, heavy: 2, write: 9 } as const

/** Statement time-outs (contract 2): of reads that are bounded by what they return, of `HeavyReads`, and of writes. */
const timeouts = { read: "10s", heavy: "3s", write: "60s" } as const

/**
 * A table of all workspaces is never gone through, by any pool. Reads take pages and pulls in the order of an index, and
 * sort no rows first that a page does not show. Writes may sort: to have their locks in order without it, each commit went
 * through the heads of all workspaces, 58 ms for 50 000 of them instead of 3.
 */
const avoided = {
  read: { enable_seqscan: "off", enable_sort: "off" },
  heavy: { enable_seqscan: "off", enable_sort: "off" },
  // Some rows are named, and all of the workspace would be looked through for them.
  write: { enable_seqscan: "off", enable_bitmapscan: "off" }
} as const

/** Milliseconds after a refused write in which `/readyz` reports that the database takes no writes. */
const refusalLasts = 10_000

/** Whether PostgreSQL has lately refused writes for want of resources: until one is stored, or for some seconds. */
export class WriteRefusals {
  private refusedAt = Number.NEGATIVE_INFINITY

  /** What came of a write. */
  saw(error: unknown): void {
    if (error === undefined) this.refusedAt = Number.NEGATIVE_INFINITY
    else if (isExhausted(error)) this.refusedAt = performance.now()
  }

  get areRecent(): boolean {
    return performance.now() - this.refusedAt < refusalLasts
  }
}

/** The driver is as it was published: under load it would take all memory (docs/internals-relied-on.md). */
export class UnmendedDriver extends Data.TaggedError("UnmendedDriver")<{ readonly message: string }> {}

/** Fails where Sheaf must not run on the driver. */
export const mendedDriver = Effect.suspend(() =>
  "releasesWhatIsAnswered" in PgConnection
    ? Effect.void
    : new UnmendedDriver({ message: "@effect/sql-pg is not mended by patches/: run node scripts/setup.mjs" })
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

/** How a write is tried again after a lost connection: 3.8 s in all, after at most 5 s of silence (`Heartbeat`). */
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
  // A frozen node holds nothing for long, and no statement runs away.
  startupParameters: {
    lock_timeout: "5s",
    idle_in_transaction_session_timeout: "5s",
    statement_timeout: timeouts[pool],
    timezone: "UTC",
    // Statements are few, prepared and keyed: one plan for all values, never one for each.
    plan_cache_mode: "force_generic_plan",
    // Without knowing the values, the planner guesses that few rows match. These are what it then chose, in
    // test/services/database/Plans.test.ts, and how it is kept from them; where there is nothing else, it still does them.
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

/** A pool for a worker thread. `size` is the maximum number of connections, by default that of the pool; the heartbeat adds one. */
export const clientOf = (address: Address, pool: keyof typeof poolSizes, size?: number) =>
  Effect.flatMap(
    heartbeatOf(address, () => Effect.void),
    (heartbeat) => PgClient.make(configOf(address, pool, heartbeat, size))
  )

/**
 * Pools on one PostgreSQL. Reads share connections and are pipelined; none waits behind what writes or locks, nor behind
 * a read that looks through much: those have connections of their own, on which a statement ends with its caller.
 */
export class Database extends Context.Service<
  Database,
  {
    /** For a thread of this process, which needs connections of its own. */
    readonly address: Address
    readonly read: PgClient.PgClient
    readonly heavy: PgPool.PgPool
    readonly write: PgClient.PgClient
    readonly refusals: WriteRefusals
  }
>()("sheaf/database/Database") {
  static readonly layer = (address: Address) =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        yield* mendedDriver
        const heartbeat = yield* heartbeatOf(address, logged)
        const read = yield* PgClient.make(configOf(address, "read", heartbeat))
        const heavy = yield* PgPool.make(configOf(address, "heavy", heartbeat))
        const write = yield* PgClient.make(configOf(address, "write", heartbeat))
        return Database.of({ address, read, heavy, write, refusals: new WriteRefusals() })
      }).pipe(
        // Connections live and time out in real time, also when the program around them runs on a test's clock.
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      )
    ).pipe(Layer.provide(Reactivity.layer))
}

/** The SQLSTATE that PostgreSQL gave, where it was PostgreSQL that failed. */
export const sqlStateOf = ({ reason: { cause } }: SqlError.SqlError): string | undefined =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined

/** SQLSTATEs of a server that goes away or has no room (class 57P, 53300), or gave up on an idle transaction (25P03). */
const goingAway = /^(57P0[1-5]|53300|25P03)$/

/** A connection that broke, or that a server did not take: whether the statement was carried out is not known. */
export const isLostConnection = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "ConnectionError" || goingAway.test(sqlStateOf(error) ?? ""))

/** A connection that was lost, or that the server refuses, such as after the password of the role was changed. */
export const isConnectionError = (error: unknown): boolean =>
  isLostConnection(error) || (SqlError.isSqlError(error) && error.reason.operation === "connect")

/**
 * SQLSTATEs of a server that lacks disk, memory or another resource, or whose storage fails (class 53, 58000, 58030), or that
 * takes no writes, as when a provider makes a full database read-only (25006). Nothing of the statement was done.
 */
const withoutResources = /^(53...|58000|58030|25006)$/

/** A statement that PostgreSQL refused for want of disk, memory or another resource. */
export const isExhausted = (error: unknown): boolean =>
  SqlError.isSqlError(error) && !isConnectionError(error) && withoutResources.test(sqlStateOf(error) ?? "")

/**
 * What a caller may wait out: a lost connection, a lock that others hold, a statement that ran into its time-out, a server
 * without resources.
 */
export const unavailableOf = (error: SqlError.SqlError): Unavailable | undefined => {
  if (isConnectionError(error)) return Unavailable.database
  if (error.reason._tag === "LockTimeoutError") return Unavailable.locked
  if (isExhausted(error)) return Unavailable.exhausted
  // query_canceled: nothing of the statement was done.
  return sqlStateOf(error) === "57014" ? Unavailable.overloaded : undefined
}

/** SQL failures are defects, but for those that a caller may wait out. */
export const orUnavailable = <A, R>(
  effect: Effect.Effect<A, SqlError.SqlError | Unavailable, R>
): Effect.Effect<A, Unavailable, R> =>
  Effect.catch(effect, (error) => {
    const unavailable = SqlError.isSqlError(error) ? unavailableOf(error) : error
    return unavailable === undefined ? Effect.die(error) : Effect.fail(unavailable)
  })
