import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Deferred, Effect, type Scope, Semaphore } from "effect"
import { Budget, type Sliced } from "../concurrency/Budget.ts"
import type { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import { Unavailable } from "../Errors.ts"
import { type Change, changesAfter, type Head, notesBefore } from "./ChangedNotes.ts"
import { IndexStore } from "./engine/index/IndexStore.ts"
import { DamagedFile, type PageCache } from "./engine/index/PagedFile.ts"
import { type Place, SavedIndex } from "./engine/index/SavedIndex.ts"
import { SearchIndex } from "./engine/query/SearchIndex.ts"

/** Share of its memory at which an index is built again from the newest notes. */
const outgrownShare = 1.05
/** Time after which a search that waits for the index fails. */
const searchTimeout = "30 seconds"
/** Milliseconds that searches wait for a build. After that they search the notes that are indexed. */
const buildPatience = 10_000
/** Milliseconds after a failed job before the next job. */
const pauseAfterFailure = 10_000
/** Steps of removing a note. */
const removal = 1_000
/** A `seq` beyond the end of every log. */
const beyond = 2 ** 52

const overloaded = (retry_after: number) =>
  new Unavailable({ code: "overloaded", detail: "The workspace is being indexed for search", retry_after })

export interface Dependencies {
  readonly sql: PgClient
  readonly scheduler: CooperativeScheduler["Service"]
  readonly pages: PageCache
  /** The scope of background builds and jobs. */
  readonly scope: Scope.Scope
  /** Directory of the files of the index. */
  readonly directory: string
  /** Maximum bytes of memory of the index. */
  readonly maxBytes: number
  /** Whether there is memory for older notes. */
  readonly hasRoom: () => boolean
  /** Called after the memory of the index has changed. */
  readonly changed: () => void
  /** Called when the index was read from its files. */
  readonly loaded: () => void
  /** Called when the index is no longer usable, and the next search needs another one. */
  readonly forgotten: () => void
}

/** Why an index does not have all notes: it is being built, or there is no memory for more. Undefined if it has all. */
export type Partial = "building" | "limited" | undefined

/** The full-text index of one workspace. */
export interface WorkspaceIndex {
  /** Bytes of memory, approximately. */
  readonly bytes: () => number
  readonly files: () => { readonly count: number; readonly bytes: number }
  /** Catches the index up to `head`, unless it is dropped meanwhile. */
  readonly catchUp: (head: Head) => Effect.Effect<void, Unavailable>
  /**
   * Catches the index up to `head`, waits some time for a build, and does work with the index in slices. Returns
   * undefined when the index was dropped meanwhile: then the caller needs another index.
   */
  readonly search: <A extends object>(
    head: Head,
    budget: Budget,
    work: (index: SearchIndex, partial: Partial, place: Place) => Sliced<A>
  ) => Effect.Effect<A | undefined, Unavailable>
  readonly isUsed: () => boolean
  /** Closes the files as soon as nothing uses the index. */
  readonly close: () => void
  /** Drops the index with its files: the next search needs another one, which is built from the log. */
  readonly remove: () => void
}

/**
 * The index is a copy of the log of its workspace. It is read from its files and caught up from the log. Notes that are
 * not in the files are added from the newest to the oldest. An index without memory for more notes stays partial.
 */
export const make = (
  workspace_id: string,
  { changed, directory, forgotten, hasRoom, loaded, maxBytes, pages, scheduler, scope, sql }: Dependencies
): WorkspaceIndex => {
  const saved = new SavedIndex(directory, workspace_id)
  let index: SearchIndex | undefined
  /** The place in the log up to which `index`, its notes that are being packed, and its files are complete. */
  let place: Place = { epoch: "", seq: 0, floor: 0 }
  let packedPlace: Place | undefined
  let savedPlace: Place | undefined
  /** Allows one change of the index at a time. */
  const turn = Semaphore.makeUnsafe(1)
  /** Allows one job at a time: packing, merging, saving. */
  const jobs = Semaphore.makeUnsafe(1)
  /** The background packing, merging and building, while there is something to do. */
  let upkeep: { readonly since: number; readonly done: Deferred.Deferred<void> } | undefined
  /** Time of the last failed job. */
  let failedAt = -Infinity
  let uses = 0
  let isClosed = false

  const logWarning = (message: string, cause: unknown) =>
    Effect.annotateLogs(Effect.logWarning(message, cause), { workspace_id })

  const close = () => {
    isClosed = true
    if (uses === 0) index?.store.close()
  }

  const forget = (withFiles: boolean) => {
    if (isClosed) return
    forgotten()
    close()
    if (withFiles) saved.remove()
  }

  /** Drops the index. It is built again from its files and the log, or from the log alone if the files are damaged. */
  const lose = (cause: unknown) =>
    Effect.suspend(() => {
      if (isClosed) return Effect.void
      forget(cause instanceof DamagedFile)
      return logWarning("a search index was lost and is rebuilt", cause)
    })

  /** Keeps the files open during the work. */
  const using = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
    Effect.suspend(() => {
      uses++
      return work.pipe(
        Effect.catchDefect((defect) =>
          defect instanceof DamagedFile ? Effect.andThen(lose(defect), Effect.fail(overloaded(1))) : Effect.die(defect)
        ),
        Effect.ensuring(
          Effect.sync(() => {
            uses--
            if (isClosed) close()
          })
        )
      )
    })

  /** Starts with an index without notes, at the end of the log. The next search starts a build. */
  const startAt = ({ epoch, seq }: Head) => {
    index = new SearchIndex(new IndexStore({ cache: pages, directory, maxBytes: maxBytes * outgrownShare }))
    place = { epoch, seq, floor: seq }
  }

  /** Reads the index from its files. If they cannot be read, the index is built from the log. */
  const load = Effect.gen(function* () {
    const budget = new Budget()
    const options = { cache: pages, maxBytes: maxBytes * outgrownShare }
    const found = yield* Effect.uninterruptible(
      scheduler.run(workspace_id, budget, () => saved.load(options, budget))
    ).pipe(
      Effect.catchDefect((defect) =>
        logWarning("the files of a search index cannot be read and are rebuilt", defect).pipe(
          Effect.andThen(Effect.ignore(Effect.try(() => saved.remove()))),
          Effect.as(undefined)
        )
      )
    )
    if (found === undefined) return
    index = new SearchIndex(found.store)
    place = found.place
    savedPlace = found.place
    loaded()
    changed()
  })

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

  /** Completes a change of the index, even when the search that waits for it is cancelled. */
  const change = (to: Place, work: (budget: Budget) => Sliced<void>) =>
    Effect.suspend(() => {
      const budget = new Budget()
      return Effect.uninterruptible(
        Effect.map(
          scheduler.run(workspace_id, budget, () => work(budget)),
          () => {
            place = to
            changed()
          }
        )
      )
    })

  /** Packs the notes in memory, saves the files, and merges segments. */
  const job = jobs.withPermit(
    Effect.gen(function* () {
      const { store } = index!
      // Notes of a failed job are packed first.
      if (store.freeze()) packedPlace = place
      const packing = new Budget()
      yield* scheduler.runAtLowPriority(workspace_id, packing, () => store.packing(packing))
      if (packedPlace !== undefined) savedPlace = packedPlace
      packedPlace = undefined
      if (savedPlace === undefined || isClosed) return
      saved.save(store, savedPlace)
      for (let segments = store.mergeable; segments !== undefined; segments = store.mergeable) {
        const own = segments
        const merging = new Budget()
        yield* scheduler.runAtLowPriority(workspace_id, merging, () => store.merging(own, merging))
        if (isClosed) return
        saved.save(store, savedPlace)
      }
      changed()
    })
  )

  /** Tries a job. When it fails, as on a full disk, the notes stay in memory, and the next job begins after a pause. */
  const tryJob = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - failedAt < pauseAfterFailure
      ? Effect.void
      : using(job).pipe(
          Effect.catchCause((cause) => {
            failedAt = now
            return logWarning("a search index was not saved", cause)
          })
        )
  )

  /** Adds the changes of the log. */
  const catchingUp = Effect.gen(function* () {
    if (index === undefined) yield* load
    while (true) {
      const changes = yield* changesAfter(sql, workspace_id, index === undefined ? beyond : place.seq)
      // The workspace was erased.
      if (changes === undefined) return forget(true)
      const { hasMore, head, notes } = changes
      if (index === undefined) {
        startAt(head)
        continue
      }
      // The workspace was restored from a backup, or has outgrown the memory: another index is built.
      if (head.epoch !== place.epoch || head.seq < place.seq || index.store.isFull) return forget(true)
      const { store } = index
      const seq = hasMore ? notes.at(-1)!.seq : head.seq
      if (notes.length > 0) yield* change({ ...place, seq }, (budget) => taking(store, notes, budget))
      else place = { ...place, seq }
      if (store.isOverdue) yield* tryJob
      if (!hasMore) return
    }
  })

  /** Adds a page of older notes. Returns whether there may be more. */
  const buildPage = Effect.gen(function* () {
    if (isClosed || place.floor === 0 || !hasRoom()) return false
    const { store } = index!
    const page = yield* notesBefore(sql, workspace_id, place.floor)
    if (page === undefined || page.head.epoch !== place.epoch) return false
    const { hasMore, notes } = page
    yield* change({ ...place, floor: hasMore ? notes.at(-1)!.seq - 1 : 0 }, (budget) => loading(store, notes, budget))
    return hasMore
  })

  const needsUpkeep = () =>
    !isClosed && (index!.store.isDue || index!.store.mergeable !== undefined || (place.floor > 0 && hasRoom()))

  /** Packs and merges as needed, and adds older notes while there is memory for them. */
  const keepUp = Effect.gen(function* () {
    const { store } = index!
    for (let isMore = true; isMore && !isClosed;) {
      isMore = yield* turn.withPermit(buildPage)
      if (store.isDue || store.mergeable !== undefined || (!isMore && store.isLoading)) yield* tryJob
    }
  })

  /** Starts the background upkeep, unless it is running. */
  const startUpkeep = Effect.flatMap(Clock.currentTimeMillis, (since) => {
    if (upkeep !== undefined || !needsUpkeep()) return Effect.void
    const done = Deferred.makeUnsafe<void>()
    upkeep = { since, done }
    return using(keepUp).pipe(
      Effect.catchTag("Unavailable", (error) => Effect.logDebug("a search index was not built", error)),
      Effect.catchDefect(lose),
      Effect.ensuring(
        Effect.sync(() => {
          upkeep = undefined
          Deferred.doneUnsafe(done, Effect.void)
        })
      ),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  })

  const partial = (): Partial => {
    if (place.floor === 0 && !index!.store.isLoading) return undefined
    return hasRoom() ? "building" : "limited"
  }

  const catchUp = Effect.fnUntraced(function* (head: Head) {
    const isBehind = () => !isClosed && (index === undefined || place.epoch !== head.epoch || place.seq < head.seq)
    if (!isBehind()) return
    yield* turn.withPermit(Effect.suspend(() => (isBehind() ? catchingUp : Effect.void))).pipe(
      // A partly changed index is unusable.
      Effect.tapDefect(lose),
      Effect.timeoutOrElse({ duration: searchTimeout, orElse: () => Effect.fail(overloaded(5)) })
    )
    if (!isClosed) yield* startUpkeep
  })

  const search: WorkspaceIndex["search"] = (head, budget, work) =>
    using(
      Effect.gen(function* () {
        yield* catchUp(head)
        if (isClosed) return undefined
        yield* startUpkeep
        if (upkeep !== undefined && partial() !== undefined) {
          const left = upkeep.since + buildPatience - (yield* Clock.currentTimeMillis)
          if (left > 0) yield* Effect.timeoutOption(Deferred.await(upkeep.done), left)
          if (isClosed) return undefined
        }
        return yield* scheduler.run(workspace_id, budget, () => work(index!, partial(), place))
      })
    )

  return {
    bytes: () => index?.store.bytes ?? 0,
    files: () => index?.store.files ?? { count: 0, bytes: 0 },
    catchUp: (head) => using(catchUp(head)),
    search,
    isUsed: () => uses > 0,
    close,
    remove: () => forget(true)
  }
}
