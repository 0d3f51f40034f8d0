import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { type Event, eventList, readableParams, readableText } from "./Event.ts"
import { columnsOf } from "../tables/Column.ts"
import { type BadRequest, Expired, NotFound, type Unavailable } from "../Errors.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal } from "../Principal.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { seqOfEvent } from "../writer/LogEntry.ts"
import { restoreOf } from "../writer/Restores.ts"
import { Lists } from "../lists/Lists.ts"
import { ago } from "../database/DeleteInBatches.ts"
import { traced } from "../Traced.ts"

/** Milliseconds for which entries of the log are kept: 90 days (contract 9). */
export const eventLife = 90 * 24 * 3600_000

const pruneBatch = 1_000

const missing = NotFound.of("event")

/** The append-only event log of a workspace (contract 9). */
export class Events extends Context.Service<
  Events,
  {
    /** Fails with 410 if the position is from before a restore. */
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Expired | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<Event, NotFound | Unavailable, Principal>
    /** Deletes the events that are too old, the oldest of each workspace first. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/activity/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const { read, write } = yield* Database
      const lists = yield* Lists

      /** Refuses a position of another epoch (contract 6, "After a restore"). */
      const refuseLost = Effect.fnUntraced(function* (workspace_id: WorkspaceId) {
        const restored = yield* orUnavailable(restoreOf(read, workspace_id))
        if (restored === undefined) return
        return yield* new Expired({
          code: "cursor_expired",
          detail: `The server was restored at ${restored.restored_at}: read the events again, without a cursor`,
          extra: { resync_cursor: null, restored }
        })
      })

      const list = traced("Events.list")(function* ({ cursor, ...query }: PageQuery) {
        const principal = yield* Principal
        const { workspace_id } = principal
        const [head] = yield* runSql<{ readonly epoch: string }>(
          read,
          "SELECT epoch FROM heads WHERE workspace_id = $1",
          [workspace_id]
        )
        // A cursor of the log is one of the list, a dot and the epoch.
        const [place, epoch] = cursor?.split(".", 2) ?? []
        const page = yield* lists.page({
          spec: eventList,
          query: place === undefined ? query : { ...query, cursor: place },
          workspace_id,
          where: readableText("$2", "$3"),
          params: readableParams(principal)
        })
        if (place !== undefined && epoch !== head!.epoch) yield* refuseLost(workspace_id)
        return page.next_cursor === null ? page : { ...page, next_cursor: `${page.next_cursor}.${head!.epoch}` }
      })

      const get = traced("Events.get")(function* (id: string) {
        const principal = yield* Principal
        const seq = seqOfEvent(id)
        if (seq < 0 || !Number.isSafeInteger(seq)) return yield* missing
        const [event] = yield* runSql<Event>(
          read,
          `SELECT ${columnsOf(eventList.shape)} FROM ${eventList.from}
          WHERE workspace_id = $1 AND seq = $2::bigint AND id = $3 AND ${readableText("$4", "$5")}`,
          [principal.workspace_id, String(seq), id, ...readableParams(principal)]
        )
        return event ?? (yield* missing)
      })

      const pruneWorkspace = Effect.fnUntraced(function* (workspace_id: WorkspaceId, cutoff: string) {
        while (true) {
          const gone = yield* write.unsafe(
            `DELETE FROM changes WHERE workspace_id = $1 AND occurred_at < $2 AND seq IN (
              SELECT seq FROM changes WHERE workspace_id = $1 ORDER BY seq LIMIT ${pruneBatch}
            ) RETURNING 1 AS gone`,
            [workspace_id, cutoff]
          )
          if (gone.length < pruneBatch) return
        }
      })

      const pruneAll = Effect.fnUntraced(function* () {
        const cutoff = yield* ago(eventLife)
        // The first entry of a log is its oldest, and shows whether any is due.
        const due = yield* read.unsafe<{ workspace_id: WorkspaceId }>(
          `SELECT workspace_id FROM heads h WHERE (
            SELECT occurred_at FROM changes c WHERE c.workspace_id = h.workspace_id ORDER BY seq LIMIT 1
          ) < $1`,
          [cutoff]
        )
        for (const { workspace_id } of due) yield* pruneWorkspace(workspace_id, cutoff)
      })

      return Events.of({ list, get, prune: Effect.orDie(pruneAll()) })
    })
  )
}
