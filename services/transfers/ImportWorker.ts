import { isMainThread, MessageChannel, type MessagePort, parentPort, workerData } from "node:worker_threads"
import { ConvertThread } from "./ConvertThread.ts"
import type { ImportData, Said, Sent } from "./ImportMessages.ts"
import { ImportNames } from "./ImportNames.ts"
import { Damaged, type FileItem, type Item, problem } from "./Item.ts"
import { sendAll } from "./PortStream.ts"
import { read } from "./Read.ts"

/** The thread that reads the file of one import (`ImportThread`): some items at a time, the next ones ahead. */

/** What is written in one commit: no more than others may wait for. */
const batchItems = 100
const batchChars = 256 * 1024
/** Of files that go along with their batch. */
const batchBytes = 4 * 1024 * 1024
const smallFile = 256 * 1024

interface Batch {
  readonly items: Array<Sent>
  readonly ports: Array<MessagePort>
  readonly progress: number
}

const small = async (file: FileItem): Promise<Sent> => {
  const { open, ...said } = file
  const chunks: Array<Uint8Array> = []
  try {
    for await (const chunk of open()) chunks.push(chunk)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return problem(file.path, error.code, error.message)
  }
  // A copy of its own, which can be handed over.
  return { ...said, bytes: new Uint8Array(Buffer.concat(chunks)) }
}

async function* batchesOf(items: AsyncIterable<Item>): AsyncGenerator<Batch> {
  let batch: Array<Sent> = []
  let chars = 0
  let bytes = 0
  let progress = 0
  const cut = (ports: Array<MessagePort> = []): Batch => {
    const made = { items: batch, ports, progress }
    batch = []
    chars = 0
    bytes = 0
    return made
  }
  for await (const item of items) {
    if (item.type === "note") {
      if (batch.length > 0 && chars + item.body.length > batchChars) yield cut()
      progress = item.progress
      chars += item.body.length
      batch.push(item)
    } else if (item.type === "problem") {
      batch.push(item)
    } else if (item.size <= smallFile) {
      if (bytes + item.size > batchBytes) yield cut()
      bytes += item.size
      batch.push(await small(item))
    } else {
      const { open, ...said } = item
      const { port1, port2 } = new MessageChannel()
      batch.push({ ...said, bytes: port2 })
      yield cut([port2])
      let failure: unknown
      async function* content() {
        try {
          yield* open()
        } catch (error) {
          failure = error
          throw error
        }
      }
      await sendAll(port1, content())
      if (failure instanceof Damaged) batch.push(problem(item.path, failure.code, failure.message))
      else if (failure !== undefined) throw failure
    }
    if (batch.length >= batchItems) yield cut()
  }
  if (batch.length > 0) yield cut()
}

const serve = (parent: MessagePort, { created_at, filename, import_id, now, path, scratch, source }: ImportData) => {
  const thread = new ConvertThread()
  const names = new ImportNames(import_id, created_at)
  const items = read(path, { source, filename, names, scratch, now: new Date(now), convert: thread.convert })
  const batches = batchesOf(items)
  const tell = (said: Said, moved: ReadonlyArray<MessagePort | ArrayBuffer> = []) =>
    parent.postMessage(said, [...moved])

  const next = async (): Promise<IteratorResult<Batch, void>> => {
    try {
      return await batches.next()
    } catch (error) {
      await thread.end()
      throw error
    }
  }
  let ahead = next()
  // It is awaited when it is asked for.
  ahead.catch(() => {})

  const answer = async () => {
    try {
      const { done, value } = await ahead
      if (done === true) {
        await thread.end()
        tell({ ended: true })
        return parent.close()
      }
      const { items, ports, progress } = value
      const buffers = items.flatMap((item) =>
        item.type === "file" && item.bytes instanceof Uint8Array ? [item.bytes.buffer as ArrayBuffer] : []
      )
      tell({ items, progress }, [...ports, ...buffers])
      ahead = next()
      ahead.catch(() => {})
    } catch (error) {
      tell({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
      parent.close()
    }
  }
  parent.on("message", () => void answer())
}

if (!isMainThread && parentPort !== null) serve(parentPort, workerData as ImportData)
