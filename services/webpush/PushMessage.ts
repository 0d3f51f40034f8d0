import { createCipheriv, createECDH, createPrivateKey, type ECDH, ECDH as Curve, hkdfSync, sign } from "node:crypto"
import type { RandomnessShape } from "../Randomness.ts"

/** The keys of a browser: its public key, a point of P-256, and 16 secret bytes (RFC 8291). */
export interface Recipient {
  readonly p256dh: string
  readonly auth: string
}

/** The key pair that identifies this installation to push services (RFC 8292), in base64url. */
export interface VapidPair {
  readonly public_key: string
  readonly private_key: string
}

const curve = "prime256v1"
const recordSize = 4096
const tagLength = 16
const header = 16 + 4 + 1 + 65

/** Maximum bytes of text in a message: push services accept one record of 4096 bytes (RFC 8291, section 4). */
export const messageLength = recordSize - header - tagLength - 1

/** The bytes of base64url or base64, with padding or without; undefined when it is neither. */
const bytesOf = (text: string): Buffer | undefined =>
  /^[0-9A-Za-z_+/-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined

/** Converts a public key to its stored form; undefined when it is no point of the curve. */
export const publicKey = (text: string): string | undefined => {
  const bytes = bytesOf(text)
  if (bytes?.length !== 65 || bytes[0] !== 4) return undefined
  try {
    Curve.convertKey(bytes, curve, undefined, undefined, "uncompressed")
    return bytes.toString("base64url")
  } catch {
    return undefined
  }
}

/** Converts an authentication secret to its stored form; undefined when it is invalid. */
export const authSecret = (text: string): string | undefined => {
  const bytes = bytesOf(text)
  return bytes?.length === 16 ? bytes.toString("base64url") : undefined
}

/** The number of points of the curve. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Makes a key. It is derived from 64 more bits than it has, so that each key is equally likely (FIPS 186-5, A.2.1). */
const makeKey = (randomness: RandomnessShape): ECDH => {
  const number = BigInt(`0x${randomness.bytes(40).toString("hex")}`)
  const key = createECDH(curve)
  key.setPrivateKey(((number % (order - 1n)) + 1n).toString(16).padStart(64, "0"), "hex")
  return key
}

export const makePair = (randomness: RandomnessShape): VapidPair => {
  const ecdh = makeKey(randomness)
  // A key with leading zeros comes shortened.
  const key = Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()]).subarray(-32)
  return { public_key: ecdh.getPublicKey("base64url"), private_key: key.toString("base64url") }
}

const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, length: number) =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length))

/** The random part of each message. */
interface Ephemeral {
  readonly key: ECDH
  readonly salt: Uint8Array
}

export const makeEphemeral = (randomness: RandomnessShape): Ephemeral => ({
  key: makeKey(randomness),
  salt: randomness.bytes(16)
})

/** The body of a push message for one recipient: `aes128gcm` with one record (RFC 8188, RFC 8291). */
export const encrypt = (text: string, recipient: Recipient, { key, salt }: Ephemeral): Buffer => {
  const plain = Buffer.from(text)
  if (plain.length > messageLength) throw new Error(`a push message holds at most ${messageLength} bytes`)
  const theirs = Buffer.from(recipient.p256dh, "base64url")
  const ours = key.getPublicKey()
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours])
  const secret = derive(key.computeSecret(theirs), Buffer.from(recipient.auth, "base64url"), info, 32)
  const cipher = createCipheriv(
    "aes-128-gcm",
    derive(secret, salt, "Content-Encoding: aes128gcm\0", 16),
    derive(secret, salt, "Content-Encoding: nonce\0", 12)
  )
  const size = Buffer.alloc(5)
  size.writeUInt32BE(recordSize)
  size[4] = ours.length
  // 2 ends the last record.
  const content = [cipher.update(plain), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, size, ours, ...content])
}

/** Seconds that a token is valid: push services accept at most a day (RFC 8292, section 2). */
const tokenLife = 12 * 3600

/** The authorization header for the push service of an endpoint. `subject` is the sender's contact. */
export const authorization = (
  endpoint: string,
  { private_key, public_key }: VapidPair,
  subject: string,
  now: number
) => {
  const point = Buffer.from(public_key, "base64url")
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
      d: private_key
    }
  })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + tokenLife, sub: subject }
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")
  return `vapid t=${signed}.${signature}, k=${public_key}`
}
