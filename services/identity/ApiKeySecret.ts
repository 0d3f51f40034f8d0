import { Redacted } from "effect"
import { hash } from "node:crypto"
import { crc32 } from "node:zlib"
import * as Ids from "../Ids.ts"

const checksum = (text: string): string => Ids.base62(crc32(text), 6)

/** `sfk_`, 30 random characters, and 6 that check them (contract 4). */
export const newSecret = (): Redacted.Redacted => {
  const text = `sfk_${Ids.random(30)}`
  return Redacted.make(text + checksum(text))
}

/** Whether a text can be a key at all: told without asking the database. */
export const isWellFormed = (secret: string): boolean =>
  /^sfk_[0-9A-Za-z]{36}$/.test(secret) && checksum(secret.slice(0, 34)) === secret.slice(34)

/** What is stored of a secret: its SHA-256 in hex. */
export const digestOf = (secret: string): string => hash("sha256", secret, "hex")

/** What a secret is known by once it is no longer shown. */
export const prefixOf = (secret: Redacted.Redacted): string => Redacted.value(secret).slice(0, 12)
