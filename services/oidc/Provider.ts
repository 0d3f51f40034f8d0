import { Data, type Redacted } from "effect"

/** An OpenID provider of the operator, by which users sign in. */
export interface Provider {
  /** Its number in the names of settings and in addresses, from 1. */
  readonly number: number
  readonly issuer: string
  readonly client_id: string
  /** Undefined for a public client. */
  readonly client_secret: Redacted.Redacted | undefined
  /** What users see on the button. */
  readonly name: string
}

/** What a provider says about a user, after all checks of its response. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  /** A well-formed address. */
  readonly email: string | undefined
  /** Whether the provider has verified the address. */
  readonly email_verified: boolean
  readonly name: string | undefined
  readonly id_token: string
}

/** Why a sign-in by a provider has failed. A page says so. */
export type Reason =
  | "closed"
  | "declined"
  | "ended"
  | "invalid"
  | "knownAddress"
  | "linkedElsewhere"
  | "noAddress"
  | "notLinked"
  | "otherAddress"
  | "tooMany"
  | "unknownProvider"
  | "unreachable"

export class SignInRefused extends Data.TaggedError("SignInRefused")<{
  readonly reason: Reason
  /** The name of the provider, if it is known. */
  readonly provider?: string
}> {}
