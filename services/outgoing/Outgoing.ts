import { Context, Data, Effect, Layer } from "effect"
import { isIPv6, type LookupFunction } from "node:net"
import { rootCertificates } from "node:tls"
import type { Pool } from "undici"
import { Invalid } from "../Errors.ts"
import { allowList } from "./AllowList.ts"
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

export interface OutgoingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As it came: a compressed one is not inflated. */
  readonly body: Uint8Array
  /** There was more of the body than was read. */
  readonly isCut: boolean
}

/** The guard refuses the URL, or where it leads: nothing was sent. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** No whole answer came. Whether the request arrived is not known. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly code: "timeout" | "name" | "connection" | "certificate" | "protocol"
  /** For whoever gave the URL. */
  readonly message: string
  /** What had come of it when it broke off. */
  readonly begun: OutgoingAnswer | undefined
}> {}

/** How long a whole request takes at most (contract 9). */
const patience = 15_000
const mostBytes = 64 * 1024
/** Hosts to which connections are kept. What is under way is bounded by who sends. */
const mostHosts = 256
const connectionsPerHost = 128
/** Shorter than servers commonly keep an idle connection: on one that is just being closed a request is lost. */
const idleLife = 4_000

/** A name leads to an address that is not allowed. */
class RefusedAddress extends Error {}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

/** What of an error of the system concerns whoever gave the URL; undefined of one that is a mistake here. */
const noAnswer = (error: unknown, timeout: number, begun: OutgoingAnswer | undefined): NoAnswer | undefined => {
  const code = codeOf(error)
  const told = (kind: NoAnswer["code"], message: string) => new NoAnswer({ code: kind, message, begun })
  if (error instanceof Error && error.name === "TimeoutError") {
    return told("timeout", `there was no whole answer within ${timeout / 1000} s`)
  }
  if (/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/.test(code)) {
    return told("timeout", "the server could not be reached in time")
  }
  if (code === "ENOTFOUND" || code === "ENODATA") return told("name", "the name of the host has no address")
  if (/^(EAI_\w+|ESERVFAIL|EREFUSED|ETIMEOUT|EBADNAME|EFORMERR|EBADRESP)$/.test(code)) {
    return told("name", "the name of the host could not be looked up")
  }
  if (code === "ECONNREFUSED") return told("connection", "the server refused the connection")
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") return told("connection", "there is no way to the server")
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/.test(code)) {
    return told("certificate", `TLS with the server failed: ${code}`)
  }
  if ((error instanceof Error && error.name === "HTTPParserError") || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code)) {
    return told("protocol", "what the server answered is not HTTP")
  }
  return code === "" || code === "UND_ERR_INVALID_ARG" ? undefined : told("connection", "the connection broke off")
}

const flat = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]]
    )
  )

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
        /** By origin, the longest unused first. */
        const hosts = new Map<string, { readonly pool: Pool; running: number }>()

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

        const open = async (url: URL): Promise<Pool> => {
          // Read in with the first request: most starts have none.
          const { default: undici } = await import("undici")
          const lookup: LookupFunction = (_, { all }, done) =>
            void addressesOf(url).then(
              (found) => (all === true ? done(null, [...found]) : done(null, found[0]!.address, found[0]!.family)),
              (error) => done(error, [])
            )
          return new undici.Pool(url.origin, {
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

        const opening = new Map<string, Promise<Pool>>()
        const hostFor = async (url: URL) => {
          const { origin } = url
          const known = hosts.get(origin)
          if (known !== undefined) {
            hosts.delete(origin)
            hosts.set(origin, known)
            return known
          }
          let pool = opening.get(origin)
          if (pool === undefined) {
            pool = open(url).finally(() => opening.delete(origin))
            opening.set(origin, pool)
          }
          const opened = await pool
          const host = hosts.get(origin) ?? { pool: opened, running: 0 }
          hosts.set(origin, host)
          return host
        }

        const makeRoom = () => {
          for (const [origin, { pool, running }] of hosts) {
            if (hosts.size <= mostHosts) return
            if (running > 0) continue
            hosts.delete(origin)
            void pool.destroy()
          }
        }

        const send = async (url: URL, request: OutgoingRequest, signal: AbortSignal): Promise<OutgoingAnswer> => {
          const most = request.maxBytes ?? mostBytes
          const host = await hostFor(url)
          host.running++
          let soFar: (() => OutgoingAnswer) | undefined
          try {
            const { body, headers, statusCode } = await host.pool.request({
              path: url.pathname + url.search,
              method: request.method,
              headers: { "accept-encoding": "identity", ...request.headers },
              body: request.body ?? null,
              signal
            })
            const chunks: Array<Uint8Array> = []
            let size = 0
            soFar = () => ({
              status: statusCode,
              headers: flat(headers),
              body: Buffer.concat(chunks).subarray(0, most),
              isCut: size > most
            })
            for await (const chunk of body) {
              chunks.push(chunk)
              size += chunk.length
              // Leaving the loop ends the connection: what else would come is not read.
              if (size > most) break
            }
            return soFar()
          } catch (error) {
            if (error instanceof RefusedAddress) throw new Refused({ message: error.message })
            throw noAnswer(error, request.timeout ?? patience, soFar?.()) ?? error
          } finally {
            host.running--
            makeRoom()
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
            Effect.suspend(() => {
              const why = refusalOf(request.url, allow)
              if (why !== undefined) return Effect.fail(new Refused({ message: `the URL ${why}` }))
              const timeout = request.timeout ?? patience
              return Effect.callback<OutgoingAnswer, Refused | NoAnswer>((resume) => {
                const controller = new AbortController()
                // In real time, as the sockets are.
                const timer = setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), timeout)
                send(new URL(request.url), request, controller.signal)
                  .then(Effect.succeed, (error: unknown) =>
                    error instanceof Refused || error instanceof NoAnswer ? Effect.fail(error) : Effect.die(error)
                  )
                  .then((exit) => {
                    clearTimeout(timer)
                    resume(exit)
                  })
                return Effect.sync(() => {
                  clearTimeout(timer)
                  controller.abort()
                })
              })
            })
        })
      })
    )
}
