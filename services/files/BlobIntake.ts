import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"
import { Readable } from "node:stream"
import { TooLarge } from "../Errors.ts"
import { Incoming, type Room, type Source, SourceFailed, type Staged } from "./Blobs.ts"
import { freeBuffer } from "./FreeBuffer.ts"

/** Number of waiting bytes at which a source is paused, while as many may be being written. */
const ahead = 256 * 1024

const tooLarge = (most: number) =>
  new TooLarge({
    code: "payload_too_large",
    detail: `The file is larger than ${most} bytes`,
    extra: { limit_bytes: most }
  })

const writeAll = async (file: FileHandle, all: ReadonlyArray<Uint8Array>, position: number): Promise<void> => {
  const chunks = [...all]
  while (chunks.length > 0) {
    // A disk that gets full may write only the beginning; the next write reports the reason.
    let { bytesWritten } = await file.writev(chunks, position)
    position += bytesWritten
    while (chunks.length > 0 && chunks[0]!.length <= bytesWritten) bytesWritten -= chunks.shift()!.length
    if (bytesWritten > 0) chunks[0] = chunks[0]!.subarray(bytesWritten)
  }
}

/** A source as a stream with an error listener: a failure before the stream is read must not end the process. */
export interface Opened {
  readonly stream: Readable
  /** Whether no other code holds its chunks. */
  readonly isOurs: boolean
  /** Releases the part that was not read. */
  readonly end: () => void
}

export const opened = (source: Source): Opened => {
  if (source instanceof Incoming) return { stream: source.stream, isOurs: true, end: () => {} }
  const stream = source instanceof Readable ? source : Readable.from(source, { objectMode: false })
  stream.on("error", () => {})
  return { stream, isOurs: false, end: () => void stream.destroy() }
}

/**
 * Counts, hashes and writes a source to a file, as fast as the file takes it; chunks that arrive during a write go into
 * the next one together. Fails with TooLarge, SourceFailed, an error of the file system, or the reason of the signal.
 * After the signal it does not wait for a source that hangs.
 */
export const receive = async (
  { isOurs, stream }: Opened,
  file: FileHandle,
  most: number,
  signal: AbortSignal,
  room: Room = async () => {}
): Promise<Staged> => {
  const hash = createHash("sha256")
  let size = 0
  let waiting: Array<Uint8Array> = []
  let bytes = 0
  let isEnded = false
  let failure: unknown
  let wake = () => {}
  const fail = (error: unknown) => {
    failure ??= error
    // Immediately: a source that never has to wait would block the event loop.
    stream.pause()
    wake()
  }
  const listeners = {
    data: (chunk: Uint8Array) => {
      size += chunk.length
      if (size > most) return fail(tooLarge(most))
      hash.update(chunk)
      waiting.push(chunk)
      bytes += chunk.length
      if (bytes >= ahead) stream.pause()
      wake()
    },
    end: () => {
      isEnded = true
      wake()
    },
    error: (cause: Error) => fail(new SourceFailed({ cause })),
    close: () => {
      if (!isEnded) fail(new SourceFailed({ cause: stream.errored ?? new Error("it ended early") }))
    }
  }
  const abort = () => fail(signal.reason)
  signal.addEventListener("abort", abort)
  if (signal.aborted) abort()
  if (stream.closed) listeners.close()
  for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener)
  let position = 0
  try {
    while (failure === undefined && !(isEnded && bytes === 0)) {
      if (bytes === 0) {
        await new Promise<void>((resolve) => (wake = resolve))
        continue
      }
      const chunks = waiting
      const start = position
      position += bytes
      waiting = []
      bytes = 0
      stream.resume()
      await room(position)
      await writeAll(file, chunks, start)
      if (isOurs) for (const chunk of chunks) freeBuffer(chunk)
    }
    if (failure !== undefined) throw failure
    return { size, sha256: hash.digest("hex") }
  } finally {
    signal.removeEventListener("abort", abort)
    for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener)
    stream.pause()
  }
}
