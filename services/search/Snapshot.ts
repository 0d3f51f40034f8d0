import { createHash } from "node:crypto"
import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { Entries, type EntryRow } from "./Entries.ts"
import { Forms } from "./Forms.ts"
import type { HeldIndex, IndexStore } from "./IndexStore.ts"
import type { Language } from "./Languages.ts"
import { Positions } from "./Positions.ts"
import { Postings } from "./Postings.ts"
import { SealedPostings } from "./SealedPostings.ts"
import { Vocabulary } from "./Vocabulary.ts"

/** To be raised when anything changes of what terms texts have, or of how they are kept: another one is not read. */
export const format = 1

const magic = "sheaf-search"
const digestLength = 32
/** Columns begin at multiples of this. */
const alignment = 8
const entriesAtOnce = 500
const digestedAtOnce = 512 * 1024

/** What stands before the columns, as JSON. */
interface Head {
  readonly magic: string
  readonly format: number
  readonly workspace_id: string
  readonly epoch: string
  readonly seq: number
  readonly capacity: number
  readonly languages: ReadonlyArray<Language>
  /** Bytes of each column, in their order. */
  readonly lengths: ReadonlyArray<number>
}

export type Place = Pick<Head, "workspace_id" | "epoch" | "seq">

/** Copied as it is, or written by whoever has it in pieces. */
type Column =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | { readonly byteLength: number; readonly copyTo: (target: Uint8Array, at: number) => void }

const write = (column: Column, target: Uint8Array, at: number): void => {
  if ("copyTo" in column) column.copyTo(target, at)
  else target.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at)
}
const padded = (length: number): number => Math.ceil(length / alignment) * alignment

/** The notes of an index, as its snapshot has them: for `columnsOf`, while it has the version at which this was begun. */
export function* entriesOf(store: IndexStore, budget: Budget): Sliced<Buffer> {
  const pieces: Array<string> = []
  for (let from = 0; from < store.entries.capacity; from += entriesAtOnce) {
    const rows = store.entries.rows(from, from + entriesAtOnce)
    if (rows.length === 0) continue
    const piece = JSON.stringify(rows).slice(1, -1)
    pieces.push(piece)
    if (budget.spend(piece.length / 10)) yield
  }
  return Buffer.from(`[${pieces.join()}]`)
}

/**
 * The index as bytes: room for a digest of all that follows, the length of the head, the head, and columns as they are in
 * memory. All its postings are sealed, and nobody changes it meanwhile.
 */
export function* columnsOf(store: IndexStore, place: Place, noted: Buffer, budget: Budget): Sliced<Buffer> {
  const vocabulary = store.vocabulary.columns()
  const { ends, lasts, packed } = store.postings.sealed
  const { entries, positions } = store
  const { capacity } = entries
  const languages = [...store.forms.keys()]
  const columns: Array<Column> = [
    noted,
    vocabulary.codes,
    vocabulary.ends,
    vocabulary.sorts,
    vocabulary.notes,
    packed,
    ends,
    lasts,
    positions.lengths(capacity),
    { byteLength: positions.live, copyTo: (target, at) => positions.copyTo(target, at, capacity) },
    store.languagesOf,
    ...languages.flatMap((language) => {
      const { hashes, terms } = store.forms.get(language)!.columns()
      return [hashes, terms]
    })
  ]
  const lengths = columns.map(({ byteLength }) => byteLength)
  const head = Buffer.from(JSON.stringify({ magic, format, ...place, capacity, languages, lengths } satisfies Head))
  const begin = padded(digestLength + 4 + head.length)
  const bytes = Buffer.alloc(lengths.reduce((sum, length) => sum + padded(length), begin))
  bytes.writeUInt32LE(head.length, digestLength)
  bytes.set(head, digestLength + 4)
  let at = begin
  for (const column of columns) {
    write(column, bytes, at)
    at += padded(column.byteLength)
    if (budget.spend(column.byteLength / 100)) yield
  }
  return bytes
}

/** Writes the digest, with which a snapshot is whole. */
export function* digesting(bytes: Buffer, budget: Budget): Sliced<void> {
  const digest = createHash("sha256")
  for (let at = digestLength; at < bytes.length; at += digestedAtOnce) {
    digest.update(bytes.subarray(at, at + digestedAtOnce))
    if (budget.spend(digestedAtOnce / 50)) yield
  }
  bytes.set(digest.digest(), 0)
}

/** The snapshot of an index that nobody changes meanwhile. */
export function* encodeSnapshot(store: IndexStore, place: Place, budget: Budget): Sliced<Uint8Array> {
  yield* store.settling(budget)
  const bytes = yield* columnsOf(store, place, yield* entriesOf(store, budget), budget)
  yield* digesting(bytes, budget)
  return bytes
}

/** Thrown by nothing: bytes that are no snapshot of this format and workspace give undefined. */
export const decodeSnapshot = (
  bytes: Uint8Array,
  workspace_id: string
): (Place & { readonly held: HeldIndex }) | undefined => {
  if (bytes.length < digestLength + 4) return undefined
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const digest = createHash("sha256").update(all.subarray(digestLength)).digest()
  if (!digest.equals(all.subarray(0, digestLength))) return undefined
  const headLength = all.readUInt32LE(digestLength)
  // The digest says that this program wrote it, or one of another format, of which only the head is known.
  const head = JSON.parse(all.toString("utf8", digestLength + 4, digestLength + 4 + headLength)) as Head
  if (head.magic !== magic || head.format !== format || head.workspace_id !== workspace_id) return undefined
  let at = padded(digestLength + 4 + headLength)
  let next = 0
  // Copies, which are aligned and let go of the whole.
  const take = (): ArrayBuffer => {
    const length = head.lengths[next++]!
    const own = new ArrayBuffer(length)
    new Uint8Array(own).set(all.subarray(at, at + length))
    at += padded(length)
    return own
  }
  const entries = Entries.of(JSON.parse(Buffer.from(take()).toString()) as ReadonlyArray<EntryRow>, head.capacity)
  const vocabulary = Vocabulary.of({
    codes: new Uint16Array(take()),
    ends: new Uint32Array(take()),
    sorts: new Uint8Array(take()),
    notes: new Uint32Array(take())
  })
  const postings = new Postings(
    new SealedPostings(new Uint8Array(take()), new Uint32Array(take()), new Int32Array(take())),
    head.capacity
  )
  const positions = Positions.of(new Uint32Array(take()), Buffer.from(take()))
  const languagesOf = new Int32Array(take())
  const forms = new Map<Language, Forms>()
  for (const language of head.languages) {
    forms.set(language, Forms.of(language, new Int32Array(take()), new Int32Array(take())))
  }
  const { epoch, seq } = head
  return { workspace_id, epoch, seq, held: { vocabulary, postings, positions, entries, forms, languagesOf } }
}
