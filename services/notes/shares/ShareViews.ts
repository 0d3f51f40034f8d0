import { Context, Effect, Layer, Schedule, Semaphore } from "effect"
import type { Unavailable } from "../../Errors.ts"
import { BackgroundWork } from "../../concurrency/BackgroundWork.ts"
import { Database, runSql } from "../../database/Database.ts"

/** When a process is killed, it loses the views of at most this time. */
const flushInterval = "3 seconds"
/** Maximum number of shares in one statement. */
const batch = 1_000
/** Maximum number of shares with views to store. Views of further shares are not counted until these are stored. */
const maxWaiting = 100_000

interface ViewCount {
  readonly workspace_id: string
  readonly share_id: string
  views: number
}

/** In order, so that two nodes do not wait for each other. Views of a deleted share are dropped. */
const add = `INSERT INTO share_views AS known (workspace_id, share_id, views)
  SELECT s.workspace_id, s.id, x.views::bigint
  FROM unnest($1::text[], $2::text[], $3::text[]) AS x(workspace_id, share_id, views)
  JOIN shares s ON s.workspace_id = x.workspace_id AND s.id = x.share_id
  ORDER BY s.workspace_id, s.id FOR KEY SHARE OF s
  ON CONFLICT (workspace_id, share_id) DO UPDATE SET views = known.views + excluded.views`

/**
 * Counts views of shares in memory, and adds the counts to the database every few seconds: so a view needs no write,
 * and the views of all nodes add up. Counts that could not be stored are kept.
 */
export class ShareViews extends Context.Service<
  ShareViews,
  {
    readonly count: (share: { readonly workspace_id: string; readonly id: string }) => void
    /** Stores the counts. Runs every 3 seconds, and when the server stops. */
    readonly flush: Effect.Effect<void, Unavailable>
  }
>()("sheaf/notes/shares/ShareViews") {
  static readonly layer = Layer.effect(
    ShareViews,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const turn = Semaphore.makeUnsafe(1)
      let waiting = new Map<string, ViewCount>()

      const count = (workspace_id: string, share_id: string, views: number) => {
        const key = `${workspace_id} ${share_id}`
        const known = waiting.get(key)
        if (known !== undefined) known.views += views
        else if (waiting.size < maxWaiting) waiting.set(key, { workspace_id, share_id, views })
      }

      const store = (counts: ReadonlyArray<ViewCount>) =>
        Effect.onError(
          runSql(sql, add, [
            counts.map(({ workspace_id }) => workspace_id),
            counts.map(({ share_id }) => share_id),
            counts.map(({ views }) => String(views))
          ]),
          () => Effect.sync(() => counts.forEach((each) => count(each.workspace_id, each.share_id, each.views)))
        )

      const storeAll = Effect.suspend(() => {
        const counts = [...waiting.values()]
        waiting = new Map()
        const batches = Array.from({ length: Math.ceil(counts.length / batch) }, (_, index) =>
          counts.slice(index * batch, (index + 1) * batch)
        )
        return Effect.forEach(batches, store, { discard: true })
      })

      // One write at a time and without interruption, so that it is known what was stored.
      const flush = turn.withPermit(Effect.uninterruptible(storeAll))

      yield* Effect.addFinalizer(() =>
        Effect.catchCause(flush, (cause) => Effect.logWarning("the last views of shares could not be stored", cause))
      )
      const rounds = (yield* BackgroundWork).rounds("views of shares")
      yield* Effect.forkScoped(
        Effect.repeat(
          rounds(Effect.catchCause(flush, (cause) => Effect.logWarning("views of shares could not be stored", cause))),
          Schedule.spaced(flushInterval)
        )
      )

      return ShareViews.of({ count: ({ id, workspace_id }) => count(workspace_id, id, 1), flush })
    })
  )
}
