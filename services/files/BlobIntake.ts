import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"
import { Readable } from "node:stream"
import { Forbidden, TooLarge, Unavailable } from "../Errors.ts"
import { abortable, expecting } from "./Abortable.ts"
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

/** Takes chunks that follow each other, from a position on. */
type Write = (chunks: ReadonlyArray<Uint8Array>, position: number) => Promise<void>

export const writeTo =
  (file: FileHandle): Write =>
  async (all, position) => {
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
 * Counts, hashes and writes a source, as fast as `write` takes it; chunks that arrive during a write go into the next one
 * together. Fails with TooLarge, SourceFailed, an error of `write`, or the reason of the signal. After the signal it does
 * not wait for a source that hangs.
 */
export const receive = async (
  { isOurs, stream }: Opened,
  write: Write,
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
      await write(chunks, start)
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

/** Counts and hashes a source without storing it. */
export const count = (
  source: Source,
  most: number,
  room: Room
): Effect.Effect<Staged, Forbidden | TooLarge | Unavailable | SourceFailed> =>
  abortable(
    async (signal) => {
      const from = opened(source)
      try {
        return await receive(from, async () => {}, most, signal, room)
      } catch (error) {
        from.end()
        throw error
      }
    },
    expecting([Forbidden, TooLarge, Unavailable, SourceFailed], (error) => Effect.die(error))
  )
