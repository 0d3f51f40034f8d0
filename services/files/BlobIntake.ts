import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"
import { Readable } from "node:stream"
import { TooLarge } from "../Errors.ts"
import { Incoming, type Room, type Source, SourceFailed, type Staged } from "./Blobs.ts"
import { giveBack } from "./GiveBack.ts"

/** So many bytes wait, at most, while as many are being written. */
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
    // A disk that gets full may take the beginning only, and says why at the next try.
    let { bytesWritten } = await file.writev(chunks, position)
    position += bytesWritten
    while (chunks.length > 0 && chunks[0]!.length <= bytesWritten) bytesWritten -= chunks.shift()!.length
    if (bytesWritten > 0) chunks[0] = chunks[0]!.subarray(bytesWritten)
  }
}

/** A source as a stream whose failure waits until somebody reads it: one that is read later must not end the process. */
export interface Opened {
  readonly stream: Readable
  /** Whether nobody else has its chunks. */
  readonly isOurs: boolean
  /** Lets go of what is not read of it. */
  readonly end: () => void
}

export const opened = (source: Source): Opened => {
  if (source instanceof Incoming) return { stream: source.stream, isOurs: true, end: () => {} }
  const stream = source instanceof Readable ? source : Readable.from(source, { objectMode: false })
  stream.on("error", () => {})
  return { stream, isOurs: false, end: () => void stream.destroy() }
}

/**
 * Counts, hashes and writes a source into a file, as fast as the file takes it; what comes while it writes goes with the
 * next write, all in one. It fails with TooLarge, SourceFailed, what the file system says, or the reason of the signal. A
 * source that hangs is not waited for once the signal came.
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
  let goOn = () => {}
  const fail = (error: unknown) => {
    failure ??= error
    // At once: a source that need not wait for anything would leave nobody else a turn.
    stream.pause()
    goOn()
  }
  const listeners = {
    data: (chunk: Uint8Array) => {
      size += chunk.length
      if (size > most) return fail(tooLarge(most))
      hash.update(chunk)
      waiting.push(chunk)
      bytes += chunk.length
      if (bytes >= ahead) stream.pause()
      goOn()
    },
    end: () => {
      isEnded = true
      goOn()
    },
    error: (cause: Error) => fail(new SourceFailed({ cause })),
    close: () => {
      if (!isEnded) fail(new SourceFailed({ cause: stream.errored ?? new Error("it ended before its time") }))
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
        await new Promise<void>((resolve) => (goOn = resolve))
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
      if (isOurs) for (const chunk of chunks) giveBack(chunk)
    }
    if (failure !== undefined) throw failure
    return { size, sha256: hash.digest("hex") }
  } finally {
    signal.removeEventListener("abort", abort)
    for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener)
    stream.pause()
  }
}
