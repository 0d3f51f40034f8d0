import { Cause, type Context, Effect, Metric } from "effect"
import { createHash } from "node:crypto"
import { pipeline, Transform } from "node:stream"
import { type BlobKey, Blobs } from "./Blobs.ts"
import type { DiskSpace } from "./DiskSpace.ts"

/** The bytes of a blob do not match its hash. */
export class BlobDamaged extends Error {
  override readonly name = "BlobDamaged"
}

const damagedBlobs = Metric.counter("sheaf_files_damaged_total", {
  description: "Reads of files whose bytes do not match their hash",
  incremental: true
})

/**
 * Passes chunks through, but the last one only after the hash was checked: no client gets the whole of a damaged blob.
 */
class Checking extends Transform {
  readonly #hash = createHash("sha256")
  #held: Uint8Array | undefined
  readonly #sha256: string
  readonly #damaged: () => void

  constructor(sha256: string, damaged: () => void) {
    super()
    this.#sha256 = sha256
    this.#damaged = damaged
  }

  override _transform(chunk: Uint8Array, _: BufferEncoding, done: () => void): void {
    this.#hash.update(chunk)
    if (this.#held !== undefined) this.push(this.#held)
    this.#held = chunk
    done()
  }

  override _flush(done: (error?: Error) => void): void {
    if (this.#hash.digest("hex") !== this.#sha256) {
      this.#damaged()
      return done(new BlobDamaged("the bytes of a file do not match its hash"))
    }
    if (this.#held !== undefined) this.push(this.#held)
    done()
  }
}

const damaged = ({ sha256, workspace_id }: BlobKey) =>
  Effect.andThen(
    Metric.update(damagedBlobs, 1),
    Effect.annotateLogs(Effect.logError("the bytes of a file do not match its hash"), { workspace_id, sha256 })
  )

/**
 * A file store whose whole reads are checked: the stream of a blob that does not match its hash fails with BlobDamaged
 * before its last bytes. Nothing is staged on a full disk.
 */
export const make = (store: Blobs["Service"], { room }: Pick<DiskSpace["Service"], "room">) =>
  Blobs.of({
    ...store,
    stage: (source, name, most, reserved) => Effect.andThen(room, store.stage(source, name, most, reserved)),
    read: (key, range) =>
      range !== undefined
        ? // The range is within the recorded size: outside of the file, the file is too short.
          Effect.onError(store.read(key, range), (cause) =>
            Cause.hasDies(cause) && Cause.squash(cause) instanceof RangeError ? damaged(key) : Effect.void
          )
        : Effect.contextWith((context: Context.Context<never>) =>
            Effect.map(store.read(key), (stream) => {
              const checking = new Checking(key.sha256, () => void Effect.runForkWith(context)(damaged(key)))
              // The stream itself reports a failure to its consumer.
              return pipeline(stream, checking, () => {})
            })
          )
  })
