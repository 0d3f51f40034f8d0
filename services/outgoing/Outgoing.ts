import { Context, Effect, Exit, Layer } from "effect"
import { isIPv6, type LookupFunction } from "node:net"
import { rootCertificates } from "node:tls"
import type { Pool } from "undici"
import { Invalid } from "../Errors.ts"
import { allowList } from "./AllowList.ts"
import { type NoAnswer, type OutgoingAnswer, Refused } from "./Answer.ts"
import { Exchange, type Outcome, RefusedAddress } from "./Exchange.ts"
import { isPublic } from "./PublicAddress.ts"
import { type Resolve, resolveAllowed, resolvePublic } from "./Resolver.ts"
import { refusalOf } from "./UrlRules.ts"

/** A request to a URL that a user gave. */
export interface OutgoingRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Milliseconds from its beginning to the end of the answer. */
  readonly timeout?: number
  /** Bytes of the answer's body that are read; the rest is not waited for. */
  readonly maxBytes?: number
}

/** How long a whole request takes at most (contract 9). */
const patience = 15_000
const mostBytes = 64 * 1024
/** Hosts to which connections are kept. What is under way is bounded by who sends. */
const mostHosts = 256
/**
 * More than webhooks (96 + 400, and 32 for callers that wait) and Web Push (96) have under way at a time: no request waits
 * here for one that is slow because both go to the same host. The callers limit what one workspace sends to a host.
 */
const connectionsPerHost = 640
/** Shorter than servers commonly keep an idle connection: on one that is just being closed a request is lost. */
const idleLife = 4_000

/** A URL to which requests may go, looked at once for many of them. */
export interface Target {
  /** Why nothing is sent there. */
  readonly refusal: string | undefined
  readonly origin: string
  readonly path: string
}

type Undici = (typeof import("undici"))["default"]

/** A host to which connections are kept. */
interface Host {
  readonly pool: Pool
  running: number
  /** When it was asked for something last, as a count of requests. */
  used: number
}

/**
 * The way to every URL that a user gave (contract 9). Over TLS only, and to public addresses only, but for what the
 * operator exempts. A name is looked up for each connection, all its addresses are looked at, and the connection goes to
 * those: what the name leads to a moment later is no matter. Redirects are not followed, and no proxy is asked.
 */
export class Outgoing extends Context.Service<
  Outgoing,
  {
    /** Fails where a URL can be seen to be none to which anything is sent: `field` names it. */
    readonly check: (field: string, url: string) => Effect.Effect<void, Invalid>
    readonly request: (request: OutgoingRequest) => Effect.Effect<OutgoingAnswer, Refused | NoAnswer>
    readonly target: (url: string) => Target
    /**
     * The same for who sends much, without a fiber for each: `ended` is told once what came of it, and must not throw.
     * Answers with what abandons it.
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
    /** How names are looked up, instead of by DNS. */
    readonly resolve?: Resolve
    /** Certificates that are trusted besides those of everybody. */
    readonly ca?: ReadonlyArray<string>
  }) =>
    Layer.effect(
      Outgoing,
      Effect.gen(function* () {
        const allow = allowList(options.allow)
        /** By origin. */
        const hosts = new Map<string, Host>()
        let requests = 0
        // Read in with the first request: most starts have none.
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
            // The time of the whole is bounded.
            headersTimeout: 0,
            bodyTimeout: 0,
            connect: {
              lookup,
              timeout: patience,
              rejectUnauthorized: true,
              ...(options.ca === undefined ? {} : { ca: [...rootCertificates, ...options.ca] })
            }
          })
        }

        /** Ends connections to the hosts that were not asked for the longest. */
        const makeRoom = () => {
          if (hosts.size <= mostHosts) return
          const unused = [...hosts]
            .filter(([, { running }]) => running === 0)
            .toSorted(([, one], [, other]) => one.used - other.used)
          for (const [origin, { pool }] of unused.slice(0, hosts.size - mostHosts)) {
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
          { body, headers, maxBytes = mostBytes, method, timeout = patience }: Omit<OutgoingRequest, "url">,
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
          request: (request) =>
            Effect.callback<OutgoingAnswer, Refused | NoAnswer>((resume) => {
              const abandon = send(target(request.url), request, resume)
              return Effect.sync(abandon)
            }),
          target,
          send
        })
      })
    )
}
