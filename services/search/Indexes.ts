import { Context, Effect, Layer, Schedule } from "effect"
import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { Unavailable } from "../Errors.ts"
import { orUnavailable } from "../storage/Database.ts"
import { PageCache } from "./PagedFile.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import type { SearchIndex } from "./SearchIndex.ts"
import type { Held } from "./SearchMessages.ts"
import type { Head } from "./ShownNotes.ts"
import * as WorkspaceIndex from "./WorkspaceIndex.ts"

/** Share of the memory that caches pages of the files. */
const cacheShare = 0.1
/** Share of the memory of all indexes up to which they take in older notes. */
const fullShare = 0.95
/** Maximum number of indexes in memory, each of which has open files. */
const maxIndexes = 500
/** How often the files of workspaces that were erased are removed, and how many directories are looked at together. */
const cleanedEvery = "1 hour"
const cleanedTogether = 1_000

/** An index that has what was asked of it. */
export interface Current {
  /** Where the log ended for the index. */
  readonly head: () => Head
  /** Why older notes are missing. */
  readonly partial: () => WorkspaceIndex.Partial
  /** Does work with the index in slices. */
  readonly run: <A>(budget: Budget, work: (index: SearchIndex) => Sliced<A>) => Effect.Effect<A, Unavailable>
}

/**
 * The full-text indexes of the workspaces that are searched on this node, each one caught up from the log before a search,
 * so that what was written before the search began is found. Those that were used last are in memory.
 */
export class Indexes extends Context.Service<
  Indexes,
  {
    /** The index of a workspace with all that was written up to `head`. */
    readonly current: (workspace_id: string, head: Head) => Effect.Effect<Current, Unavailable>
    /** The index, if it is in memory and likely to have all that was written. It may be behind. */
    readonly latest: (workspace_id: string) => Effect.Effect<Current | undefined>
    /** The log of a workspace has grown: its index, if it is in memory, is caught up before a search asks for it. */
    readonly hear: (grown: { readonly workspace_id: string; readonly seq: number }) => Effect.Effect<void>
    readonly held: () => Held
  }
>()("sheaf/search/Indexes") {
  /** `directory`: where the files of the indexes are. `maxBytes`: the memory of all indexes together. */
  static readonly layer = (options: { readonly directory: string; readonly maxBytes: number }) =>
    Layer.effect(
      Indexes,
      Effect.gen(function* () {
        const sql = yield* SearchDatabase
        const scheduler = yield* CooperativeScheduler
        const scope = yield* Effect.scope
        const pages = new PageCache(options.maxBytes * cacheShare)
        const maxBytes = options.maxBytes * (1 - cacheShare)
        /** By workspace, the least recently used first. */
        const all = new Map<string, WorkspaceIndex.WorkspaceIndex>()
        let loads = 0

        const bytes = () => all.values().reduce((sum, index) => sum + index.bytes(), 0)

        /** Drops the least recently used indexes when there are too many, or they take too much memory together. */
        const makeRoom = (growing: string) => {
          let rest = bytes()
          for (const [workspace_id, index] of all) {
            if (rest <= maxBytes && all.size <= maxIndexes) return
            if (workspace_id === growing || index.isUsed()) continue
            rest -= index.bytes()
            all.delete(workspace_id)
            index.close()
          }
        }

        const indexOf = (workspace_id: string) => {
          const known = all.get(workspace_id)
          const index =
            known ??
            WorkspaceIndex.make(workspace_id, {
              sql,
              scheduler,
              pages,
              scope,
              directory: join(options.directory, workspace_id),
              maxBytes,
              hasRoom: () => bytes() < maxBytes * fullShare,
              changed: () => makeRoom(workspace_id),
              loaded: () => loads++,
              forgotten: () => {
                if (all.get(workspace_id) === index) all.delete(workspace_id)
              }
            })
          all.delete(workspace_id)
          all.set(workspace_id, index)
          return index
        }

        const currentOf = (
          index: WorkspaceIndex.WorkspaceIndex,
          again: Effect.Effect<Current, Unavailable>
        ): Current => ({
          head: index.head,
          partial: index.partial,
          run: (budget, work) =>
            Effect.suspend(() =>
              // It was dropped since, to make room for another one.
              index.isClosed() ? Effect.flatMap(again, (other) => other.run(budget, work)) : index.run(budget, work)
            )
        })

        const current = (workspace_id: string, head: Head): Effect.Effect<Current, Unavailable> =>
          Effect.suspend(() => {
            const index = indexOf(workspace_id)
            const again = Effect.suspend(() => current(workspace_id, head))
            return Effect.flatMap(index.catchUp(head), () =>
              index.isClosed() ? again : Effect.succeed(currentOf(index, again))
            )
          })

        const latest = (workspace_id: string): Effect.Effect<Current | undefined> =>
          Effect.suspend(() => {
            const index = all.get(workspace_id)
            if (index === undefined) return Effect.undefined
            return Effect.map(index.isQuiet, (isQuiet) =>
              isQuiet ? currentOf(indexOf(workspace_id), current(workspace_id, index.head())) : undefined
            )
          })

        /** Removes the files of workspaces that were erased. */
        const clean = Effect.gen(function* () {
          if (!existsSync(options.directory)) return
          const names = yield* Effect.promise(() => readdir(options.directory))
          for (let from = 0; from < names.length; from += cleanedTogether) {
            const some = names.slice(from, from + cleanedTogether)
            const rows = yield* orUnavailable(
              sql.unsafe<{ workspace_id: string }>(
                "SELECT workspace_id FROM heads WHERE workspace_id = ANY($1::text[])",
                [some]
              )
            )
            const kept = new Set(rows.map(({ workspace_id }) => workspace_id))
            for (const name of some) {
              if (!kept.has(name)) {
                yield* Effect.promise(() => rm(join(options.directory, name), { recursive: true, force: true }))
              }
            }
          }
        })

        yield* clean.pipe(
          Effect.catchCause((cause) => Effect.logWarning("files of search indexes were not cleaned up", cause)),
          Effect.repeat(Schedule.spaced(cleanedEvery)),
          Effect.forkScoped
        )

        return Indexes.of({
          current,
          latest,
          hear: ({ seq, workspace_id }) => all.get(workspace_id)?.hear(seq) ?? Effect.void,
          held: () => ({
            workspaces: all.size,
            bytes: bytes() + pages.bytes,
            files: all.values().reduce((sum, index) => sum + index.files().count, 0),
            fileBytes: all.values().reduce((sum, index) => sum + index.files().bytes, 0),
            loads
          })
        })
      })
    )
}
