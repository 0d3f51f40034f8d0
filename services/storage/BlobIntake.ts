import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"
import { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { TooLarge } from "../Errors.ts"
import { type Source, SourceFailed, type Staged } from "./Blobs.ts"

/** So many bytes wait, at most, while as many are being written. */
const ahead = 256 * 1024

const writeAll = async (file: FileHandle, chunks: Array<Uint8Array>, position: number): Promise<void> => {
  while (chunks.length > 0) {
    // A disk that gets full may take the beginning only, and says why at the next try.
    let { bytesWritten } = await file.writev(chunks, position)
    position += bytesWritten
    while (chunks.length > 0 && chunks[0]!.length <= bytesWritten) bytesWritten -= chunks.shift()!.length
    if (bytesWritten > 0) chunks[0] = chunks[0]!.subarray(bytesWritten)
  }
}

/** Counts, hashes and writes; what comes while it writes goes with the next write, all in one. */
class Intake extends Writable {
  size = 0
  /** What it failed with itself, and not its source. */
  failure: Error | undefined
  readonly hash = createHash("sha256")
  private readonly file: FileHandle
  private readonly most: number

  constructor(file: FileHandle, most: number) {
    super({ highWaterMark: ahead })
    this.file = file
    this.most = most
  }

  override _write(chunk: Uint8Array, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.take([chunk], done)
  }

  override _writev(chunks: ReadonlyArray<{ readonly chunk: Uint8Array }>, done: (error?: Error | null) => void): void {
    this.take(
      chunks.map(({ chunk }) => chunk),
      done
    )
  }

  private take(chunks: Array<Uint8Array>, done: (error?: Error | null) => void): void {
    const position = this.size
    for (const chunk of chunks) {
      this.size += chunk.length
      if (this.size > this.most) {
        this.failure = new TooLarge({
          code: "payload_too_large",
          detail: `The file is larger than ${this.most} bytes`,
          extra: { limit_bytes: this.most }
        })
        return done(this.failure)
      }
      this.hash.update(chunk)
    }
    writeAll(this.file, chunks, position).then(
      () => done(),
      (error: Error) => done((this.failure = error))
    )
  }
}

/** The source as a stream whose failure waits until somebody pipes it: one that is read later must not end the process. */
export const opened = (source: Source): Readable =>
  (source instanceof Readable ? source : Readable.from(source, { objectMode: false })).on("error", () => {})

/**
 * Writes a source into a file, as fast as the file takes it. It fails with TooLarge, SourceFailed, what the file system
 * says, or the reason of the signal. A source that hangs is not waited for once the signal came.
 */
export const receive = async (
  source: Readable,
  file: FileHandle,
  most: number,
  signal: AbortSignal
): Promise<Staged> => {
  const intake = new Intake(file, most)
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.aborted ? abort() : signal.addEventListener("abort", abort, { once: true })
  })
  try {
    await Promise.race([pipeline(source, intake, { signal }), aborted])
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw intake.failure ?? new SourceFailed({ cause: error })
  } finally {
    signal.removeEventListener("abort", abort)
  }
  return { size: intake.size, sha256: intake.hash.digest("hex") }
}
