import type { Readable } from "node:stream"

/** A backup that is being written. Nothing has its name before `commit`. */
export interface Upload {
  /** Receives all bytes: the last step of a pipeline. Called once, before `commit`. */
  readonly receive: (content: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<void>
  /** Gives the backup its name, and returns its size in bytes. */
  readonly commit: () => Promise<number>
  /** Removes what was received. */
  readonly abandon: () => Promise<void>
}

/** The place of one backup: a file, or an object in a bucket. */
export interface BackupPlace {
  /** The path of the file, or the s3:// URL of the object. */
  readonly name: string
  /** The size of the backup in bytes; undefined if there is none. */
  readonly size: () => Promise<number | undefined>
  readonly upload: () => Upload
  /** Returns the bytes. Each call returns those of the same backup. */
  readonly read: () => Readable
  /** Removes the backup, if it exists. */
  readonly remove: () => Promise<void>
  /** Removes what an interrupted upload has left. Afterwards that upload cannot be committed. */
  readonly clean: () => Promise<void>
}
