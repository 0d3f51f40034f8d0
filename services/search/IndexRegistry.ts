import { PgClient } from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Schedule } from "effect"
import { join } from "node:path"
import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { Unavailable } from "../Errors.ts"
import { headsOf } from "./ChangedNotes.ts"
import { headOf, type IndexScope, nameOf, notesOf, workspaceOf } from "./IndexScope.ts"
import { PageCache } from "./engine/index/PagedFile.ts"
import type { Place } from "./engine/index/SavedIndex.ts"
import type { SearchIndex } from "./engine/query/SearchIndex.ts"
import type { Held } from "./SearchThread.ts"
import { type Partial, WorkspaceIndex } from "./WorkspaceIndex.ts"

/** Share of the memory for the cache of file pages. */
const cacheShare = 0.1
/** Share of the memory of all indexes above which they do not add older notes. */
const fullShare = 0.95
/** Maximum number of indexes in memory. Each has open files. */
const maxIndexes = 500
/** Interval at which the indexes in memory are caught up with the log, even without a search. */
const catchUpInterval = "2 seconds"
/** Maximum number of indexes that are caught up at the same time. */
const catchUpConcurrency = 4

/**
 * The full-text indexes of the workspaces that are searched on this node. Each is caught up from the log before a
 * search, which therefore finds all earlier writes. The most recently used indexes are in memory.
 */
export class IndexRegistry extends Context.Service<
  IndexRegistry,
  {
    /**
     * Does work in slices with the index of a scope, caught up with all earlier writes. Returns undefined when the
     * workspace does not exist.
     */
    readonly search: <A extends object>(
      scope: IndexScope,
      budget: Budget,
      work: (index: SearchIndex, partial: Partial, place: Place) => Sliced<A>
    ) => Effect.Effect<A | undefined, Unavailable>
    /** Drops the indexes of a workspace with their files: the next search builds them again. */
    readonly remove: (workspace_id: string) => void
    readonly held: () => Held
    /** Whether the index with a name is in memory. */
    readonly holds: (name: string) => boolean
  }
>()("sheaf/search/IndexRegistry") {
  /**
   * `directory`: where the files of the indexes are. `maxBytes`: the memory of all indexes together. `caughtUp`: called
   * each time after the indexes in memory were caught up with the log.
   */
  static readonly layer = (options: {
    readonly directory: string
    readonly maxBytes: number
    readonly caughtUp: (held: Held) => void
  }) =>
    Layer.effect(
      IndexRegistry,
      Effect.gen(function* () {
        const sql = yield* PgClient
        const scheduler = yield* CooperativeScheduler
        const scope = yield* Effect.scope
        const pages = new PageCache(options.maxBytes * cacheShare)
        const maxBytes = options.maxBytes * (1 - cacheShare)
        /** By name, the least recently used first. */
        const all = new Map<string, WorkspaceIndex>()
        let loads = 0

        const bytes = () => all.values().reduce((sum, index) => sum + index.bytes, 0)

        /** Drops the least recently used indexes when there are too many, or they take too much memory together. */
        const makeRoom = (growing: string) => {
          let rest = bytes()
          for (const [name, index] of all) {
            if (rest <= maxBytes && all.size <= maxIndexes) return
            if (name === growing || index.isUsed) continue
            rest -= index.bytes
            all.delete(name)
            index.close()
          }
        }

        const indexOf = (searched: IndexScope) => {
          const name = nameOf(searched)
          const known = all.get(name)
          const index =
            known ??
            new WorkspaceIndex({
              searched,
              workspace_id: searched.workspace_id,
              sql: notesOf(sql, searched),
              scheduler,
              pages,
              scope,
              directory: join(options.directory, name),
              maxBytes,
              hasRoom: () => bytes() < maxBytes * fullShare,
              changed: () => makeRoom(name),
              loaded: () => loads++,
              forgotten: () => {
                if (all.get(name) === index) all.delete(name)
              }
            })
          all.delete(name)
          all.set(name, index)
          return index
        }

        const search = <A extends object>(
          searched: IndexScope,
          budget: Budget,
          work: (index: SearchIndex, partial: Partial, place: Place) => Sliced<A>
        ): Effect.Effect<A | undefined, Unavailable> =>
          Effect.gen(function* () {
            while (true) {
              const head = yield* headOf(sql, searched)
              if (head === undefined) return undefined
              const result = yield* indexOf(searched).search(head, budget, work)
              if (result !== undefined) return result
            }
          })

        const held = (): Held => ({
          workspaces: all.size,
          bytes: bytes() + pages.bytes,
          files: all.values().reduce((sum, index) => sum + index.files.count, 0),
          fileBytes: all.values().reduce((sum, index) => sum + index.files.bytes, 0),
          loads
        })

        /** Catches up the indexes in memory, so that the next search does not have to. */
        const follow = Effect.gen(function* () {
          const heads = all.size === 0 ? [] : yield* headsOf(sql, [...new Set([...all.keys()].map(workspaceOf))])
          const ends = new Map(heads.map((head) => [head.workspace_id, head]))
          const catchUp = Effect.fnUntraced(function* (index: WorkspaceIndex) {
            const head = ends.get(index.searched.workspace_id)
            if (head === undefined) return
            const own = index.searched.reach === undefined ? head : yield* headOf(sql, index.searched)
            if (own !== undefined) yield* index.catchUp(own)
          })
          yield* Effect.forEach([...all.values()], catchUp, { concurrency: catchUpConcurrency, discard: true })
          options.caughtUp(held())
        })
        yield* follow.pipe(
          // The next search catches up, or fails as well.
          Effect.catchCause((cause) => Effect.logDebug("search indexes were not caught up", cause)),
          Effect.repeat(Schedule.spaced(catchUpInterval)),
          Effect.forkScoped
        )

        return IndexRegistry.of({
          search,
          remove: (workspace_id) => {
            indexOf({ workspace_id, reach: undefined }).remove()
            for (const [name, index] of all) if (workspaceOf(name) === workspace_id) index.remove()
          },
          held,
          holds: (name) => all.has(name)
        })
      })
    )
}
