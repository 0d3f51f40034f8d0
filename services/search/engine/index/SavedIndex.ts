import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { IndexStore, type StoreOptions } from "./IndexStore.ts"
import { DamagedFile } from "./PagedFile.ts"
import { notesIn, Segment, type SegmentHead } from "./Segment.ts"

/** Must be increased when terms, slots, rows or files change: older indexes are then built again from the log. */
const FORMAT = 5
const MANIFEST = "manifest"

/** The place in the log up to which an index is complete. */
export interface Place {
  readonly epoch: string
  /** The index has all changes up to `seq`, except notes whose last change is at or before `floor`. */
  readonly seq: number
  readonly floor: number
}

interface Manifest extends Place {
  readonly format: number
  readonly workspace_id: string
  readonly segments: ReadonlyArray<{ readonly head: SegmentHead; readonly removed: ReadonlyArray<number> }>
}

type LoadOptions = Omit<StoreOptions, "directory">

interface LoadedIndex {
  readonly store: IndexStore
  readonly place: Place
}

/**
 * The files of one index: segments, and a manifest that lists the current ones. Checksums reveal a file that did not
 * reach the disk or was damaged; the index is then built again from the log.
 */
export class SavedIndex {
  readonly #directory: string
  readonly #workspace_id: string

  constructor(directory: string, workspace_id: string) {
    this.#directory = directory
    this.#workspace_id = workspace_id
  }

  /**
   * Loads the last saved index, and marks its directory as used now. Undefined if there is none of this format and
   * workspace. Throws if it is damaged.
   */
  *load(options: LoadOptions, budget: Budget): Sliced<LoadedIndex | undefined> {
    const loaded = yield* this.open(options, budget)
    if (loaded === undefined) return undefined
    this.#clean(loaded.store)
    utimesSync(this.#directory, new Date(), new Date())
    return loaded
  }

  /** The same, without a change to the files: another process may use them. */
  *open(options: LoadOptions, budget: Budget): Sliced<LoadedIndex | undefined> {
    const manifest = this.#manifest()
    if (manifest === undefined) return undefined
    const store = new IndexStore({ ...options, directory: this.#directory })
    let isComplete = false
    try {
      store.entries.reserve(manifest.segments.reduce((sum, { head }) => sum + notesIn(head), 0))
      for (const { head, removed } of manifest.segments) {
        yield* store.restoring(new Segment(this.#directory, head, [...removed], options.cache), budget)
      }
      store.finishRestoring()
      isComplete = true
    } finally {
      if (!isComplete) store.close()
    }
    const { epoch, floor, seq } = manifest
    return { store, place: { epoch, seq, floor } }
  }

  /** Saves an index. All its notes up to `place` must be in segments. */
  save(store: IndexStore, { epoch, floor, seq }: Place): void {
    const segments = store.segments.flatMap((segment) =>
      segment === undefined ? [] : [{ head: segment.head, removed: segment.removed }]
    )
    const manifest: Manifest = {
      format: FORMAT,
      workspace_id: this.#workspace_id,
      epoch,
      seq,
      floor,
      segments
    }
    const json = Buffer.from(JSON.stringify(manifest))
    const path = join(this.#directory, MANIFEST)
    writeFileSync(`${path}.new`, `${crc32(json)}\n${json.toString()}`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
    this.#clean(store)
  }

  /** Deletes the files. */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #manifest(): Manifest | undefined {
    const path = join(this.#directory, MANIFEST)
    if (!existsSync(path)) return undefined
    const text = readFileSync(path, "utf8")
    const line = text.indexOf("\n")
    const json = text.slice(line + 1)
    if (Number(text.slice(0, line)) !== crc32(json)) throw new DamagedFile("a manifest does not have its checksum")
    const manifest = JSON.parse(json) as Manifest
    return manifest.format === FORMAT && manifest.workspace_id === this.#workspace_id ? manifest : undefined
  }

  /** Deletes all files except the manifest and the segments of a store. */
  #clean(store: IndexStore): void {
    const kept = new Set([MANIFEST, ...store.segments.map((segment) => segment?.head.name)])
    for (const name of readdirSync(this.#directory)) {
      if (!kept.has(name)) rmSync(join(this.#directory, name), { recursive: true, force: true })
    }
  }
}
