import { Effect, Semaphore } from "effect"
import { Budget, type Sliced } from "../concurrency/Budget.ts"
import type { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { Unavailable } from "../Errors.ts"
import type { Change, Head } from "./ChangedNotes.ts"
import { IndexStore } from "./engine/index/IndexStore.ts"
import type { PageCache } from "./engine/index/PagedFile.ts"
import { type Place, SavedIndex } from "./engine/index/SavedIndex.ts"
import { SearchIndex } from "./engine/query/SearchIndex.ts"
import { mergeableOf } from "./engine/index/Packing.ts"

/** Share of its memory at which an index is built again from the newest notes. */
const outgrownShare = 1.05
/** Steps of removing a note. */
const removal = 1_000

/** The services of the thread of all indexes for an index in memory. */
export interface CopyDependencies {
  readonly workspace_id: string
  readonly scheduler: CooperativeScheduler["Service"]
  readonly pages: PageCache
  /** Directory of the files of the index. */
  readonly directory: string
  /** Maximum bytes of memory of the index. */
  readonly maxBytes: number
  /** Called after the memory of the index has changed. */
  readonly changed: () => void
}

function* taking(store: IndexStore, notes: ReadonlyArray<Change>, budget: Budget): Sliced<void> {
  for (const note of notes) {
    if (note.gone) {
      store.remove(note.id)
      if (budget.spend(removal)) yield
    } else yield* store.adding(note, budget)
  }
  store.tidy()
}

function* loading(store: IndexStore, notes: ReadonlyArray<Change>, budget: Budget): Sliced<void> {
  for (const note of notes) if (!note.gone) yield* store.loading(note, budget)
}

/** The index of a workspace in memory and in its files, and the places in the log up to which both are complete. */
export class IndexCopy {
  readonly #given: CopyDependencies
  readonly #saved: SavedIndex
  /** Allows one job at a time: packing, merging, saving. */
  readonly #jobs = Semaphore.makeUnsafe(1)
  /** Undefined until it is read or begun. */
  index: SearchIndex | undefined
  /** The place up to which `index`, its notes that are being packed, and its files are complete. */
  place: Place = { epoch: "", seq: 0, floor: 0 }
  #packedPlace: Place | undefined
  #savedPlace: Place | undefined

  constructor(given: CopyDependencies) {
    this.#given = given
    this.#saved = new SavedIndex(given.directory, given.workspace_id)
  }

  /** The notes that it has; only called once it is read or begun. */
  get store(): IndexStore {
    return this.index!.store
  }

  get #options() {
    return { cache: this.#given.pages, maxBytes: this.#given.maxBytes * outgrownShare }
  }

  /** Reads the index from its files. Returns whether there are any. */
  readonly read = Effect.suspend(() => {
    const { scheduler, workspace_id } = this.#given
    const budget = new Budget()
    const loading = scheduler.run(workspace_id, budget, () => this.#saved.load(this.#options, budget))
    return Effect.map(loading, (found) => {
      if (found === undefined) return false
      this.index = new SearchIndex(found.store)
      this.place = found.place
      this.#savedPlace = found.place
      return true
    })
  })

  /** Begins without notes at the end of the log: older notes are added later. */
  begin({ epoch, seq }: Head): void {
    const { directory } = this.#given
    this.index = new SearchIndex(new IndexStore({ ...this.#options, directory }))
    this.place = { epoch, seq, floor: seq }
  }

  /**
   * Adds changes of the log up to `to.seq`, or older notes down to `to.floor`. Completes the change even when the search
   * that waits for it is cancelled.
   */
  add(notes: ReadonlyArray<Change>, to: Place): Effect.Effect<void, Unavailable> {
    return Effect.suspend(() => {
      const budget = new Budget()
      const work = to.floor === this.place.floor ? taking : loading
      const done = () => {
        this.place = to
        if (notes.length > 0) this.#given.changed()
      }
      const { scheduler, workspace_id } = this.#given
      const run = scheduler.run(workspace_id, budget, () => work(this.store, notes, budget))
      return Effect.uninterruptible(Effect.map(notes.length === 0 ? Effect.void : run, done))
    })
  }

  /** Packs the notes in memory, saves the files, and merges segments. Saves nothing any more once the index is closed. */
  pack(isClosed: () => boolean): Effect.Effect<void, Unavailable> {
    const packing = Effect.gen({ self: this as IndexCopy }, function* () {
      const { changed, scheduler, workspace_id } = this.#given
      const { store } = this
      // Notes of a failed job are packed first.
      if (store.freeze()) this.#packedPlace = this.place
      const budget = new Budget()
      yield* scheduler.runAtLowPriority(workspace_id, budget, () => store.packing(budget))
      if (this.#packedPlace !== undefined) this.#savedPlace = this.#packedPlace
      this.#packedPlace = undefined
      if (this.#savedPlace === undefined || isClosed()) return
      this.#saved.save(store, this.#savedPlace)
      for (let segments = mergeableOf(store.segments); segments !== undefined; segments = mergeableOf(store.segments)) {
        const own = segments
        const merging = new Budget()
        yield* scheduler.runAtLowPriority(workspace_id, merging, () => store.merging(own, merging))
        if (isClosed()) return
        this.#saved.save(store, this.#savedPlace)
      }
      changed()
    })
    return this.#jobs.withPermit(packing)
  }

  removeFiles(): void {
    this.#saved.remove()
  }
}
