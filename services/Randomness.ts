import { Context } from "effect"
import { randomFillSync } from "node:crypto"
import { base62, digits, type Id, type Prefix } from "./Ids.ts"

/** The source of secrets, and of ids and other random values that clients see. */
export interface RandomnessShape {
  /** Returns `count` random bytes, in a buffer of their own. */
  readonly bytes: (count: number) => Buffer
  /** Returns `length` random characters of `[0-9A-Za-z]`, each equally likely. */
  readonly text: (length: number) => string
  /**
   * Returns a new identifier. `now` is in milliseconds. The time comes first, so that neighbours in time are neighbours
   * in the index.
   */
  readonly id: <P extends Prefix>(prefix: P, now: number) => Id<P>
  /** Returns a UUID of version 4 (RFC 9562). */
  readonly uuid: () => string
}

/** Bytes that are taken from the source at once, since each call of the system's source costs more than an id. */
const poolLength = 8192

/** Returns the randomness of a source, which fills the whole of a buffer. Equal bytes give equal values. */
export const fromBytes = (fill: (buffer: Buffer) => void): RandomnessShape => {
  const pool = Buffer.allocUnsafeSlow(poolLength)
  let used = pool.length

  const randomByte = (): number => {
    if (used === pool.length) {
      fill(pool)
      used = 0
    }
    return pool[used++]!
  }

  const bytes = (count: number): Buffer => {
    const buffer = Buffer.alloc(count)
    fill(buffer)
    return buffer
  }

  const text = (length: number): string => {
    let text = ""
    while (text.length < length) {
      const byte = randomByte()
      // 248 is the largest multiple of 62 in a byte: larger values would favour the first characters.
      if (byte < 248) text += digits[byte % 62]
    }
    return text
  }

  return {
    bytes,
    text,
    id: (prefix, now) => `${prefix}_${base62(now, 8)}${text(14)}`,
    uuid: () => {
      const value = bytes(16)
      value[6] = (value[6]! & 0x0f) | 0x40
      value[8] = (value[8]! & 0x3f) | 0x80
      return value.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
    }
  }
}

/** The cryptographic randomness of the system. */
export const systemRandomness: RandomnessShape = fromBytes(randomFillSync)

/**
 * The randomness of Sheaf. A test replaces it below the whole App, so that each run makes the same ids and secrets.
 * Values that no client sees, such as names of temporary files, need not come from it.
 */
export const Randomness = Context.Reference<RandomnessShape>("sheaf/Randomness", {
  defaultValue: () => systemRandomness
})
