import { Clock, Context, Effect, Layer } from "effect"
import { Forbidden } from "../Errors.ts"
import { Secrets } from "../secrets/Secrets.ts"

/** The purpose of a signed URL. */
export type UrlPurpose = "attachment" | "upload" | "export" | "import" | "backup"

const methodOf: Readonly<Record<UrlPurpose, string>> = {
  attachment: "GET",
  upload: "PUT",
  export: "GET",
  import: "PUT",
  backup: "GET"
}

/** Milliseconds for which signed URLs are valid (contract 7). */
export const goodFor = 15 * 60_000

/** Milliseconds for which a URL stays the same (contract 2), so that caches and ETags work. */
const sameFor = 5 * 60_000

/**
 * When the validity of a URL begins: the same time for five minutes. `since` shifts these intervals, so that the first
 * URL of a new resource is valid for the whole time.
 */
export const begunAt = (now: number, since: number): number => {
  const phase = since % sameFor
  return Math.floor((now - phase) / sameFor) * sameFor + phase
}

const refusal = {
  code: "invalid_signature",
  detail: "The signature of the URL is wrong, the URL has expired, or its user may no longer use it"
} as const
/** The URL has expired, or its user may no longer use it. An open page may have many such URLs. */
export const invalid = new Forbidden(refusal)
/** The signature is wrong, which looks the same to the client. */
export const forged = new Forbidden(refusal)

interface Requested {
  readonly purpose: UrlPurpose
  /** The path of the URL, without the signed parameters. */
  readonly path: string
}

interface Signed extends Requested {
  /** The user for whom the URL is made. */
  readonly user_id: string
}

/**
 * URLs that need no Authorization for a limited time: their purpose, method, path, user and end are signed
 * (HMAC-SHA-256) with a separate key. Signatures of the previous key are still valid. The route of the URL checks
 * whether the user still has the right.
 */
export class SignedUrls extends Context.Service<
  SignedUrls,
  {
    /** The path with its signature; `expires_at` in milliseconds. */
    readonly sign: (signed: Signed, expires_at: number) => string
    /** The user, and the end in milliseconds. Fails with 403 if the URL is forged, for another purpose, or expired. */
    readonly verify: (
      requested: Requested,
      query: URLSearchParams
    ) => Effect.Effect<{ readonly user_id: string; readonly expires_at: number }, Forbidden>
  }
>()("sheaf/files/SignedUrls") {
  static readonly layer = Layer.effect(
    SignedUrls,
    Effect.map(Secrets, (secrets) => {
      const text = ({ path, purpose, user_id }: Signed, expires: number) =>
        Buffer.from([purpose, methodOf[purpose], path, user_id, expires].join("\n"))
      return SignedUrls.of({
        sign: (signed, expires_at) => {
          const expires = Math.ceil(expires_at / 1000)
          const signature = Buffer.from(secrets.sign("file-url", text(signed, expires))).toString("base64url")
          return `${signed.path}?user=${signed.user_id}&expires=${expires}&signature=${signature}`
        },
        verify: (requested, query) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const [user_id, expires, signature] = [
              query.get("user") ?? "",
              query.get("expires") ?? "",
              query.get("signature") ?? ""
            ]
            const end = /^\d{1,12}$/.test(expires) ? Number(expires) : 0
            const signed = text({ ...requested, user_id }, end)
            const isSigned = secrets.verify("file-url", signed, Buffer.from(signature, "base64url"))
            if (!isSigned) return Effect.fail(forged)
            return end * 1000 > now ? Effect.succeed({ user_id, expires_at: end * 1000 }) : Effect.fail(invalid)
          })
      })
    })
  )
}
