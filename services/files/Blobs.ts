import { Context, Data, type Effect } from "effect"
import type { Readable } from "node:stream"
import { type Forbidden, type TooLarge, Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"

/** The bytes of a file, by their hash: a workspace stores the same bytes once. */
export interface BlobKey {
  readonly workspace_id: string
  /** In lower-case hexadecimal. */
  readonly sha256: string
}

/** Bytes that were received, with their count and hash. */
export interface Staged {
  readonly size: number
  readonly sha256: string
}

/** The first and the last byte, both included; they must lie within the blob. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The body of a request: read only as far as needed, and not destroyed, since its socket is needed for the response.
 */
export class Incoming implements AsyncIterable<Uint8Array> {
  /** No other code reads it or holds its chunks. */
  readonly stream: Readable
  /** Its length in bytes, if a header states it. */
  readonly length: number | undefined

  constructor(stream: Readable, length?: number) {
    this.stream = stream
    this.length = length
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.stream.iterator({ destroyOnReturn: false })
  }
}

/** Resolves once a file may have this number of bytes; rejects with Forbidden or Unavailable if it may not. */
export type Room = (bytes: number) => Promise<void>

export type Source = Readable | Incoming | AsyncIterable<Uint8Array>

/** The source failed or ended early: for example, the client hung up. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{ readonly cause: unknown }> {}

/** No bytes with this hash are staged under this name, and no blob has them either. */
export class NotStaged extends Data.TaggedError("NotStaged")<{ readonly name: string }> {}

/** No blob has this key. */
export class BlobMissing extends Data.TaggedError("BlobMissing")<{ readonly key: BlobKey }> {}

/** Files can be neither stored nor read. `reason` names the variable to check, and no secret or path. */
export class FileStoreUnreachable extends Data.TaggedError("FileStoreUnreachable")<{ readonly reason: string }> {}

export const unavailable = new Unavailable({
  code: "service_unavailable",
  detail: "The file store cannot be reached",
  retry_after: 5
})

export interface Upload extends Staged {
  readonly name: string
  readonly content_type: string
  readonly expires_in_seconds: number
}

export interface Download {
  readonly content_type: string
  readonly content_disposition: string
  readonly expires_in_seconds: number
  /** When its validity begins. The same time gives the same URL, which caches can reuse. */
  readonly at: Date
}

/** Operations of a store that clients access directly, so that their bytes do not pass through Sheaf. */
export interface Direct {
  /**
   * Where the client sends the bytes by PUT, with these headers. The store refuses other headers and another length.
   */
  readonly uploadUrl: (upload: Upload) => Effect.Effect<{
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
  }>
  /** Checks what the client sent. Only correct bytes become staged, and later uploads do not change them. */
  readonly staged: (
    name: string,
    expected: Staged
  ) => Effect.Effect<"ok" | "missing" | "wrong_size" | "wrong_hash", Unavailable>
  readonly downloadUrl: (key: BlobKey, download: Download) => Effect.Effect<string>
  /** The origin of these addresses. */
  readonly origin: Effect.Effect<string>
}

/**
 * The store for the bytes of files. They are first staged under a name that the caller chooses, and kept once the
 * caller has their hash and permission to keep them. Staged bytes are found by name and hash, so that bytes are never
 * kept under a wrong hash, however many clients send to one name at the same time.
 */
export class Blobs extends Context.Service<
  Blobs,
  {
    /**
     * Stages a source of at most `most` bytes. They are written when it returns, and survive a crash of the machine
     * once `keep` returns. `room` is called before bytes are written. A failure or an interruption leaves nothing
     * behind. A Readable that is not read to its end is destroyed.
     */
    readonly stage: (
      source: Source,
      name: string,
      most: number,
      room?: Room
    ) => Effect.Effect<Staged, Forbidden | TooLarge | Unavailable | SourceFailed>
    /**
     * Moves staged bytes to the key, atomically. A repetition changes nothing, also after a crash.
     */
    readonly keep: (name: string, key: BlobKey) => Effect.Effect<void, NotStaged | Unavailable>
    /** Deletes everything that is staged under the name. */
    readonly discard: (name: string) => Effect.Effect<void, Unavailable>
    /**
     * Opens a blob: it returns once the first byte is on its way. The caller must destroy the stream or read it to its
     * end, so it must not be interrupted in between: it calls this in `Effect.acquireRelease`, or uninterruptibly. No
     * other code holds the chunks.
     */
    readonly read: (key: BlobKey, range?: ByteRange) => Effect.Effect<Readable, BlobMissing | Unavailable>
    readonly stat: (key: BlobKey) => Effect.Effect<{ readonly size: number } | undefined, Unavailable>
    /** Removes the blob, if there is one. */
    readonly remove: (key: BlobKey) => Effect.Effect<void, Unavailable>
    /**
     * Deletes what was staged longer ago, for some names per call, in turn. Returns the number of names that had any.
     */
    readonly sweep: (olderThanMs: number) => Effect.Effect<number, Unavailable>
    /** Fails unless files can be stored and read now. */
    readonly ready: Effect.Effect<void, FileStoreUnreachable>
    readonly direct: Direct | undefined
  }
>()("sheaf/files/Blobs") {}

/** Maximum number of names that one sweep checks. */
export const sweptAtOnce = 1_000

/**
 * Paths and object keys are made only of checked names and hashes. Throws for others: they are a mistake of the caller.
 */
export const checkedName = (name: string): string => {
  if (!/^[a-z]{2,3}_[0-9A-Za-z]{16,40}$/.test(name)) throw new RangeError("not a name of staged bytes")
  return name
}

export const blobPath = ({ sha256, workspace_id }: BlobKey): string => {
  if (!Ids.isClientMade(Ids.prefixes.workspace, workspace_id)) throw new RangeError("not an id of a workspace")
  return `${workspace_id}/${checkedHash(sha256).slice(0, 2)}/${sha256}`
}

export const checkedHash = (sha256: string): string => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError("not a SHA-256")
  return sha256
}
