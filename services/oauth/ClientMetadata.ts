import { Effect, Predicate } from "effect"
import { codePoints, oneLine, trimmed } from "../Text.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"
import * as RedirectUris from "./RedirectUris.ts"

/** What a client says about itself (RFC 7591, section 2). */
export interface ClientMetadata {
  readonly name: string
  readonly redirect_uris: ReadonlyArray<string>
}

/** Maximum characters of the name of a client. */
const nameLength = 100
const maxRedirects = 20

const invalid = (description: string) => refusal("invalid_client_metadata", description)

const texts = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.every(Predicate.isString) ? value : undefined

/** Whether a list, if there is one, names a value. */
const offers = (list: unknown, value: string): boolean => list === undefined || texts(list)?.includes(value) === true

/** A name on one line, without characters that change the direction of writing. */
const nameOf = (value: unknown): string =>
  Predicate.isString(value)
    ? trimmed(oneLine(value.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ")))
    : ""

/** Reads the metadata of a client, which is public and has no secret. Members that Sheaf does not use are ignored. */
export const read = Effect.fnUntraced(function* (value: unknown): Effect.fn.Return<ClientMetadata, OAuthError> {
  if (!Predicate.isReadonlyObject(value)) return yield* invalid("The metadata must be a JSON object")
  const metadata = value as Readonly<Record<string, unknown>>
  const uris = texts(metadata["redirect_uris"])
  if (uris === undefined || uris.length === 0 || uris.length > maxRedirects) {
    return yield* refusal("invalid_redirect_uri", `redirect_uris must be a list of 1 to ${maxRedirects} URLs`)
  }
  for (const uri of uris) {
    const why = RedirectUris.refusalOf(uri)
    if (why !== undefined) return yield* refusal("invalid_redirect_uri", `A redirect URI ${why}`)
  }
  const method = metadata["token_endpoint_auth_method"]
  if (method !== undefined && method !== "none") {
    return yield* invalid("token_endpoint_auth_method must be none: clients have no secret")
  }
  if (!offers(metadata["grant_types"], "authorization_code")) {
    return yield* invalid("grant_types must contain authorization_code")
  }
  if (!offers(metadata["response_types"], "code")) return yield* invalid("response_types must contain code")
  const given = metadata["client_name"]
  if (Predicate.isString(given) && (!given.isWellFormed() || given.includes("\0"))) {
    return yield* invalid("client_name must not contain NUL or lone surrogates")
  }
  const name = nameOf(given)
  if (codePoints(name) > nameLength) return yield* invalid(`client_name must be at most ${nameLength} characters`)
  const redirect_uris = [...new Set(uris.map(RedirectUris.stored))]
  return { name: name === "" ? RedirectUris.placeOf(uris[0]!) : name, redirect_uris }
})
