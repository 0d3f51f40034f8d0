import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { Budget, type Sliced } from "../budgets/Budget.ts"
import { Turns } from "../budgets/Turns.ts"
import { Unavailable } from "../Errors.ts"
import { type Change, changesSince, pageSize } from "./Changes.ts"
import type { Head } from "./Heads.ts"
import type { Held as Total } from "./SearchMessages.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { ShownNotes } from "./ShownNotes.ts"
import { Snapshots } from "./Snapshots.ts"

/** All indexes together take at most so many bytes: the longest unused ones make room while another one grows. */
const maxBytes = 160 * 1024 * 1024
/** So many searches of one workspace wait for its index at most. */
const maxWaiting = 20
/** A search waits so long for its index; the index goes on meanwhile. */
const patience = "30 seconds"

/** A smaller index is made anew as fast as it is read. */
const minSaved = 200
/** A snapshot is made anew when so many notes have changed, or this share of all, and not more often than this. */
const savedShare = 1 / 20
const savedEvery = 30_000
/** One that was given up, as the index changed meanwhile, is tried again after this; and after so many all changes wait. */
const triedEvery = 3_000
const savedWhileChanged = 5

/** So many changed notes are taken in together. */
const many = 20

/** Steps of a note's removal. */
const removal = 1_000

const tooLarge = new Unavailable({
  code: "overloaded",
  detail: "The workspace has more text than this server can index",
  retry_after: 3600
})

const overloaded = new Unavailable({
  code: "overloaded",
  detail: "The workspace is being indexed for the search",
  retry_after: 5
})

interface Held {
  index: SearchIndex
  epoch: string
  /** All changes up to here are in the index. */
  seq: number
  readonly turn: Semaphore.Semaphore
  /** It is about to be caught up, with nobody waiting for it. */
  isNudged: boolean
  isCatchingUp: boolean
  /** Whether it was looked for among the snapshots. */
  isLoaded: boolean
  /** Notes that were taken in since the last snapshot, and from when on there may be another one. */
  unsaved: number
  savedFrom: number
  /** Snapshots in a row that were given up, as the index changed meanwhile. */
  changedOnes: number
  isSaving: boolean
  isPacking: boolean
  /** Searches that wait for it. */
  waiting: number
  /** What it takes, as it was counted last. */
  bytes: number
}

/** An index that has what was asked of it. */
export interface Current {
  readonly index: SearchIndex
  /** Up to where it holds all that was written, or further. */
  readonly head: () => Head
}

/**
 * The full-text indexes of the workspaces that are searched on this node: each one caught up from the log before it
 * answers, so that what was written before a search began is found by it.
 */
export class Indexes extends Context.Service<
  Indexes,
  {
    /** The index of a workspace, holding all that was written up to `head`. */
    readonly current: (workspace_id: string, head: Head) => Effect.Effect<Current, Unavailable>
    /** The index as it is, if it is here and lacks nothing that the thread was told of: it may be behind all the same. */
    readonly latest: (workspace_id: string) => Current | undefined
    /** A workspace was written to: its index, if it is here, is caught up before somebody asks for it. */
    readonly keepUp: (workspace_id: string) => Effect.Effect<void>
    readonly held: () => Total
    readonly shown: ShownNotes
  }
>()("sheaf/search/Indexes") {
  /** `dropped` is told which workspaces had to make room. */
  static readonly layer = (options: { readonly dropped: (workspaces: ReadonlyArray<string>, held: Total) => void }) =>
    Layer.effect(
      Indexes,
      Effect.gen(function* () {
        const sql = yield* SearchDatabase
        const turns = yield* Turns
        const snapshots = yield* Snapshots
        const clock = yield* Clock.Clock
        const scope = yield* Effect.scope
        const shown = new ShownNotes(sql)
        let loads = 0
        const all = new Map<string, Held>()
        let lastUsed = ""
        /** Of all together, as they were counted last. */
        let bytes = 0

        const count = (held: Held, counted: number) => {
          bytes += counted - held.bytes
          held.bytes = counted
        }

        const drop = (workspace_id: string, held: Held) => {
          if (all.get(workspace_id) !== held) return
          all.delete(workspace_id)
          count(held, 0)
        }

        const total = (): Total => ({ workspaces: all.size, bytes, loads })

        /** The longest unused make room for one that grows. */
        const makeRoomFor = (workspace_id: string, growing: Held) => {
          if (all.get(workspace_id) === growing) count(growing, growing.index.bytes)
          const dropped: Array<string> = []
          for (const [workspace_id, held] of all) {
            if (bytes <= maxBytes) break
            if (held === growing) continue
            drop(workspace_id, held)
            dropped.push(workspace_id)
          }
          if (dropped.length > 0) options.dropped(dropped, total())
        }

        function* taking(workspace_id: string, held: Held, rows: ReadonlyArray<Change>, budget: Budget): Sliced<void> {
          for (const row of rows) {
            shown.forget(workspace_id, row.id)
            if (!row.gone) yield* held.index.adding(row, budget, rows.length >= many)
            else {
              held.index.remove(row.id)
              if (budget.spend(removal)) yield
            }
          }
          yield* held.index.tidying(budget)
        }

        const load = Effect.fnUntraced(function* (workspace_id: string, held: Held) {
          if (held.isLoaded) return
          const loaded = yield* snapshots.load(workspace_id)
          held.isLoaded = true
          if (loaded === undefined) return
          held.index = loaded.index
          held.epoch = loaded.epoch
          held.seq = loaded.seq
          held.savedFrom = clock.currentTimeMillisUnsafe() + savedEvery
          loads++
          makeRoomFor(workspace_id, held)
        })

        const isDue = (held: Held): boolean =>
          !held.isSaving &&
          held.index.size >= minSaved &&
          held.unsaved >= Math.max(minSaved, held.index.size * savedShare) &&
          clock.currentTimeMillisUnsafe() >= held.savedFrom

        /** Begins a snapshot when it is due; nobody waits for it. */
        const keep = (workspace_id: string, held: Held): Effect.Effect<void> => {
          if (!isDue(held)) return Effect.void
          held.isSaving = true
          const { unsaved } = held
          const now = () => ({
            index: held.index,
            place: { workspace_id, epoch: held.epoch, seq: held.seq }
          })
          return snapshots.save(workspace_id, now, held.changedOnes >= savedWhileChanged).pipe(
            Effect.map((isSaved) => {
              held.changedOnes = isSaved ? 0 : held.changedOnes + 1
              if (isSaved) held.unsaved -= unsaved
              return isSaved ? savedEvery : triedEvery
            }),
            Effect.catchTag("Unavailable", (error) =>
              Effect.as(Effect.logDebug("a search index could not be kept", error), savedEvery)
            ),
            Effect.map((pause) => (held.savedFrom = clock.currentTimeMillisUnsafe() + pause)),
            Effect.ensuring(Effect.sync(() => (held.isSaving = false))),
            Effect.forkIn(scope),
            Effect.asVoid
          )
        }

        /** Begins to pack what has come when that is much; nobody waits for it. */
        const pack = (workspace_id: string, held: Held): Effect.Effect<void> => {
          const { store } = held.index
          if (held.isPacking || !store.postings.isDue) return Effect.void
          held.isPacking = true
          const budget = new Budget()
          return turns
            .runLast(workspace_id, budget, () => store.sealing(budget))
            .pipe(Effect.ensuring(Effect.sync(() => (held.isPacking = false))), Effect.forkIn(scope), Effect.asVoid)
        }

        const catchingUp = Effect.fnUntraced(function* (workspace_id: string, held: Held) {
          yield* load(workspace_id, held)
          let rows = yield* changesSince(sql, workspace_id, held.seq)
          while (true) {
            const [first] = rows
            if (first === undefined) return
            if (first.epoch !== held.epoch || first.head < held.seq) {
              // The workspace is another than the one that was indexed: a backup was restored.
              held.index = new SearchIndex()
              held.epoch = first.epoch
              if (held.seq > 0) {
                held.seq = 0
                rows = yield* changesSince(sql, workspace_id, 0)
                continue
              }
            }
            const found = first.found ?? 0
            const changes = found === 0 ? [] : rows
            const isLast = changes.length === found && found < pageSize
            if (changes.length > 0) {
              const budget = new Budget()
              const { seq } = changes.at(-1)!
              // Whole, also when whoever waits goes away meanwhile.
              const taken = Effect.uninterruptible(
                Effect.tap(
                  turns.run(workspace_id, budget, () => taking(workspace_id, held, changes, budget)),
                  () => Effect.sync(() => (held.seq = seq))
                )
              )
              // The next ones are read meanwhile.
              const [, more] = yield* Effect.all(
                [taken, isLast ? Effect.succeed(rows) : changesSince(sql, workspace_id, seq)],
                {
                  concurrency: 2
                }
              )
              rows = more
              held.unsaved += changes.length
              makeRoomFor(workspace_id, held)
              if (held.index.bytes > 1.5 * maxBytes) return yield* tooLarge
            }
            if (isLast) {
              held.seq = first.head
              yield* pack(workspace_id, held)
              return yield* keep(workspace_id, held)
            }
          }
        })

        const catchUp = (workspace_id: string, held: Held) =>
          Effect.suspend(() => {
            held.isCatchingUp = true
            return Effect.ensuring(
              catchingUp(workspace_id, held),
              Effect.sync(() => (held.isCatchingUp = false))
            )
          })

        /** Last in the map is last used. */
        const use = (workspace_id: string, held: Held): Current => {
          if (workspace_id !== lastUsed || !all.has(workspace_id)) {
            all.delete(workspace_id)
            all.set(workspace_id, held)
            lastUsed = workspace_id
          }
          return {
            get index() {
              return held.index
            },
            head: () => ({ epoch: held.epoch, seq: held.seq })
          }
        }

        const latest = (workspace_id: string): Current | undefined => {
          const held = all.get(workspace_id)
          return held === undefined || held.epoch === "" || held.isNudged || held.isCatchingUp
            ? undefined
            : use(workspace_id, held)
        }

        const current = Effect.fnUntraced(function* (workspace_id: string, head: Head) {
          const held = all.get(workspace_id) ?? {
            index: new SearchIndex(),
            epoch: "",
            seq: 0,
            turn: Semaphore.makeUnsafe(1),
            isNudged: false,
            isCatchingUp: false,
            isLoaded: false,
            unsaved: 0,
            savedFrom: -Infinity,
            changedOnes: 0,
            isSaving: false,
            isPacking: false,
            waiting: 0,
            bytes: 0
          }
          const found = use(workspace_id, held)
          if (held.epoch === head.epoch && held.seq >= head.seq) return found
          if (held.waiting >= maxWaiting) return yield* overloaded
          held.waiting++
          yield* held.turn.withPermit(catchUp(workspace_id, held)).pipe(
            // Half caught up is of no use when it was an error of the index itself.
            Effect.tapDefect(() => Effect.sync(() => drop(workspace_id, held))),
            Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(overloaded) }),
            Effect.ensuring(Effect.sync(() => held.waiting--))
          )
          return found
        })

        const keepUp = Effect.fnUntraced(function* (workspace_id: string) {
          const held = all.get(workspace_id)
          if (held === undefined || held.isNudged) return
          held.isNudged = true
          yield* held.turn
            .withPermit(
              Effect.suspend(() => {
                held.isNudged = false
                return all.get(workspace_id) === held ? catchUp(workspace_id, held) : Effect.void
              })
            )
            .pipe(
              // Whoever searches next will hear of it.
              Effect.catchTag("Unavailable", (error) => Effect.logDebug("an index could not be caught up", error)),
              Effect.tapDefect(() => Effect.sync(() => drop(workspace_id, held))),
              Effect.ensuring(Effect.sync(() => (held.isNudged = false)))
            )
        })

        return Indexes.of({ current, latest, keepUp, held: total, shown })
      })
    )
}
