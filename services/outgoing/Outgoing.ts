import { Context, Effect, Exit, Layer } from "effect"
import { isIPv6, type LookupFunction } from "node:net"
import { rootCertificates } from "node:tls"
import type { Pool } from "undici"
import { Invalid } from "../Errors.ts"
import { allowList } from "./AllowList.ts"
import { type NoResponse, type Outcome, type OutgoingResponse, Refused } from "./OutgoingResponse.ts"
import { Exchange, RefusedAddress } from "./Exchange.ts"
import { isPublic } from "./PublicAddress.ts"
import { type Resolve, resolveAllowed, resolvePublic } from "./Resolver.ts"
import { refusalOf } from "./UrlRules.ts"

/** A request to a URL that a user gave. */
export interface OutgoingRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Milliseconds from the beginning of the request to the end of the response. */
  readonly timeout?: number
  /** Maximum bytes of the response's body. The rest is not awaited. */
  readonly maxBytes?: number
}

/** Maximum milliseconds of a whole request (contract 9). */
const requestTimeout = 15_000
const defaultMaxBytes = 64 * 1024
/** Maximum number of hosts with open connections. The callers limit the requests under way. */
const maxHosts = 256
/**
 * More than the requests that webhooks (96 + 400, and 32 for callers that wait) and Web Push (96) have under way at a
 * time. So no request waits here for a slow one to the same host. The callers limit the requests of one workspace to a
 * host.
 */
const connectionsPerHost = 640
/** Milliseconds that an idle connection is kept: less than servers do, as a request on a closing connection is lost. */
const idleLife = 4_000

/** A URL for requests, checked once for many of them. */
export interface Target {
  /** Why no request may be sent to it. */
  readonly refusal: string | undefined
  readonly origin: string
  readonly path: string
}

type Undici = (typeof import("undici"))["default"]

/** A host with open connections. */
interface Host {
  readonly pool: Pool
  running: number
  /** The number of the last request to it. */
  used: number
}

/** Makes `request` of `send`. */
export const requestBy =
  ({ send, target }: Pick<Outgoing["Service"], "send" | "target">): Outgoing["Service"]["request"] =>
  (request) =>
    Effect.callback<OutgoingResponse, Refused | NoResponse>((resume) => {
      const abandon = send(target(request.url), request, resume)
      return Effect.sync(abandon)
    })

/**
 * Sends requests to URLs that users gave (contract 9): only over TLS and to public addresses, except for the operator's
 * exemptions. A name is resolved for each connection, all its addresses are checked, and the connection goes to one of
 * these. So it does not matter if the name leads elsewhere a moment later. Redirects are not followed, and no proxy is
 * used.
 */
export class Outgoing extends Context.Service<
  Outgoing,
  {
    /** Fails when the URL itself is refused. `field` is its name in the error. */
    readonly check: (field: string, url: string) => Effect.Effect<void, Invalid>
    readonly request: (request: OutgoingRequest) => Effect.Effect<OutgoingResponse, Refused | NoResponse>
    readonly target: (url: string) => Target
    /**
     * The same for callers with many requests, without a fiber per request. `ended` is called once with the result, and
     * must not throw. Returns a function that abandons the request.
     */
    readonly send: (
      target: Target,
      request: Omit<OutgoingRequest, "url">,
      ended: (outcome: Outcome) => void
    ) => () => void
  }
>()("sheaf/outgoing/Outgoing") {
  static readonly layer = (options: {
    /** Entries of WEBHOOK_ALLOW. */
    readonly allow: ReadonlyArray<string>
    /** Resolves names, instead of DNS. */
    readonly resolve?: Resolve
    /** Trusted certificates, in addition to the usual root certificates. */
    readonly ca?: ReadonlyArray<string>
  }) =>
    Layer.effect(
      Outgoing,
      Effect.gen(function* () {
        const allow = allowList(options.allow)
        /** By origin. */
        const hosts = new Map<string, Host>()
        let requests = 0
        // Imported with the first request: most processes send none.
        let undici: Undici | undefined
        const reading = () => import("undici").then((read) => (undici = read.default))

        const addressesOf = async (url: URL): Promise<ReadonlyArray<{ address: string; family: number }>> => {
          const { hostname } = url
          const isAllowed = allow.hasHost(url)
          const resolve = options.resolve ?? (isAllowed ? resolveAllowed : resolvePublic)
          const found = await resolve(hostname)
          if (found.length === 0) throw Object.assign(new Error("no address"), { code: "ENODATA" })
          if (!isAllowed && !found.every((address) => isPublic(address) || allow.hasAddress(address))) {
            throw new RefusedAddress("leads to an address that is not public")
          }
          return found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
        }

        const open = (origin: string, { Pool }: Undici): Pool => {
          const url = new URL(origin)
          const lookup: LookupFunction = (_, { all }, done) =>
            void addressesOf(url).then(
              (found) => (all === true ? done(null, [...found]) : done(null, found[0]!.address, found[0]!.family)),
              (error) => done(error, [])
            )
          return new Pool(origin, {
            connections: connectionsPerHost,
            pipelining: 1,
            allowH2: false,
            keepAliveTimeout: idleLife,
            keepAliveMaxTimeout: idleLife,
            // The time of the whole request is limited instead.
            headersTimeout: 0,
            bodyTimeout: 0,
            connect: {
              lookup,
              timeout: requestTimeout,
              rejectUnauthorized: true,
              ...(options.ca === undefined ? {} : { ca: [...rootCertificates, ...options.ca] })
            }
          })
        }

        /** Closes the connections to the least recently used hosts. */
        const makeRoom = () => {
          if (hosts.size <= maxHosts) return
          const unused = [...hosts]
            .filter(([, { running }]) => running === 0)
            .toSorted(([, one], [, other]) => one.used - other.used)
          for (const [origin, { pool }] of unused.slice(0, hosts.size - maxHosts)) {
            hosts.delete(origin)
            void pool.destroy()
          }
        }

        const hostOf = (origin: string, library: Undici): Host => {
          let host = hosts.get(origin)
          if (host === undefined) hosts.set(origin, (host = { pool: open(origin, library), running: 0, used: 0 }))
          host.used = ++requests
          return host
        }

        const target = (url: string): Target => {
          const refusal = refusalOf(url, allow)
          if (refusal !== undefined) return { refusal: `the URL ${refusal}`, origin: "", path: "" }
          const { origin, pathname, search } = new URL(url)
          return { refusal: undefined, origin, path: pathname + search }
        }

        const send = (
          { origin, path, refusal }: Target,
          { body, headers, maxBytes = defaultMaxBytes, method, timeout = requestTimeout }: Omit<OutgoingRequest, "url">,
          ended: (outcome: Outcome) => void
        ): (() => void) => {
          if (refusal !== undefined) {
            ended(Exit.fail(new Refused({ message: refusal })))
            return () => {}
          }
          let host: Host | undefined
          const exchange = new Exchange(maxBytes, timeout, (outcome) => {
            leave()
            ended(outcome)
          })
          const leave = () => {
            if (host === undefined) return
            host.running--
            makeRoom()
          }
          const begin = (library: Undici) => {
            if (exchange.isOver) return
            host = hostOf(origin, library)
            host.running++
            const all = { "accept-encoding": "identity", ...headers }
            host.pool.dispatch({ path, method, headers: all, body: body ?? null }, exchange)
          }
          if (undici !== undefined) begin(undici)
          else void reading().then(begin, (error) => exchange.onResponseError(undefined, error))
          return () => {
            if (exchange.abandon()) leave()
          }
        }

        yield* Effect.addFinalizer(() =>
          Effect.promise(() => Promise.all([...hosts.values()].map(({ pool }) => pool.destroy())))
        )

        return Outgoing.of({
          check: (field, url) => {
            const why = refusalOf(url, allow)
            return why === undefined ? Effect.void : Effect.fail(Invalid.field(field, "invalid", why))
          },
          request: requestBy({ target, send }),
          target,
          send
        })
      })
    )
}
