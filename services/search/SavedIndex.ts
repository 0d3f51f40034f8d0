import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { IndexStore, type StoreOptions } from "./IndexStore.ts"
import { DamagedFile } from "./PagedFile.ts"
import { notesIn, Segment, type SegmentHead } from "./Segment.ts"
import type { Inflected } from "./TermLanguages.ts"
import type { Sort } from "./Vocabulary.ts"

/** To be raised when terms, slots, rows or files change: older files are then made again from the log. */
const FORMAT = 1
const MANIFEST = "manifest"
/** The file of terms is written again without old ones when it has this many times the bytes of the terms in use. */
const MAX_GARBAGE = 3
const MIN_TERM_BYTES = 1_000_000
/** Steps of a record of the file of terms. */
const RECORD = 3

/** How far an index has come. */
export interface Place {
  readonly epoch: string
  /** All changes up to here are in the index, but for notes that were last changed up to `floor`. */
  readonly seq: number
  readonly floor: number
}

interface Manifest extends Place {
  readonly format: number
  readonly workspace_id: string
  readonly terms: { readonly name: string; readonly bytes: number; readonly sum: number }
  readonly segments: ReadonlyArray<{ readonly head: SegmentHead; readonly removed: ReadonlyArray<number> }>
}

/** Kinds of records in the file of terms: a term with its number, and a language in which a term occurs. */
const Kind = { term: 1, inflected: 2 } as const

/**
 * Records of the file of terms, in units of 16 bits: the kind and the sort or language, the number of the term as two units,
 * then the length and codes of the term, or the hash of its stem as two units.
 */
class Records {
  #units = new Uint16Array(32_768)
  #count = 0

  get all(): Buffer {
    return Buffer.from(this.#units.buffer, 0, this.#count * 2)
  }

  term(number: number, sort: Sort, term: string): void {
    this.#begin(Kind.term, sort, number, 1 + term.length)
    this.#units[this.#count++] = term.length
    for (let i = 0; i < term.length; i++) this.#units[this.#count++] = term.charCodeAt(i)
  }

  inflected({ hash, language, term }: Inflected): void {
    this.#begin(Kind.inflected, language, term, 2)
    this.#units[this.#count++] = hash & 0xffff
    this.#units[this.#count++] = hash >>> 16
  }

  #begin(kind: number, more: number, number: number, rest: number): void {
    if (this.#count + 3 + rest > this.#units.length) {
      const larger = new Uint16Array((this.#count + 3 + rest) * 2)
      larger.set(this.#units)
      this.#units = larger
    }
    this.#units[this.#count++] = (kind << 8) | more
    this.#units[this.#count++] = number & 0xffff
    this.#units[this.#count++] = number >>> 16
  }
}

let names = 0

/**
 * The files of one index: segments, terms, and a manifest that says which of them belong together. A file that did not
 * reach the disk or was damaged is found by its checksums; the index is then made again from the log.
 */
export class SavedIndex {
  readonly #directory: string
  readonly #workspace_id: string
  #terms: Manifest["terms"] | undefined

  constructor(directory: string, workspace_id: string) {
    this.#directory = directory
    this.#workspace_id = workspace_id
  }

  /** The index as it was saved last; undefined when there is none, or it is damaged or another one. Removes its files then. */
  *load(
    options: Omit<StoreOptions, "directory">,
    budget: Budget
  ): Sliced<{ readonly store: IndexStore; readonly place: Place } | undefined> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    const store = new IndexStore({ ...options, directory: this.#directory })
    try {
      const manifest = this.#manifest()
      if (manifest === undefined) return this.#nothing(store)
      const inflected = yield* this.#restoreTerms(manifest, store, budget)
      store.entries.reserve(manifest.segments.reduce((sum, { head }) => sum + notesIn(head), 0))
      for (const { head, removed } of manifest.segments) {
        yield* store.restoring(new Segment(this.#directory, head, [...removed], options.cache), budget)
      }
      store.finishRestoring()
      yield* inflected()
      this.#terms = manifest.terms
      this.#clean(manifest)
      const { epoch, floor, seq } = manifest
      return { store, place: { epoch, seq, floor } }
    } catch (error) {
      if (!isDamage(error)) throw error
      return this.#nothing(store)
    }
  }

  /** Saves an index. All its notes up to `place` are in segments. */
  save(store: IndexStore, { epoch, floor, seq }: Place): void {
    const terms = this.#saveTerms(store)
    const segments = store.segments.flatMap((segment) =>
      segment === undefined ? [] : [{ head: segment.head, removed: segment.removed }]
    )
    const manifest: Manifest = {
      format: FORMAT,
      workspace_id: this.#workspace_id,
      epoch,
      seq,
      floor,
      terms,
      segments
    }
    const json = Buffer.from(JSON.stringify(manifest))
    const path = join(this.#directory, MANIFEST)
    writeFileSync(`${path}.new`, `${crc32(json)}\n${json.toString()}`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
    this.#terms = terms
    this.#clean(manifest)
  }

  /** Removes the files. */
  remove(): void {
    this.#terms = undefined
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #nothing(store: IndexStore): undefined {
    store.close()
    this.#terms = undefined
    this.#clean(undefined)
    return undefined
  }

  #manifest(): Manifest | undefined {
    const text = readFileSync(join(this.#directory, MANIFEST), "utf8")
    const line = text.indexOf("\n")
    const json = text.slice(line + 1)
    if (Number(text.slice(0, line)) !== crc32(json)) throw new DamagedFile("a manifest does not have its checksum")
    const manifest = JSON.parse(json) as Manifest
    return manifest.format === FORMAT && manifest.workspace_id === this.#workspace_id ? manifest : undefined
  }

  #saveTerms(store: IndexStore): Manifest["terms"] {
    const { vocabulary } = store
    const records = new Records()
    const added = vocabulary.takeAdded()
    const inflected = store.languages.takeAdded()
    const inUse = vocabulary.live * 30
    const before = this.#terms
    // A save that failed leaves no terms, as what was added since is lost then.
    this.#terms = undefined
    if (before !== undefined && before.bytes < Math.max(MIN_TERM_BYTES, inUse * MAX_GARBAGE)) {
      for (const number of added) records.term(number, vocabulary.sortOf(number), vocabulary.termAt(number))
      for (const each of inflected) records.inflected(each)
      const path = join(this.#directory, before.name)
      // What a save left that did not come to its end is written over.
      writeAt(path, records.all, before.bytes)
      return {
        name: before.name,
        bytes: before.bytes + records.all.length,
        sum: crc32(records.all, before.sum)
      }
    }
    for (let number = 0; number < vocabulary.size; number++) {
      if (vocabulary.lengthOf(number) === 0) continue
      records.term(number, vocabulary.sortOf(number), vocabulary.termAt(number))
    }
    for (const each of store.languages.all()) records.inflected(each)
    const name = `${process.pid}-${Date.now()}-${names++}.terms`
    writeFileSync(join(this.#directory, name), records.all, { mode: 0o600 })
    return { name, bytes: records.all.length, sum: crc32(records.all) }
  }

  /** Restores the terms. Returns the work that restores the languages of the terms in use, which is to be done last. */
  *#restoreTerms({ terms }: Manifest, store: IndexStore, budget: Budget): Sliced<() => Sliced<void>> {
    const bytes = new Uint8Array(readFileSync(join(this.#directory, terms.name))).subarray(0, terms.bytes)
    if (bytes.length !== terms.bytes || crc32(bytes) !== terms.sum) {
      throw new DamagedFile("a file of terms does not have its checksum")
    }
    const units = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
    const numberAt = (at: number): number => units[at + 1]! | (units[at + 2]! << 16)
    /** By term where its last record is: before, its number may have been of another term. */
    const places: Array<number> = []
    const inflected: Array<number> = []
    for (let at = 0; at < units.length;) {
      if (units[at]! >> 8 === Kind.term) {
        const end = at + 4 + units[at + 3]!
        store.vocabulary.restore(numberAt(at), units, at + 4, end, (units[at]! & 255) as Sort)
        places[numberAt(at)] = at
        at = end
      } else {
        inflected.push(at)
        at += 5
      }
      if (budget.spend(RECORD)) yield
    }
    return function* () {
      for (const at of inflected) {
        const term = numberAt(at)
        if (at < places[term]! || store.vocabulary.notesOf(term) === 0) continue
        store.languages.restore(term, units[at]! & 255, units[at + 3]! | (units[at + 4]! << 16))
        if (budget.spend(RECORD)) yield
      }
    }
  }

  /** Removes all files but those of a manifest. */
  #clean(manifest: Manifest | undefined): void {
    const kept = new Set(
      manifest === undefined ? [] : [MANIFEST, manifest.terms.name, ...manifest.segments.map(({ head }) => head.name)]
    )
    for (const name of readdirSync(this.#directory)) {
      if (!kept.has(name)) rmSync(join(this.#directory, name), { recursive: true, force: true })
    }
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof DamagedFile || error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT"

/** Writes a piece of a file. */
const writeAt = (path: string, bytes: Buffer, at: number): void => {
  const descriptor = openSync(path, "r+")
  try {
    for (let done = 0; done < bytes.length;) {
      done += writeSync(descriptor, bytes, done, bytes.length - done, at + done)
    }
  } finally {
    closeSync(descriptor)
  }
}
