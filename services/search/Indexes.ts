import { Clock, Context, Effect, Layer } from "effect"
import { Budget, type Sliced } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import { Unavailable } from "../Errors.ts"
import { changesSince, pageSize } from "./Changes.ts"
import { type ComingNote, ComingNotes } from "./ComingNotes.ts"
import type { IndexedNote } from "./Entries.ts"
import type { Head } from "./Heads.ts"
import { type Held, HeldIndexes, maxBytes, newHeld } from "./HeldIndexes.ts"
import type { Announced, Grown, Held as Total, News } from "./SearchMessages.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { ShownNotes } from "./ShownNotes.ts"
import { Snapshots } from "./Snapshots.ts"
import * as Upkeep from "./Upkeep.ts"

/** So many searches of one workspace wait for its index at most. */
const maxWaiting = 20
/** A search waits so long for its index; the index goes on meanwhile. */
const patience = "30 seconds"

/** So many changed notes are taken in together; and of those that are to come so many are read before others have a turn. */
const many = 20
/** What was read of notes to come takes at most so many bytes. */
const maxComing = 8 * 1024 * 1024
/** So much news of a workspace waits; what more there is, is read from the log. */
const maxNews = 64

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
    /** The index, if it is here, with all that the thread was told of so far: it may be behind all the same. */
    readonly latest: (workspace_id: string) => Effect.Effect<Current | undefined, Unavailable>
    /** A workspace is written to: its index, if it is here, takes that in before somebody asks for it. */
    readonly hear: (news: News) => Effect.Effect<void>
    readonly held: () => Total
    readonly shown: ShownNotes
  }
>()("sheaf/search/Indexes") {
  /** `dropped` is told which workspaces had to make room; `heard`, how many bytes of news are not held any more. */
  static readonly layer = (options: {
    readonly dropped: (workspaces: ReadonlyArray<string>, held: Total) => void
    readonly heard: (bytes: number) => void
  }) =>
    Layer.effect(
      Indexes,
      Effect.gen(function* () {
        const sql = yield* SearchDatabase
        const scheduler = yield* CooperativeScheduler
        const snapshots = yield* Snapshots
        const clock = yield* Clock.Clock
        const lookAfter = yield* Upkeep.make
        const shown = new ShownNotes(sql)
        const coming = new ComingNotes(maxComing)
        let loads = 0
        let catchUps = 0
        const all = new HeldIndexes()

        const total = (): Total => ({ workspaces: all.size, bytes: all.bytes, loads, catchUps })

        const makeRoomFor = (workspace_id: string, growing: Held) => {
          const dropped = all.makeRoomFor(workspace_id, growing)
          if (dropped.length > 0) options.dropped(dropped, total())
        }

        function* taking(
          workspace_id: string,
          held: Held,
          all: ReadonlyArray<ComingNote | { readonly id: string; readonly note: IndexedNote | undefined }>,
          budget: Budget
        ): Sliced<void> {
          const { store } = held.index
          const areMany = all.length >= many
          for (const { id, note } of all) {
            shown.forget(workspace_id, id)
            if (note === undefined) {
              store.remove(id)
              if (budget.spend(removal)) yield
            } else yield* "row" in note ? store.taking(note, budget, areMany) : store.adding(note, budget, areMany)
          }
          yield* store.tidying(budget)
        }

        /** Takes in the notes that have changed up to `seq`: whole, also when whoever waits goes away meanwhile. */
        const take = (workspace_id: string, held: Held, all: Parameters<typeof taking>[2], seq: number) =>
          Effect.suspend(() => {
            const budget = new Budget()
            return Effect.uninterruptible(
              Effect.map(
                scheduler.run(workspace_id, budget, () => taking(workspace_id, held, all, budget)),
                () => {
                  held.seq = seq
                  held.unsaved += all.length
                  makeRoomFor(workspace_id, held)
                }
              )
            )
          })

        const load = Effect.fnUntraced(function* (workspace_id: string, held: Held) {
          if (held.isLoaded) return
          const loaded = yield* snapshots.load(workspace_id)
          held.isLoaded = true
          if (loaded === undefined) return
          held.index = loaded.index
          held.epoch = loaded.epoch
          held.seq = loaded.seq
          held.savedFrom = Upkeep.afterLoad(clock.currentTimeMillisUnsafe())
          loads++
          makeRoomFor(workspace_id, held)
        })

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
              const { seq } = changes.at(-1)!
              const all = changes.map((row) => ({ id: row.id, note: row.gone ? undefined : row }))
              // The next ones are read meanwhile.
              const [, more] = yield* Effect.all(
                [
                  take(workspace_id, held, all, seq),
                  isLast ? Effect.succeed(rows) : changesSince(sql, workspace_id, seq)
                ],
                { concurrency: 2 }
              )
              rows = more
              if (held.index.bytes > 1.5 * maxBytes) return yield* tooLarge
            }
            if (isLast) {
              held.seq = first.head
              return yield* lookAfter(workspace_id, held)
            }
          }
        })

        const catchUp = (workspace_id: string, held: Held) =>
          Effect.suspend(() => {
            held.isCatchingUp = true
            catchUps++
            return Effect.ensuring(
              catchingUp(workspace_id, held),
              Effect.sync(() => (held.isCatchingUp = false))
            )
          })

        /** Reads notes that are to come. Searches of the workspace go between. */
        const readComing = Effect.fnUntraced(function* (held: Held, { notes, witness, workspace_id }: Announced) {
          const all: Array<ComingNote> = []
          const reading = function* (from: number, budget: Budget): Sliced<void> {
            for (const { id, note } of notes.slice(from, from + many)) {
              all.push({ id, note: note && (yield* held.index.store.reading(note, budget)) })
            }
          }
          for (let from = 0; from < notes.length; from += many) {
            const budget = new Budget()
            yield* Effect.uninterruptible(scheduler.run(workspace_id, budget, () => reading(from, budget)))
          }
          coming.set(workspace_id, { witness, notes: all })
        })

        /** Takes in what was written: the notes that were read before, or what the log has. */
        const takeGrown = Effect.fnUntraced(function* (held: Held, grown: Grown) {
          const { first, last, workspace_id } = grown
          if (last <= held.seq) return
          const read = coming.take(workspace_id)
          const { vocabulary } = held.index.store
          const notes = grown.notes === 0 ? [] : read?.witness === grown.witness ? read?.notes : undefined
          const isNext = held.epoch !== "" && first === held.seq + 1
          if (!isNext || notes?.every(({ note }) => note === undefined || note.vocabulary === vocabulary) !== true) {
            return yield* catchUp(workspace_id, held)
          }
          yield* take(workspace_id, held, notes, last)
          yield* lookAfter(workspace_id, held)
        })

        const use = (workspace_id: string, held: Held): Current => {
          all.use(workspace_id, held)
          return {
            get index() {
              return held.index
            },
            head: () => ({ epoch: held.epoch, seq: held.seq })
          }
        }

        /** Has the turn of an index, for a search that waits for it. */
        const inTurn = (workspace_id: string, held: Held, work: Effect.Effect<void, Unavailable>) =>
          Effect.suspend(() => {
            if (held.waiting >= maxWaiting) return Effect.fail(overloaded)
            held.waiting++
            return held.turn.withPermit(work).pipe(
              // Half caught up is of no use when it was an error of the index itself.
              Effect.tapDefect(() => Effect.sync(() => all.drop(workspace_id, held))),
              Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(overloaded) }),
              Effect.ensuring(Effect.sync(() => held.waiting--))
            )
          })

        /** Waits for what was told up to now, as far as `seq`. */
        const listen = Effect.fnUntraced(function* (workspace_id: string, held: Held, seq: number) {
          const until = Math.min(seq, held.told)
          while (held.seq < until && held.isHearing) yield* inTurn(workspace_id, held, Effect.void)
        })

        const latest = Effect.fnUntraced(function* (workspace_id: string) {
          const held = all.get(workspace_id)
          if (held === undefined || held.epoch === "" || held.isCatchingUp) return undefined
          yield* listen(workspace_id, held, Infinity)
          return all.get(workspace_id) === held ? use(workspace_id, held) : undefined
        })

        const current = Effect.fnUntraced(function* (workspace_id: string, head: Head) {
          const held = all.get(workspace_id) ?? newHeld()
          const found = use(workspace_id, held)
          const isBehind = () => held.epoch !== head.epoch || held.seq < head.seq
          if (isBehind()) yield* listen(workspace_id, held, head.seq)
          if (isBehind()) {
            const caughtUp = Effect.suspend(() => (isBehind() ? catchUp(workspace_id, held) : Effect.void))
            yield* inTurn(workspace_id, held, caughtUp)
          }
          return found
        })

        const bytesOf = (news: News): number => ("coming" in news ? news.coming.bytes : 0)

        /** Comes to all the news of an index, one after the other; between them searches have their turn. */
        const hearing = Effect.fnUntraced(function* (workspace_id: string, held: Held) {
          for (let next = held.news.shift(); next !== undefined; next = held.news.shift()) {
            const news = next
            const work = Effect.suspend(() => {
              if (all.get(workspace_id) !== held) return Effect.void
              return "coming" in news ? readComing(held, news.coming) : takeGrown(held, news.grown)
            })
            yield* held.turn.withPermit(work).pipe(
              // Whoever searches next will hear of it.
              Effect.catchTag("Unavailable", (error) => Effect.logDebug("an index could not be caught up", error)),
              // It is made anew with the next search; the rest of the news is only put away.
              Effect.catchDefect((defect) => {
                all.drop(workspace_id, held)
                return Effect.logError("an index failed", defect)
              }),
              Effect.ensuring(Effect.sync(() => options.heard(bytesOf(news))))
            )
            yield* Effect.yieldNow
          }
        })

        const hear = (news: News) =>
          Effect.suspend(() => {
            const { workspace_id } = "coming" in news ? news.coming : news.grown
            const held = all.get(workspace_id)
            if (held === undefined) {
              options.heard(bytesOf(news))
              return Effect.void
            }
            if ("grown" in news) held.told = Math.max(held.told, news.grown.last)
            if (held.news.length >= maxNews) {
              for (const each of held.news.splice(0)) options.heard(bytesOf(each))
            }
            held.news.push(news)
            if (held.isHearing) return Effect.void
            held.isHearing = true
            return Effect.ensuring(
              hearing(workspace_id, held),
              Effect.sync(() => (held.isHearing = false))
            )
          })

        return Indexes.of({ current, hear, latest, held: total, shown })
      })
    )
}
