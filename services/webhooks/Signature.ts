import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto"

/** Standard Webhooks 1.0: how secrets look, and what is signed. */

const prefix = "whsec_"
const least = 24
const most = 64

/** The key in a secret: `whsec_` and 24 to 64 bytes in base64; undefined when it is none. */
export const keyOf = (secret: string): Uint8Array | undefined => {
  if (!secret.startsWith(prefix)) return undefined
  const text = secret.slice(prefix.length)
  const key = Buffer.from(text, "base64")
  // Whatever else would be read as the same bytes is none.
  return key.length >= least && key.length <= most && key.toString("base64") === text ? key : undefined
}

export const makeSecret = (): string => prefix + randomBytes(32).toString("base64")

/** What signs with a secret: made once, as making it costs more than a signature. */
export const signerOf = (secret: string): KeyObject => {
  const key = keyOf(secret)
  if (key === undefined) throw new Error("a stored secret is none")
  return createSecretKey(key)
}

/** The header `webhook-signature`: one signature by each key, the newest first. */
export const signatureOf = (
  signers: ReadonlyArray<KeyObject>,
  id: string,
  seconds: number,
  body: string | Uint8Array
): string =>
  signers
    .map((signer) => `v1,${createHmac("sha256", signer).update(`${id}.${seconds}.`).update(body).digest("base64")}`)
    .join(" ")
