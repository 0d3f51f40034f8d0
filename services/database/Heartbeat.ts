import { PgConnection } from "@effect/sql-pg"
import { Effect, Schedule, type Scope } from "effect"
import { connect, type Socket } from "node:net"

/** Interval at which PostgreSQL is probed, and at which beats without a response are counted. */
const beat = "1 second"
/** Number of beats without a response after which PostgreSQL counts as hung. */
const maxSilent = 4

/** Milliseconds after which the system probes an idle connection, so that a dead connection is replaced. */
const keepAliveInitialDelay = 10_000

/** Where PostgreSQL listens: a TCP port, or the path of a Unix socket. */
export type Endpoint = { readonly host: string; readonly port: number } | { readonly path: string }

/** The endpoint of a host, or of a directory with a Unix socket, as libpq reads them. */
export const endpointOf = (host: string, port: number): Endpoint =>
  host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }

/** The endpoint that a URL of libpq names. */
export const endpointOfUrl = (text: string): Endpoint => {
  const { hostname, port, searchParams } = new URL(text)
  const host = searchParams.get("host") ?? decodeURIComponent(hostname.replaceAll(/^\[|\]$/g, ""))
  return endpointOf(host || "localhost", Number(searchParams.get("port") ?? (port || 5432)))
}

/** Opens sockets to PostgreSQL for the connections of a pool. */
export interface Heartbeat {
  readonly stream: () => Socket
}

interface Options {
  readonly endpoint: Endpoint
  readonly config: PgConnection.Config
  /** Called with each change. */
  readonly report: (state: "hung" | "responding") => Effect.Effect<void>
}

/**
 * Detects that PostgreSQL stops responding without closing its connections: a frozen server, a network that drops every
 * packet. A separate connection sends a statement each second. After four seconds of silence all sockets are closed, so
 * that everything that waits for one fails as after any lost connection, and new sockets are refused at once until
 * PostgreSQL responds again. A hung PostgreSQL thus costs a request a few seconds instead of the time for which it
 * hangs. Silence is counted in beats, not by the clock: a process that was itself suspended has missed one beat.
 */
export const make = ({ config, endpoint, report }: Options): Effect.Effect<Heartbeat, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let isHung = false
    /** Number of beats since a response became due; undefined while none is due. */
    let silent: number | undefined

    const open = (): Socket => {
      const socket = connect({ ...endpoint, noDelay: true, keepAlive: true, keepAliveInitialDelay })
      sockets.add(socket)
      return socket.once("close", () => sockets.delete(socket))
    }

    const responds = Effect.suspend(() => {
      silent = undefined
      if (!isHung) return Effect.void
      isHung = false
      return report("responding")
    })
    const due = Effect.sync(() => void (silent = 0))

    const asking = Effect.gen(function* () {
      yield* due
      const connection = yield* PgConnection.make({ ...config, stream: open })
      yield* responds
      while (true) {
        yield* Effect.sleep(beat)
        yield* due
        yield* connection.query("SELECT 1")
        yield* responds
      }
    }).pipe(
      Effect.scoped,
      // A server that refuses is not hung. A server that counts as hung is probed again at once.
      Effect.catchTag("SqlError", () =>
        silent === undefined || silent < maxSilent ? Effect.delay(responds, beat) : Effect.void
      ),
      Effect.forever
    )

    const counting = Effect.suspend(() => {
      if (silent === undefined || ++silent < maxSilent) return Effect.void
      const wasHung = isHung
      isHung = true
      for (const socket of sockets) socket.destroy()
      return wasHung ? Effect.void : report("hung")
    }).pipe(Effect.repeat(Schedule.spaced(beat)))

    yield* Effect.forkScoped(asking)
    yield* Effect.forkScoped(counting)
    return {
      stream: () => {
        if (isHung) throw new Error("PostgreSQL does not respond")
        return open()
      }
    }
  })
