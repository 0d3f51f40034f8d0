import type { Reads } from "../database/ReachedRows.ts"
import { Clock, Deferred, Effect, type Scope, Semaphore } from "effect"
import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { Unavailable } from "../Errors.ts"
import { changesAfter, notesBefore } from "./ChangedNotes.ts"
import { DamagedFile } from "./engine/index/PagedFile.ts"
import type { Place } from "./engine/index/SavedIndex.ts"
import type { SearchIndex } from "./engine/query/SearchIndex.ts"
import { type CopyDependencies, IndexCopy } from "./IndexCopy.ts"
import * as IndexPhase from "./IndexPhase.ts"
import type { IndexScope, ScopeHead } from "./IndexScope.ts"
import { mergeableOf } from "./engine/index/Packing.ts"

/** Time after which a search that waits for the index fails. */
const searchTimeout = "30 seconds"
/** Milliseconds that searches wait for a build. After that they search the notes that are indexed. */
const buildPatience = 10_000
/** Milliseconds after a failed job before the next job. */
const pauseAfterFailure = 10_000
/** A `seq` beyond the end of every log. */
const beyond = 2 ** 52

const overloaded = (retry_after: number) =>
  new Unavailable({ code: "overloaded", detail: "The workspace is being indexed for search", retry_after })

/** The services of the thread of all indexes for an index. */
export interface Dependencies extends CopyDependencies {
  /** Reads the notes of the scope. */
  readonly sql: Reads
  readonly searched: IndexScope
  /** The scope of background builds and jobs. */
  readonly scope: Scope.Scope
  /** Whether there is memory for older notes. */
  readonly hasRoom: () => boolean
  /** Called when the index was read from its files. */
  readonly loaded: () => void
  /** Called when the index is no longer usable, and the next search needs another one. */
  readonly forgotten: () => void
}

/** Why an index does not have all notes: it is being built, or there is no memory for more. Undefined if it has all. */
export type Partial = "building" | "limited" | undefined

/**
 * The full-text index of one workspace: a copy of its log. It is read from its files and caught up from the log. Notes
 * that are not in the files are added from the newest to the oldest. An index without memory for more notes stays partial.
 */
export class WorkspaceIndex {
  readonly #given: Dependencies
  readonly #copy: IndexCopy
  #phase: IndexPhase.Phase = "unread"
  /** The notebooks of a limited scope, by `ScopeHead`, when it was begun. */
  #tree: string | undefined
  /** Number of searches and jobs that use the index now. */
  #uses = 0
  /** The last background packing, merging and building: its start, and its end. */
  #upkeep = { since: 0, done: Deferred.makeUnsafe<void>() }
  /** Time of the last failed job. */
  #failedAt = -Infinity
  /** Allows one change of the index at a time. */
  readonly #turn = Semaphore.makeUnsafe(1)

  constructor(given: Dependencies) {
    this.#given = given
    this.#copy = new IndexCopy(given)
  }

  /** Bytes of memory, approximately. */
  get bytes(): number {
    return this.#copy.index?.store.bytes ?? 0
  }

  get files(): { readonly count: number; readonly bytes: number } {
    return this.#copy.index?.store.files ?? { count: 0, bytes: 0 }
  }

  get searched(): IndexScope {
    return this.#given.searched
  }

  get isUsed(): boolean {
    return this.#uses > 0
  }

  /** Whether it takes no more work, and the next search needs another index. */
  readonly #isClosed = () => this.#phase === "closing" || this.#phase === "closed"

  get #partial(): Partial {
    if (this.#copy.place.floor === 0 && !this.#copy.store.isLoading) return undefined
    return this.#given.hasRoom() ? "building" : "limited"
  }

  #apply(event: IndexPhase.Event): void {
    const before = this.#phase
    this.#phase = IndexPhase.next(before, event)
    if (this.#phase === "closed" && before !== "closed") this.#copy.index?.store.close()
  }

  /** Closes the files as soon as nothing uses the index. */
  close(): void {
    this.#apply("close")
    if (this.#uses === 0) this.#apply("leave")
  }

  /** Drops the index, here with its files: then the next search builds another one from the log. */
  remove(withFiles = true): void {
    if (this.#isClosed()) return
    this.#given.forgotten()
    this.close()
    if (withFiles) this.#copy.removeFiles()
  }

  #logWarning(message: string, cause: unknown) {
    return Effect.annotateLogs(Effect.logWarning(message, cause), { workspace_id: this.#given.workspace_id })
  }

  /** Drops the index. It is built again from its files and the log, or from the log alone if the files are damaged. */
  readonly #lose = (cause: unknown) =>
    Effect.suspend(() => {
      if (this.#isClosed()) return Effect.void
      this.remove(cause instanceof DamagedFile)
      return this.#logWarning("a search index was lost and is rebuilt", cause)
    })

  /** Keeps the files open during the work. */
  #using<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> {
    return Effect.suspend(() => {
      this.#uses++
      return work.pipe(
        Effect.catchDefect((defect) =>
          defect instanceof DamagedFile
            ? Effect.andThen(this.#lose(defect), Effect.fail(overloaded(1)))
            : Effect.die(defect)
        ),
        Effect.ensuring(
          Effect.sync(() => {
            this.#uses--
            if (this.#uses === 0) this.#apply("leave")
          })
        )
      )
    })
  }

  /** Reads the index from its files. It is built from the log if they cannot be read, or do not say for which notebooks. */
  readonly #read = Effect.uninterruptible(
    Effect.suspend(() =>
      this.#given.searched.reach === undefined
        ? Effect.catchDefect(this.#copy.read, (defect) =>
            this.#logWarning("the files of a search index cannot be read and are rebuilt", defect).pipe(
              Effect.andThen(Effect.ignore(Effect.try(() => this.#copy.removeFiles()))),
              Effect.as(false)
            )
          )
        : Effect.as(
            Effect.sync(() => this.#copy.removeFiles()),
            false
          )
    ).pipe(
      Effect.map((isFound) => {
        if (!isFound) return
        this.#apply("read")
        this.#given.loaded()
        this.#given.changed()
      })
    )
  )

  /** Tries a job. When it fails, as on a full disk, the notes stay in memory, and the next job begins after a pause. */
  readonly #tryJob = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - this.#failedAt < pauseAfterFailure
      ? Effect.void
      : this.#using(this.#copy.pack(this.#isClosed)).pipe(
          Effect.catchCause((cause) => {
            this.#failedAt = now
            return this.#logWarning("a search index was not saved", cause)
          })
        )
  )

  /** Adds the changes of the log. */
  readonly #catchingUp = Effect.gen({ self: this as WorkspaceIndex }, function* () {
    const copy = this.#copy
    const { sql, workspace_id } = this.#given
    if (copy.index === undefined) yield* this.#read
    while (true) {
      const from = copy.index === undefined ? beyond : copy.place.seq
      const changes = yield* changesAfter(sql, workspace_id, from)
      // The workspace was erased.
      if (changes === undefined) return this.remove()
      const { hasMore, head, notes } = changes
      if (copy.index === undefined) {
        copy.begin(head)
        this.#apply("read")
        continue
      }
      const { place, store } = copy
      // The workspace was restored from a backup, or has outgrown the memory: another index is built.
      if (head.epoch !== place.epoch || head.seq < place.seq || store.isFull) return this.remove()
      yield* copy.add(notes, { ...place, seq: hasMore ? notes.at(-1)!.seq : head.seq })
      if (store.isOverdue) yield* this.#tryJob
      if (!hasMore) return
    }
  })

  /** Adds a page of older notes. Returns whether there may be more. */
  readonly #buildPage = Effect.gen({ self: this as WorkspaceIndex }, function* () {
    const { place } = this.#copy
    const { hasRoom, sql, workspace_id } = this.#given
    if (this.#isClosed() || place.floor === 0 || !hasRoom()) return false
    const page = yield* notesBefore(sql, workspace_id, place.floor)
    if (page === undefined || page.head.epoch !== place.epoch) return false
    const { hasMore, notes } = page
    yield* this.#copy.add(notes, { ...place, floor: hasMore ? notes.at(-1)!.seq - 1 : 0 })
    return hasMore
  })

  /** Packs and merges as needed, and adds older notes while there is memory for them. */
  readonly #keepUp = Effect.gen({ self: this as WorkspaceIndex }, function* () {
    const { store } = this.#copy
    for (let isMore = true; isMore && !this.#isClosed();) {
      isMore = yield* this.#turn.withPermit(this.#buildPage)
      if (store.isDue || mergeableOf(store.segments) !== undefined || (!isMore && store.isLoading)) yield* this.#tryJob
    }
  })

  /** Starts the background upkeep if the index needs it, unless it is running. */
  readonly #startUpkeep = Effect.flatMap(Clock.currentTimeMillis, (since) => {
    if (this.#phase !== "ready") return Effect.void
    const { place, store } = this.#copy
    const isNeeded =
      store.isDue || mergeableOf(store.segments) !== undefined || (place.floor > 0 && this.#given.hasRoom())
    if (!isNeeded) return Effect.void
    const done = Deferred.makeUnsafe<void>()
    this.#upkeep = { since, done }
    this.#apply("begin")
    return this.#using(this.#keepUp).pipe(
      Effect.catchTag("Unavailable", (error) => Effect.logDebug("a search index was not built", error)),
      Effect.catchDefect(this.#lose),
      Effect.ensuring(
        Effect.sync(() => {
          this.#apply("finish")
          Deferred.doneUnsafe(done, Effect.void)
        })
      ),
      Effect.forkIn(this.#given.scope),
      Effect.asVoid
    )
  })

  readonly #follow = Effect.fnUntraced({ self: this as WorkspaceIndex }, function* (head: ScopeHead) {
    // Notes of other notebooks are in the scope now, without a change of theirs.
    if (this.#tree !== undefined && this.#tree !== head.tree) return this.remove()
    this.#tree = head.tree
    const isBehind = () => {
      const { index, place } = this.#copy
      return !this.#isClosed() && (index === undefined || place.epoch !== head.epoch || place.seq < head.seq)
    }
    if (isBehind()) {
      yield* this.#turn.withPermit(Effect.suspend(() => (isBehind() ? this.#catchingUp : Effect.void))).pipe(
        // A partly changed index is unusable.
        Effect.tapDefect(this.#lose),
        Effect.timeoutOrElse({ duration: searchTimeout, orElse: () => Effect.fail(overloaded(5)) })
      )
    }
    yield* this.#startUpkeep
  })

  /** Catches the index up to `head`, unless it is dropped meanwhile. */
  catchUp(head: ScopeHead): Effect.Effect<void, Unavailable> {
    return this.#using(this.#follow(head))
  }

  /**
   * Catches the index up to `head`, waits some time for a build, and does work with the index in slices. Returns
   * undefined when the index was dropped meanwhile: then the caller needs another index.
   */
  search<A extends object>(
    head: ScopeHead,
    budget: Budget,
    work: (index: SearchIndex, partial: Partial, place: Place) => Sliced<A>
  ): Effect.Effect<A | undefined, Unavailable> {
    const searching = Effect.gen({ self: this as WorkspaceIndex }, function* () {
      yield* this.#follow(head)
      if (this.#phase === "keeping" && this.#partial !== undefined) {
        const { done, since } = this.#upkeep
        const left = since + buildPatience - (yield* Clock.currentTimeMillis)
        if (left > 0) yield* Effect.timeoutOption(Deferred.await(done), left)
      }
      if (this.#isClosed()) return undefined
      const copy = this.#copy
      const given = this.#given
      const run = () => work(copy.index!, this.#partial, copy.place)
      return yield* given.scheduler.run(given.workspace_id, budget, run)
    })
    return this.#using(searching)
  }
}
