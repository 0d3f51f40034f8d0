import { Clock, Effect } from "effect"
import { Budget } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { SearchIndex } from "./SearchIndex.ts"
import { Snapshots } from "./Snapshots.ts"

/** A smaller index is made anew as fast as it is read. */
const minSaved = 200
/** A snapshot is made anew when so many notes have changed, or this share of all, and not more often than this. */
const savedShare = 1 / 20
const savedEvery = 30_000
/** One that was given up, as the index changed meanwhile, is tried again after this; and after so many all changes wait. */
const triedEvery = 3_000
const savedWhileChanged = 5

/** What is looked after of an index. */
export interface Kept {
  readonly index: SearchIndex
  readonly epoch: string
  readonly seq: number
  /** Notes that were taken in since the last snapshot, and from when on there may be another one. */
  unsaved: number
  savedFrom: number
  /** Snapshots in a row that were given up, as the index changed meanwhile. */
  changedOnes: number
  isSaving: boolean
  isPacking: boolean
}

export const notKept = { unsaved: 0, savedFrom: -Infinity, changedOnes: 0, isSaving: false, isPacking: false } as const

/** When there may be another snapshot of an index that was read from one at some time. */
export const afterLoad = (now: number): number => now + savedEvery

/** What an index needs after it has taken in changes: its postings are packed, and a snapshot is made. Nobody waits for it. */
export const make = Effect.gen(function* () {
  const scheduler = yield* CooperativeScheduler
  const snapshots = yield* Snapshots
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope

  const isDue = (kept: Kept): boolean =>
    !kept.isSaving &&
    kept.index.size >= minSaved &&
    kept.unsaved >= Math.max(minSaved, kept.index.size * savedShare) &&
    clock.currentTimeMillisUnsafe() >= kept.savedFrom

  const save = (workspace_id: string, kept: Kept): Effect.Effect<void> => {
    if (!isDue(kept)) return Effect.void
    kept.isSaving = true
    const { unsaved } = kept
    const now = () => ({
      index: kept.index,
      place: { workspace_id, epoch: kept.epoch, seq: kept.seq }
    })
    return snapshots.save(workspace_id, now, kept.changedOnes >= savedWhileChanged).pipe(
      Effect.map((isSaved) => {
        kept.changedOnes = isSaved ? 0 : kept.changedOnes + 1
        if (isSaved) kept.unsaved -= unsaved
        return isSaved ? savedEvery : triedEvery
      }),
      Effect.catchTag("Unavailable", (error) =>
        Effect.as(Effect.logDebug("a search index could not be kept", error), savedEvery)
      ),
      Effect.map((pause) => (kept.savedFrom = clock.currentTimeMillisUnsafe() + pause)),
      Effect.ensuring(Effect.sync(() => (kept.isSaving = false))),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const pack = (workspace_id: string, kept: Kept): Effect.Effect<void> => {
    const { store } = kept.index
    if (kept.isPacking || !store.postings.isDue) return Effect.void
    kept.isPacking = true
    const budget = new Budget()
    return scheduler
      .runAtLowPriority(workspace_id, budget, () => store.sealing(budget))
      .pipe(
        Effect.catchTag("Unavailable", (error) => Effect.logDebug("postings could not be packed", error)),
        Effect.ensuring(Effect.sync(() => (kept.isPacking = false))),
        Effect.forkIn(scope),
        Effect.asVoid
      )
  }

  return (workspace_id: string, kept: Kept): Effect.Effect<void> =>
    Effect.suspend(() => Effect.andThen(pack(workspace_id, kept), save(workspace_id, kept)))
})
