import { Clock, Context, Effect, Layer } from "effect"
import { Forbidden } from "../Errors.ts"
import { Secrets } from "./Secrets.ts"

/** What an address may be used for. */
export type UrlPurpose = "attachment" | "upload" | "export" | "import"

const methodOf: Readonly<Record<UrlPurpose, string>> = {
  attachment: "GET",
  upload: "PUT",
  export: "GET",
  import: "PUT"
}

/** For how long addresses are good (contract 7). */
export const goodFor = 15 * 60_000

/** A URL stays the same for so long (contract 2), so that caches and ETags work. */
const sameFor = 5 * 60_000

/**
 * When the time of a URL began: the same moment for five minutes. `since` moves the borders, so that what is new has a
 * URL that is good for all of its time.
 */
export const begunAt = (now: number, since: number): number => {
  const phase = since % sameFor
  return Math.floor((now - phase) / sameFor) * sameFor + phase
}

export const invalid = new Forbidden({
  code: "invalid_signature",
  detail: "The signature of the address is wrong, or the address has expired"
})

interface Signed {
  readonly purpose: UrlPurpose
  /** Of the address, without what is signed. */
  readonly path: string
}

/**
 * Addresses that are good by themselves, for a while: what they are for, their method, path and end are signed
 * (HMAC-SHA-256), with a key of their own. What was signed with the key before is still good.
 */
export class SignedUrls extends Context.Service<
  SignedUrls,
  {
    /** The path with its signature; `expires_at` in milliseconds. */
    readonly sign: (signed: Signed, expires_at: number) => string
    /** When it ends; or 403, whether it is forged, for something else, or over. */
    readonly verify: (signed: Signed, query: URLSearchParams) => Effect.Effect<number, Forbidden>
  }
>()("sheaf/storage/SignedUrls") {
  static readonly layer = Layer.effect(
    SignedUrls,
    Effect.map(Secrets, (secrets) => {
      const text = ({ path, purpose }: Signed, expires: number) =>
        Buffer.from([purpose, methodOf[purpose], path, expires].join("\n"))
      return SignedUrls.of({
        sign: (signed, expires_at) => {
          const expires = Math.ceil(expires_at / 1000)
          const signature = Buffer.from(secrets.sign("file-url", text(signed, expires))).toString("base64url")
          return `${signed.path}?expires=${expires}&signature=${signature}`
        },
        verify: (signed, query) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const [expires = "", signature = ""] = [query.get("expires"), query.get("signature")].map((it) => it ?? "")
            const end = /^\d{1,12}$/.test(expires) ? Number(expires) : 0
            const isSigned = secrets.verify("file-url", text(signed, end), Buffer.from(signature, "base64url"))
            return isSigned && end * 1000 > now ? Effect.succeed(end * 1000) : Effect.fail(invalid)
          })
      })
    })
  )
}
