import { isMainThread, MessageChannel, type MessagePort, workerData } from "node:worker_threads"
import { beginGuarded } from "../../concurrency/WorkerModule.ts"
import type { Convert } from "../formats/Convert.ts"
import { ConvertThread } from "./ConvertThread.ts"
import type { ImportData, KnownFile, Reply, Request, Sent } from "./ImportMessages.ts"
import { type EarlierNote, EarlierNotes, type FindEarlier } from "../formats/EarlierNotes.ts"
import { ImportNames } from "./ImportNames.ts"
import { Damaged, type FileItem, type Item, limits, type Names, problem } from "../formats/Item.ts"
import type { JsonItem } from "./JsonReader.ts"
import type { PartRecord, RecordItem } from "./JsonRecords.ts"
import { sendAll } from "../PortStream.ts"
import { read } from "../formats/FileReader.ts"

/** The thread that reads the file of one import (`ImportThread`): in batches, the next one in advance. */

/** Maximum number of items and of characters per commit, so that other writes do not wait long. */
const batchItems = 100
/** Maximum number of items of the first commit, which users wait for; the next ones have more. */
const firstItems = 10
const batchChars = 256 * 1024
/** Maximum bytes of the small files in a batch, and of each of them. */
const batchBytes = 4 * 1024 * 1024
const smallFile = 256 * 1024

/** Minimum progress that is reported without notes. */
const progressStep = 0.02

interface Batch {
  readonly items: Array<Sent>
  readonly ports: Array<MessagePort>
  readonly progress: number
}

interface ReadFile extends KnownFile {
  readonly open: FileItem["open"]
}

const small = async ({ open, ...file }: ReadFile): Promise<Sent> => {
  const chunks: Array<Uint8Array> = []
  try {
    for await (const chunk of open()) chunks.push(chunk)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return problem(file.path, error.code, error.message)
  }
  // A copy, because its buffer is transferred to the other thread.
  return { ...file, bytes: new Uint8Array(Buffer.concat(chunks)) }
}

const textIn = (record: PartRecord, member: string): string => (record as object as Record<string, string>)[member]!

/** Estimated number of characters to write for a record. */
const charsOf = (item: RecordItem): number => {
  if (item.type === "whole_note" || item.type === "versions") {
    const own = item.type === "whole_note" ? item.record.body.length : 0
    return item.versions.reduce((sum, { body }) => sum + (body?.length ?? 0), own)
  }
  if (item.type === "part") return item.texts.reduce((sum, text) => sum + textIn(item.record, text).length, 0)
  return "body" in item.record ? (item.record.body?.length ?? 0) : 0
}

/** Returns an attachment of an export in the form of other files. */
const fileOf = ({ file, into, note_id, record }: Extract<JsonItem, { type: "attached" }>): KnownFile => {
  const { content_type, created_at, filename, id, sha256, size } = record
  return {
    type: "file",
    path: file,
    uses: [{ key: id, note: note_id, ...(into === undefined ? {} : { note_id: into }) }],
    filename,
    size,
    sha256,
    created_at,
    ...(content_type === undefined ? {} : { content_type })
  }
}

async function* batchesOf(items: AsyncIterable<Item | JsonItem>, decided: Promise<unknown>): AsyncGenerator<Batch> {
  let batch: Array<Sent> = []
  let chars = 0
  let bytes = 0
  let progress = 0
  let most = firstItems
  const cut = (ports: Array<MessagePort> = []): Batch => {
    const made = { items: batch, ports, progress }
    batch = []
    chars = 0
    bytes = 0
    return made
  }
  async function* file(read: ReadFile) {
    if (read.size <= smallFile) {
      if (bytes + read.size > batchBytes) yield cut()
      bytes += read.size
      batch.push(await small(read))
      return
    }
    const { open, ...file } = read
    const { port1, port2 } = new MessageChannel()
    batch.push({ ...file, bytes: port2 })
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
    if (failure instanceof Damaged) batch.push(problem(file.path, failure.code, failure.message))
    else if (failure !== undefined) throw failure
  }
  for await (const item of items) {
    if (item.type === "progress") {
      if (item.progress < progress + progressStep) continue
      progress = item.progress
      yield cut()
    } else if (item.type === "file") yield* file(item)
    else if (item.type === "attached") {
      const known = fileOf(item)
      if (item.open === undefined) batch.push({ ...known, bytes: undefined })
      else yield* file({ ...known, open: item.open })
    } else {
      const own =
        item.type === "note" ? item.body.length : "file" in item && item.type !== "problem" ? charsOf(item) : 0
      if (batch.length > 0 && chars + own > batchChars) yield cut()
      if ("progress" in item) progress = Math.max(progress, item.progress)
      chars += own
      batch.push(item)
      if (item.type === "decide") {
        yield cut()
        await decided
      }
    }
    if (batch.length >= most) {
      yield cut()
      most = Math.min(batchItems, 2 * most)
    }
  }
  if (batch.length > 0) yield cut()
}

/** Replaces the ids in links of an export whose records get new ids. */
async function* relinked(items: AsyncIterable<JsonItem>, names: () => Names | undefined): AsyncGenerator<JsonItem> {
  const inside = new Set<string>()
  const text = (body: string): string => {
    const ids = names()
    if (ids === undefined || !/note:nt_|attachment:at_/.test(body)) return body
    return body
      .replaceAll(/\bnote:(nt_[0-9A-Za-z_-]{16,40})/g, (link, id: string) =>
        inside.has(id) ? `note:${ids.note(id)}` : link
      )
      .replaceAll(/\battachment:(at_[0-9A-Za-z_-]{16,40})/g, (_, id: string) => `attachment:${ids.file(id)}`)
  }
  const version = <V extends { readonly body: string | null }>(each: V): V => ({
    ...each,
    body: each.body === null ? null : text(each.body)
  })
  for await (const item of items) {
    if (item.type === "ids") for (const id of item.ids) if (id.startsWith("nt_")) inside.add(id)
    if (item.type === "whole_note") {
      yield { ...item, record: { ...item.record, body: text(item.record.body) }, versions: item.versions.map(version) }
    } else if (item.type === "versions") yield { ...item, versions: item.versions.map(version) }
    else if (item.type === "part") {
      const texts = item.texts.map((member) => [member, text(textIn(item.record, member))])
      yield { ...item, record: { ...item.record, ...Object.fromEntries(texts) } }
    } else if (item.type === "template" && item.record.body !== undefined) {
      yield { ...item, record: { ...item.record, body: text(item.record.body) } }
    } else yield item
  }
}

/** Parameters of the reader. */
interface Given {
  readonly names: ImportNames
  readonly convert: Convert
  readonly findEarlier: FindEarlier
  readonly isRenamed: () => boolean
}

const itemsOf = (data: ImportData, { convert, findEarlier, isRenamed, names }: Given) => {
  const { hasEarlier, hasNotebook, onExisting, path } = data
  async function* exported(): AsyncGenerator<JsonItem> {
    // Loaded only for exports.
    const { readJson } = await import("./JsonReader.ts")
    // Records of the workspace itself count too, without any import.
    const earlier = new EarlierNotes(names, onExisting === "duplicate" ? undefined : findEarlier, onExisting)
    const renamed = () => (isRenamed() ? earlier : undefined)
    yield* relinked(readJson(path, limits, renamed), renamed)
  }
  const { filename, isUnnamed, scratch, source, timezone } = data
  const options = { source, filename, isUnnamed, hasNotebook, names, onExisting, scratch, convert, timezone }
  const earlier = hasEarlier ? { findEarlier } : {}
  return read(path, { ...options, ...earlier, now: new Date(data.now) }, exported)
}

const serve = ({ control, ...data }: ImportData & { readonly control: MessagePort }) => {
  const { created_at, import_id } = data
  const thread = new ConvertThread()
  const names = new ImportNames(import_id, created_at)
  const decided = Promise.withResolvers<void>()
  let isRenamed = false
  /** The pending request of the reader to the main loop. */
  let question:
    | { readonly keys: ReadonlyArray<string>; readonly resolve: (notes: ReadonlyArray<EarlierNote>) => void }
    | undefined
  let isAsking = Promise.withResolvers<void>()
  const findEarlier: FindEarlier = (keys) =>
    new Promise((resolve) => {
      question = { keys, resolve }
      isAsking.resolve()
    })
  const items = itemsOf(data, {
    names,
    convert: thread.convert,
    findEarlier,
    isRenamed: () => isRenamed
  })
  const batches = batchesOf(items, decided.promise)
  const send = (reply: Reply, moved: ReadonlyArray<MessagePort | ArrayBuffer> = []) =>
    control.postMessage(reply, [...moved])

  const next = async (): Promise<IteratorResult<Batch, void>> => {
    try {
      return await batches.next()
    } catch (error) {
      await thread.end()
      throw error
    }
  }
  let ahead = next()
  // The promise is awaited at the next request.
  ahead.catch(() => {})

  const respond = async () => {
    try {
      await Promise.race([ahead, isAsking.promise])
      if (question !== undefined) return send({ earlier: question.keys })
      const { done, value } = await ahead
      if (done === true) {
        await thread.end()
        return send({ ended: true })
      }
      const { items, ports, progress } = value
      const buffers = items.flatMap((item) =>
        item.type === "file" && item.bytes instanceof Uint8Array ? [item.bytes.buffer as ArrayBuffer] : []
      )
      send({ items, progress }, [...ports, ...buffers])
      ahead = next()
      ahead.catch(() => {})
    } catch (error) {
      send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  // The main loop ends the thread: by itself, it could end before the port has delivered its messages.
  control.on("message", ({ earlier, keepsIds }: Request) => {
    if (earlier !== undefined && question !== undefined) {
      const { resolve } = question
      question = undefined
      isAsking = Promise.withResolvers<void>()
      resolve(earlier)
    }
    if (keepsIds !== undefined) {
      isRenamed = !keepsIds
      decided.resolve()
    }
    void respond()
  })
}

if (!isMainThread) {
  beginGuarded()
  serve(workerData as ImportData & { readonly control: MessagePort })
}
