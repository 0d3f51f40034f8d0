import type { Redacted } from "effect"

/** A store, with the credentials to access it. */
export interface Access {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: Redacted.Redacted
  readonly secretAccessKey: Redacted.Redacted
}

/** A bucket of the store. */
export interface Place extends Access {
  readonly bucket: string
}
