import { Effect, Redacted } from "effect"
import { connect, type PeerCertificate } from "node:tls"
import { isIP } from "node:net"
import { Mailer } from "../mail/Mailer.ts"
import { messageOf } from "../ErrorCause.ts"
import { type Faults, Skipped } from "./Check.ts"

/** Milliseconds until a server is given up. */
const patience = 10_000

const day = 24 * 3_600_000
/** Days before the end of a certificate in which it should have been renewed. */
const renewed = 14

interface Presented {
  readonly certificate: PeerCertificate
  /** Why clients do not accept it; undefined if they do. */
  readonly refusal: string | undefined
}

/** The certificate that the server of a URL presents. */
const presented = (url: URL): Effect.Effect<Presented, unknown> =>
  Effect.callback<Presented, unknown>((resume) => {
    const host = url.hostname.replaceAll(/^\[|\]$/g, "")
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // The refusal is reported with the certificate.
      rejectUnauthorized: false
    })
    socket.setTimeout(patience, () => socket.destroy(new Error(`no response in ${patience / 1000} s`)))
    socket.once("error", (error) => resume(Effect.fail(error)))
    socket.once("secureConnect", () => {
      const certificate = socket.getPeerCertificate()
      const refusal = socket.authorized ? undefined : String(socket.authorizationError)
      socket.destroy()
      resume(Effect.succeed({ certificate, refusal }))
    })
    return Effect.sync(() => socket.destroy())
  })

/** Checks the certificate of PUBLIC_URL, as clients get it. `publicUrl` is an absolute URL. */
export const certificateCheck = (publicUrl: string) => ({
  name: "certificate",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const url = new URL(publicUrl)
    if (url.protocol !== "https:") return yield* new Skipped({ reason: "PUBLIC_URL is no address of HTTPS" })
    yield* Effect.match(presented(url), {
      onFailure: (error) =>
        faults.add({
          problem: `PUBLIC_URL cannot be reached from this machine: ${url.host}: ${messageOf(error)}.`,
          remedy: "Check the name in the DNS, the proxy and the firewall."
        }),
      onSuccess: ({ certificate, refusal }) => {
        const left = Date.parse(certificate.valid_to) - Date.now()
        if (refusal !== undefined) {
          faults.add({
            problem: `Clients refuse the certificate of ${url.host}: ${refusal}.`,
            remedy:
              "Give the proxy a certificate for this name with its whole chain; NODE_EXTRA_CA_CERTS names own authorities."
          })
        } else if (left < renewed * day) {
          faults.add({
            problem: `The certificate of ${url.host} ends in ${Math.floor(left / day)} days, on ${certificate.valid_to}.`,
            remedy: "Renew it, and check why it was not renewed automatically."
          })
        }
      }
    })
  })
})

/** Connects to the mail server of SMTP_URL, and logs in. Sends no mail. */
export const mailCheck = {
  name: "mail",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const { hasSmtp, verify } = yield* Mailer
    if (!hasSmtp) return yield* new Skipped({ reason: "SMTP_URL is not set: mail is written to files" })
    yield* Effect.match(verify, {
      onFailure: ({ code }) =>
        faults.add({
          problem: `The mail server of SMTP_URL cannot be used: ${code}.`,
          remedy: "Check the host, the port, the user and the password in SMTP_URL, and the certificate of the server."
        }),
      onSuccess: () => {}
    })
  })
}

/** Counts once in the Redis of REDIS_URL, as rate limits do. */
export const redisCheck = (url: Redacted.Redacted | undefined) => ({
  name: "redis",
  run: Effect.fnUntraced(function* (faults: Faults) {
    if (url === undefined) return yield* new Skipped({ reason: "REDIS_URL is not set: each node counts for itself" })
    // Loaded when it is needed: most servers use no Redis.
    const { RedisCounts } = yield* Effect.promise(() => import("../limits/RedisCounts.ts"))
    const connected = Effect.callback<{ readonly counts: { end(): void }; readonly failure: string | undefined }>(
      (resume) => {
        const counts = new RedisCounts(Redacted.value(url), (isUp, why) =>
          resume(Effect.succeed({ counts, failure: isUp ? undefined : why }))
        )
      }
    )
    const failure = yield* Effect.acquireUseRelease(
      connected,
      ({ failure }) => Effect.succeed(failure),
      ({ counts }) => Effect.sync(() => counts.end())
    )
    if (failure !== undefined) {
      faults.add({
        problem: `The Redis of REDIS_URL cannot be used: ${failure}.`,
        remedy:
          "Check the host, the port, the user and the password in REDIS_URL. Until then each node counts for itself."
      })
    }
  })
})
