import { randomFillSync } from "node:crypto"
import { prefixes as resourcePrefixes } from "./Resources.ts"

/** The digits of base 62, in byte order. */
export const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const pool = Buffer.allocUnsafeSlow(8192)
let used = pool.length

const randomByte = (): number => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++]!
}

/** `length` random characters of `[0-9A-Za-z]`, each equally likely. */
export const random = (length: number): string => {
  let text = ""
  while (text.length < length) {
    const byte = randomByte()
    // 248 is the largest multiple of 62 in a byte: larger values would favour the first characters.
    if (byte < 248) text += digits[byte % 62]
  }
  return text
}

/** Returns a whole number in base 62, padded to `width`. In byte order the texts sort as the numbers do. */
export const base62 = (value: number, width: number): string => {
  let text = ""
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = digits[rest % 62] + text
  return text
}

/** Returns the number that `base62` wrote, or -1 if the text is not base 62. */
export const fromBase62 = (text: string): number => {
  let value = 0
  for (const letter of text) {
    const digit = digits.indexOf(letter)
    if (digit < 0) return -1
    value = value * 62 + digit
  }
  return value
}

/** Prefixes of identifiers by kind (contract, Identifier prefixes). */
export const prefixes = {
  ...resourcePrefixes,
  user: "us",
  audit_entry: "al",
  event: "ev",
  delivery: "dl",
  request: "req"
} as const
export type Kind = keyof typeof prefixes
export type Prefix = (typeof prefixes)[Kind]

export const isKind = (name: string): name is Kind => Object.hasOwn(prefixes, name)

/** An identifier of one kind; identifiers of other kinds are not assignable. */
export type Id<P extends Prefix> = `${P}_${string}`
export type WorkspaceId = Id<(typeof prefixes)["workspace"]>
export type UserId = Id<(typeof prefixes)["user"]>

/** Returns a new identifier. The time comes first, so that neighbours in time are neighbours in the index. */
export const make = <P extends Prefix>(prefix: P, now: number): Id<P> => `${prefix}_${base62(now, 8)}${random(14)}`

/** Whether a client may choose this id (contract 6): the prefix and 16–40 of `[0-9A-Za-z_-]`. */
export const isClientMade = <P extends Prefix>(prefix: P, id: string): id is Id<P> =>
  id.startsWith(`${prefix}_`) && /^[0-9A-Za-z_-]{16,40}$/.test(id.slice(prefix.length + 1))
