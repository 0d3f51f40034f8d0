import type { KeyObject } from "node:crypto"
import type { Secrets } from "../secrets/Secrets.ts"
import { signerOf } from "./Signature.ts"

/**
 * Stored secrets of webhooks, encrypted with the SECRET_KEY: the current one, and for a day the previous one.
 * `Signature.ts` has their format and signs with them.
 */

export interface Sealed {
  readonly secret: string
  readonly previous_secret: string | null
}

/** Returns the secrets of a webhook; none if the current one was encrypted with an unknown SECRET_KEY. */
export const openAll = (secrets: Secrets["Service"], { previous_secret, secret }: Sealed): ReadonlyArray<string> => {
  const present = secrets.open("webhook", secret)
  if (present === undefined) return []
  // A previous secret that cannot be decrypted is not used.
  const previous = previous_secret === null ? undefined : secrets.open("webhook", previous_secret)
  return previous === undefined ? [present] : [present, previous]
}

/** Returns the keys that sign for a webhook. */
export const signersOf = (secrets: Secrets["Service"], sealed: Sealed): ReadonlyArray<KeyObject> =>
  openAll(secrets, sealed).map(signerOf)
