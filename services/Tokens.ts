import { Redacted } from "effect"
import { hash } from "node:crypto"
import { crc32 } from "node:zlib"
import * as Ids from "./Ids.ts"
import type { RandomnessShape } from "./Randomness.ts"

/**
 * The prefix of a token is its kind: access token, refresh token, API key, invitation, password reset, confirmation of an
 * address, link for the first account, authorization code, link that connects a provider.
 */
type TokenKind = "sfa" | "sfr" | "sfk" | "sfi" | "sfp" | "sfc" | "sfs" | "sfo" | "sfl"

const length = 30

const checksum = (text: string): string => Ids.base62(crc32(text), 6)

const token = (kind: TokenKind, random: string): Redacted.Redacted => {
  const text = `${kind}_${random}`
  return Redacted.make(text + checksum(text))
}

/** Returns a new token: the prefix, 30 random characters, and a checksum of 6 characters (contract 4, tokens). */
export const make = (randomness: RandomnessShape, kind: TokenKind): Redacted.Redacted =>
  token(kind, randomness.text(length))

/** Returns the token that `start` begins and 32 unguessable bytes fill up. */
export const of = (kind: TokenKind, bytes: Uint8Array, start = ""): Redacted.Redacted => {
  const number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
  let random = start
  for (let rest = number; random.length < length; rest /= 62n) random += Ids.base62(Number(rest % 62n), 1)
  return token(kind, random)
}

/** Whether a text can be a token of the kind. Checks the form and checksum without a query to the database. */
export const isWellFormed = (kind: TokenKind, text: string): boolean =>
  text.length === 4 + length + 6 &&
  text.startsWith(`${kind}_`) &&
  /^[0-9A-Za-z]+$/.test(text.slice(4)) &&
  checksum(text.slice(0, -6)) === text.slice(-6)

/** Returns the stored form of a token: its SHA-256 in hex. */
export const digestOf = (text: string): string => hash("sha256", text, "hex")

export const digest = (secret: Redacted.Redacted): string => digestOf(Redacted.value(secret))

/** Returns the prefix that identifies an API key once its secret is no longer shown. */
export const prefixOf = (secret: Redacted.Redacted): string => Redacted.value(secret).slice(0, 12)
