import { received, type Sent, sent } from "../concurrency/SentSecrets.ts"
import type { Address } from "../database/Database.ts"
import type { FileStore } from "../files/FileStore.ts"
import type { Access, Place } from "../files/S3Place.ts"
import type { Attempt } from "./BackupAttempts.ts"
import type { Timing } from "./BackupState.ts"

/** A backup that the schedule begins, when it is due, or an operator. */
export interface Wanted {
  readonly kind: Attempt["kind"]
  readonly timing: Timing
  /** The time of the node, in Unix milliseconds. */
  readonly now: number
  readonly version: string
  readonly configuration: string
  readonly recipients: ReadonlyArray<string>
}

/** The data that the thread of a backup starts with. */
export interface ThreadData {
  readonly wanted: Wanted
  readonly address: Sent<Address>
  readonly access: Sent<Access> | undefined
  readonly files: { readonly dataDir: string; readonly s3: Sent<Place> | undefined }
}

export interface Places {
  readonly address: Address
  readonly access: Access | undefined
  readonly files: FileStore
}

/** The places as they are sent to a thread. */
export const placesSent = ({ access, address, files }: Places): Omit<ThreadData, "wanted"> => ({
  address: sent(address),
  access: access && sent(access),
  files: { dataDir: files.dataDir, s3: files.s3 && sent(files.s3) }
})

const accessSecrets = ["accessKeyId", "secretAccessKey"]

/** The places as a thread uses them. */
export const placesReceived = ({ access, address, files }: Omit<ThreadData, "wanted">): Places => ({
  address: received<Address>(address, ["url"]),
  access: access && received<Access>(access, accessSecrets),
  files: { dataDir: files.dataDir, s3: files.s3 && received<Place>(files.s3, accessSecrets) }
})

/** A backup that is complete. */
export interface Made {
  readonly file: string
  readonly bytes: number
  /** Number of files without their bytes, because they are missing or damaged. */
  readonly leftOut: number
}

/** Messages to the main loop. One of the last three is the last one. */
export type FromThread =
  | { readonly warning: string }
  | { readonly made: Made }
  /** Another process makes the backup, or has made it. */
  | { readonly skipped: true }
  | { readonly failed: string }

/** The only message to the thread: it abandons the backup, and ends. */
export type ToThread = "stop"
