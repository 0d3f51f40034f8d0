import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from "node:crypto"

const hkdf = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, length: number) =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length))

/** Decrypts a message of RFC 8188 with one record; its keys are derived as in RFC 8291. */
export const decrypt = (body: Uint8Array, ecdh: ECDH, auth: Uint8Array): string => {
  const bytes = Buffer.from(body)
  const [salt, size, length] = [bytes.subarray(0, 16), bytes.readUInt32BE(16), bytes[20]!]
  const sender = bytes.subarray(21, 21 + length)
  const record = bytes.subarray(21 + length)
  if (bytes.length > size) throw new Error("there is more than one record")
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), sender])
  const secret = hkdf(ecdh.computeSecret(sender), auth, info, 32)
  const key = hkdf(secret, salt, "Content-Encoding: aes128gcm\0", 16)
  const decipher = createDecipheriv("aes-128-gcm", key, hkdf(secret, salt, "Content-Encoding: nonce\0", 12))
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error("the record is not the last")
  return padded.subarray(0, end).toString()
}

/** A subscription as a browser makes it (`PushSubscription.toJSON()`): the body of `PUT /sync/devices/{id}/push`. */
export interface TestSubscription {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** Browsers that are subscribed to Web Push. Their push service is part of the kit, and its messages can be read. */
export class PushDevices {
  readonly #devices = new Map<string, { readonly ecdh: ECDH; readonly auth: Uint8Array }>()

  subscribe(): TestSubscription {
    const ecdh = createECDH("prime256v1")
    const p256dh = ecdh.generateKeys("base64url")
    const auth = randomBytes(16)
    const endpoint = `https://push.example/${randomBytes(9).toString("base64url")}`
    this.#devices.set(endpoint, { ecdh, auth })
    return { endpoint, keys: { p256dh, auth: auth.toString("base64url") } }
  }

  /** The payload of a message; undefined if its endpoint is not one of these. */
  read(endpoint: string, body: Uint8Array): unknown {
    const device = this.#devices.get(endpoint)
    return device === undefined ? undefined : JSON.parse(decrypt(body, device.ecdh, device.auth))
  }
}
