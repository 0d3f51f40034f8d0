import { Redacted } from "effect"
import { hash } from "node:crypto"
import { crc32 } from "node:zlib"
import * as Ids from "./Ids.ts"

/**
 * What a token is for is in its prefix: an access token, a refresh token, an API key, an invitation, a password reset, the
 * confirmation of an address.
 */
export type TokenKind = "sfa" | "sfr" | "sfk" | "sfi" | "sfp" | "sfc"

const length = 30

const checksum = (text: string): string => Ids.base62(crc32(text), 6)

const token = (kind: TokenKind, random: string): Redacted.Redacted => {
  const text = `${kind}_${random}`
  return Redacted.make(text + checksum(text))
}

/** The prefix, 30 random characters, and 6 that check them (contract 4, of API keys). */
export const make = (kind: TokenKind): Redacted.Redacted => token(kind, Ids.random(length))

/** A token of 32 bytes that nobody can guess, after what it begins with. */
export const of = (kind: TokenKind, bytes: Uint8Array, start = ""): Redacted.Redacted => {
  const number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
  let random = start
  for (let rest = number; random.length < length; rest /= 62n) random += Ids.base62(Number(rest % 62n), 1)
  return token(kind, random)
}

/** Whether a text can be a token of the kind at all: told without asking the database. */
export const isWellFormed = (kind: TokenKind, text: string): boolean =>
  text.length === 4 + length + 6 &&
  text.startsWith(`${kind}_`) &&
  /^[0-9A-Za-z]+$/.test(text.slice(4)) &&
  checksum(text.slice(0, -6)) === text.slice(-6)

/** What is stored of a token: its SHA-256 in hex. */
export const digestOf = (text: string): string => hash("sha256", text, "hex")

export const digest = (secret: Redacted.Redacted): string => digestOf(Redacted.value(secret))

/** What an API key is known by once it is no longer shown. */
export const prefixOf = (secret: Redacted.Redacted): string => Redacted.value(secret).slice(0, 12)
