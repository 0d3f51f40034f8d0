import { Context, Data, type Effect } from "effect"
import type { Readable } from "node:stream"
import { type Forbidden, type TooLarge, Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"

/** The bytes of a file, by what they are: a workspace holds the same bytes once. */
export interface BlobKey {
  readonly workspace_id: string
  /** In lower-case hexadecimal. */
  readonly sha256: string
}

/** What was taken in, counted and hashed on its way. */
export interface Staged {
  readonly size: number
  readonly sha256: string
}

/** The first and the last byte, both included; they must lie within the blob. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The body of a request: it is read no further than it is wanted, and not destroyed, as its socket is needed for the answer. */
export class Incoming implements AsyncIterable<Uint8Array> {
  /** Nobody else reads it, and nobody else has its chunks. */
  readonly stream: Readable
  /** Its length in bytes, where its head says it. */
  readonly length: number | undefined

  constructor(stream: Readable, length?: number) {
    this.stream = stream
    this.length = length
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.stream.iterator({ destroyOnReturn: false })
  }
}

/** Resolves once a file may have this number of bytes; rejects with Forbidden or Unavailable where it may not. */
export type Room = (bytes: number) => Promise<void>

export type Source = Readable | Incoming | AsyncIterable<Uint8Array>

/** The source failed, or ended before its time: a client that hung up. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{ readonly cause: unknown }> {}

/** Nothing of this content is staged by this name, and no blob has it either. */
export class NotStaged extends Data.TaggedError("NotStaged")<{ readonly name: string }> {}

/** No blob has this key. */
export class BlobMissing extends Data.TaggedError("BlobMissing")<{ readonly key: BlobKey }> {}

/** Why files can be neither taken nor given. `reason` names the variable to look at, and no secret or path. */
export class FilesAway extends Data.TaggedError("FilesAway")<{ readonly reason: string }> {}

export const unavailable = new Unavailable({
  code: "service_unavailable",
  detail: "The files cannot be reached",
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
  /** When its time begins. The same moment gives the same URL, which caches then know again. */
  readonly at: Date
}

/** What a store offers that clients reach themselves, so that their bytes do not pass through Sheaf. */
export interface Direct {
  /** Where the bytes are sent by PUT, with these headers. Neither other headers nor another length are taken. */
  readonly uploadUrl: (upload: Upload) => Effect.Effect<{
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
  }>
  /** Looks at what came. Only what is right is staged from then on, and whatever the client sends later does not change it. */
  readonly staged: (
    name: string,
    expected: Staged
  ) => Effect.Effect<"ok" | "missing" | "wrong_size" | "wrong_hash", Unavailable>
  readonly downloadUrl: (key: BlobKey, download: Download) => Effect.Effect<string>
}

/**
 * Where the bytes of files are kept. They are staged first, under a name of the caller's, and kept once the caller knows
 * what they are and that they may stay. What is staged is found by name and hash: nothing is ever kept under a hash that
 * is not its own, however many send to one name at once.
 */
export class Blobs extends Context.Service<
  Blobs,
  {
    /**
     * Takes in a source of at most so many bytes. Once it answers, they are written; once `keep` does, they outlive a
     * crash of the machine. `room` is asked before bytes are written. A failure or an interruption leaves nothing. A Readable that is not read to its end is destroyed.
     */
    readonly stage: (
      source: Source,
      name: string,
      most: number,
      room?: Room
    ) => Effect.Effect<Staged, Forbidden | TooLarge | Unavailable | SourceFailed>
    /**
     * Makes what is staged the content of the key, at once or not at all, and it is staged no more. Done again, also after a
     * crash, it changes nothing.
     */
    readonly keep: (name: string, key: BlobKey) => Effect.Effect<void, NotStaged | Unavailable>
    /** Forgets all that is staged by the name, if there is any. */
    readonly discard: (name: string) => Effect.Effect<void, Unavailable>
    /**
     * It is open, and its first byte on the way, when this answers. Whoever asks must destroy it or read it to its end, and
     * so asks where no interruption comes between: in `Effect.acquireRelease`, or uninterruptibly. Its chunks are the
     * reader's own.
     */
    readonly read: (key: BlobKey, range?: ByteRange) => Effect.Effect<Readable, BlobMissing | Unavailable>
    readonly stat: (key: BlobKey) => Effect.Effect<{ readonly size: number } | undefined, Unavailable>
    /** Removes the blob, if there is one. */
    readonly remove: (key: BlobKey) => Effect.Effect<void, Unavailable>
    /** Forgets what was staged longer ago: of some names a call, in turns. Answers how many names it cleaned. */
    readonly sweep: (olderThanMs: number) => Effect.Effect<number, Unavailable>
    /** Whether files can be taken and given now. */
    readonly ready: Effect.Effect<void, FilesAway>
    readonly direct: Direct | undefined
  }
>()("sheaf/files/Blobs") {}

/** So many names one sweep looks at. */
export const sweptAtOnce = 1_000

/** Paths and object keys are made of these alone: whatever else comes here is a mistake of the caller, and leads nowhere. */
export const checkedName = (name: string): string => {
  if (!/^[a-z]{2,3}_[0-9A-Za-z]{16,40}$/.test(name)) throw new RangeError("no name of something staged")
  return name
}

export const blobPath = ({ sha256, workspace_id }: BlobKey): string => {
  if (!Ids.isClientMade(Ids.prefixes.workspace, workspace_id)) throw new RangeError("no id of a workspace")
  return `${workspace_id}/${checkedHash(sha256).slice(0, 2)}/${sha256}`
}

export const checkedHash = (sha256: string): string => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError("no SHA-256")
  return sha256
}
