import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import type { RandomnessShape } from "../Randomness.ts"

/** Secrets and signatures by Standard Webhooks 1.0. */

const prefix = "whsec_"
const least = 24
const most = 64

/** Returns the key of a secret: `whsec_` and 24 to 64 bytes in base64; undefined if it is not valid. */
export const keyOf = (secret: string): Uint8Array | undefined => {
  if (!secret.startsWith(prefix)) return undefined
  const text = secret.slice(prefix.length)
  const key = Buffer.from(text, "base64")
  // Only the canonical base64 of the bytes is valid.
  return key.length >= least && key.length <= most && key.toString("base64") === text ? key : undefined
}

export const makeSecret = (randomness: RandomnessShape): string => prefix + randomness.bytes(32).toString("base64")

/** Returns the key object of a secret. Callers keep it, because creating it costs more than a signature. */
export const signerOf = (secret: string): KeyObject => {
  const key = keyOf(secret)
  if (key === undefined) throw new Error("a stored webhook secret is not valid")
  return createSecretKey(key)
}

/** Returns the header `webhook-signature`: one signature by each key, the newest first. */
export const signatureOf = (
  signers: ReadonlyArray<KeyObject>,
  id: string,
  seconds: number,
  body: string | Uint8Array
): string =>
  signers
    .map((signer) => `v1,${createHmac("sha256", signer).update(`${id}.${seconds}.`).update(body).digest("base64")}`)
    .join(" ")
