import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { IndexStore, type StoreOptions } from "./IndexStore.ts"
import { DamagedFile } from "./PagedFile.ts"
import { notesIn, Segment, type SegmentHead } from "./Segment.ts"

/** To be raised when terms, slots, rows or files change: older files are then made again from the log. */
const FORMAT = 2
const MANIFEST = "manifest"

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
  readonly segments: ReadonlyArray<{ readonly head: SegmentHead; readonly removed: ReadonlyArray<number> }>
}

/**
 * The files of one index: segments, and a manifest that says which of them belong together. A file that did not reach the
 * disk or was damaged is found by its checksums; the index is then made again from the log.
 */
export class SavedIndex {
  readonly #directory: string
  readonly #workspace_id: string

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
      store.entries.reserve(manifest.segments.reduce((sum, { head }) => sum + notesIn(head), 0))
      for (const { head, removed } of manifest.segments) {
        yield* store.restoring(new Segment(this.#directory, head, [...removed], options.cache), budget)
      }
      store.finishRestoring()
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
    this.#clean(manifest)
  }

  /** Removes the files. */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #nothing(store: IndexStore): undefined {
    store.close()
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

  /** Removes all files but those of a manifest. */
  #clean(manifest: Manifest | undefined): void {
    const kept = new Set(manifest === undefined ? [] : [MANIFEST, ...manifest.segments.map(({ head }) => head.name)])
    for (const name of readdirSync(this.#directory)) {
      if (!kept.has(name)) rmSync(join(this.#directory, name), { recursive: true, force: true })
    }
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof DamagedFile || error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT"
