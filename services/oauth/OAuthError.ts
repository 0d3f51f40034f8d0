import { Data } from "effect"

/** The codes of errors that clients of the protocol read (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591; RFC 8707). */
export const oauthCodes = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "invalid_target",
  "invalid_client_metadata",
  "invalid_redirect_uri",
  "unsupported_grant_type",
  "unsupported_response_type"
] as const
type OAuthCode = (typeof oauthCodes)[number]

/** A refused request of the protocol, with a description for the developer of the client. */
export class OAuthError extends Data.TaggedError("OAuthError")<{
  readonly code: OAuthCode
  readonly description: string
}> {}

export const refusal = (code: OAuthCode, description: string) => new OAuthError({ code, description })
