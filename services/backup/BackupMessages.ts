import { received, type Sent, sent } from "../concurrency/SentSecrets.ts"
import type { Address } from "../database/Database.ts"
import type { FileStore } from "../files/FileStore.ts"
import type { Access, Place } from "../files/S3Place.ts"
import type { Attempt } from "./BackupAttempts.ts"

/** A backup or a drill that its schedule begins, when it is due, or an operator. */
interface Begun {
  readonly kind: Attempt["kind"]
  /** The directory, or the s3:// URL without a slash at its end. */
  readonly to: string
  /** Milliseconds from the start of one to the start of the next one. */
  readonly every: number
  /** The time of the node, in Unix milliseconds. */
  readonly now: number
  readonly version: string
}

export interface WantedBackup extends Begun {
  readonly work: "backup"
  readonly configuration: string
  readonly recipients: ReadonlyArray<string>
}

export interface WantedDrill extends Begun {
  readonly work: "drill"
}

/** The data that the thread of a backup or a drill starts with. */
export interface ThreadData {
  readonly wanted: WantedBackup | WantedDrill
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

/** A backup that is complete, or was restored by a drill. */
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
  /** Another process does it, or has done it. */
  | { readonly skipped: true }
  | { readonly failed: string }

/** The only message to the thread: it abandons the work, and ends. */
export type ToThread = "stop"
