import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { type Event, eventList, limitedEventList, readableParams, readableText } from "./Event.ts"
import { LimitedEventIds } from "./LimitedEventIds.ts"
import { columnsOf } from "../tables/Column.ts"
import { type BadRequest, Expired, NotFound, type Unavailable } from "../Errors.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { entrySeqs } from "../database/ReachedEntries.ts"
import { seqOfEvent } from "../writer/LogEntry.ts"
import { restoreOf } from "../writer/Restores.ts"
import { maxExamined } from "../lists/ListSql.ts"
import { Lists } from "../lists/Lists.ts"
import { PageCursors } from "../lists/PageCursors.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { ago } from "../database/DeleteInBatches.ts"
import { traced } from "../Traced.ts"

/** Milliseconds for which entries of the log are kept: 90 days (contract 9). */
export const eventLife = 90 * 24 * 3600_000

const pruneBatch = 1_000

const missing = NotFound.of("event")

/** Numbers of entries of the log that are read first for a page of a limited caller, and if it reaches many notes. */
const nearEntries = { first: 2_000, ofMany: 2 * maxExamined } as const
/** Number of notes above which it takes longer to find the entries of each than to read `nearEntries.ofMany`. */
const manyNotes = 5_000

const notesText = "SELECT coalesce(sum(note_count), 0)::float8 AS count FROM notebooks WHERE workspace_id = $1"

/** SQL for the next entries that a limited caller reaches from the seq $4 on: as many as are examined for a page. */
const ownEntries = ({ scopes }: PrincipalShape, isUp: boolean): string =>
  // A caller that reads notes reads all types of these entries. Without the condition, indexes alone have the seqs.
  `seq = ANY(ARRAY(SELECT seq FROM ${entrySeqs} WHERE seq ${isUp ? ">=" : "<="} $4::bigint
    ${scopes.has("notes:read") ? "" : "AND resource = ANY($2::text[])"}
    ORDER BY seq ${isUp ? "ASC" : "DESC"} LIMIT ${maxExamined + 2}))`

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
      const secrets = yield* Secrets
      const cursors = new PageCursors(secrets)
      const limitedIds = new LimitedEventIds(secrets)

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

      /**
       * A page for a limited caller. First it reads the next entries of the log. If these do not fill the page, it finds
       * the entries of each note and notebook that the caller reaches: any number of others may be between them.
       */
      const limitedPage = Effect.fnUntraced(function* (principal: PrincipalShape, query: PageQuery, head: number) {
        const { workspace_id } = principal
        const spec = limitedEventList
        const isUp = query.sort === spec.polled
        const place = query.cursor === undefined ? [] : yield* cursors.read(spec, query, workspace_id, query.cursor)
        const from = place[0] === undefined ? (isUp ? 0 : head) : Number(place[0])
        const pageOf = (entries: string, params: ReadonlyArray<number>) =>
          lists.page({
            spec,
            query,
            workspace_id,
            where: `${readableText("$2", "$3")} AND ${entries}`,
            params: [...readableParams(principal), ...params.map(String)]
          })
        /** The page, if it is full after some entries of the log, or these are all. */
        const near = Effect.fnUntraced(function* (entries: number) {
          const [first, last] = isUp ? [from, from + entries] : [from - entries, from]
          const page = yield* pageOf("seq BETWEEN $4::bigint AND $5::bigint", [first, last])
          return page.has_more || (isUp ? last >= head : first <= 0) ? page : undefined
        })
        const reachesMany = Effect.map(
          runSql<{ readonly count: number }>(read, notesText, [workspace_id]),
          ([notes]) => notes!.count > manyNotes
        )
        const page =
          (yield* near(nearEntries.first)) ??
          ((yield* reachesMany) ? yield* near(nearEntries.ofMany) : undefined) ??
          (yield* pageOf(ownEntries(principal, isUp), [from]))
        const items = page.items.map((item) => {
          const event = JSON.parse(item) as Event
          return JSON.stringify({ ...event, id: limitedIds.of(workspace_id, event.id) })
        })
        return { ...page, items }
      })

      const list = traced("Events.list")(function* ({ cursor, ...query }: PageQuery) {
        const principal = yield* Principal
        const { workspace_id } = principal
        const [head] = yield* runSql<{ readonly epoch: string; readonly seq: number }>(
          read,
          "SELECT epoch, seq::float8 AS seq FROM heads WHERE workspace_id = $1",
          [workspace_id]
        )
        // A cursor of the log is one of the list, a dot and the epoch.
        const [place, epoch] = cursor?.split(".", 2) ?? []
        const placed = place === undefined ? query : { ...query, cursor: place }
        const page =
          principal.reach === undefined
            ? yield* lists.page({
                spec: eventList,
                query: placed,
                workspace_id,
                where: readableText("$2", "$3"),
                params: readableParams(principal)
              })
            : yield* limitedPage(principal, placed, head!.seq)
        if (place !== undefined && epoch !== head!.epoch) yield* refuseLost(workspace_id)
        return page.next_cursor === null ? page : { ...page, next_cursor: `${page.next_cursor}.${head!.epoch}` }
      })

      const limitedEvent = Effect.fnUntraced(function* (principal: PrincipalShape, id: string) {
        const { workspace_id } = principal
        const found = yield* runSql<Event>(
          read,
          `SELECT ${columnsOf(eventList.shape)} FROM ${eventList.from}
          WHERE workspace_id = $1 AND seq = ANY($2::bigint[]) AND ${readableText("$3", "$4")}`,
          [workspace_id, limitedIds.seqsOf(workspace_id, id).map(String), ...readableParams(principal)]
        )
        const event = found.find((each) => limitedIds.isOf(workspace_id, id, each.id))
        return event === undefined ? yield* missing : { ...event, id: limitedIds.of(workspace_id, event.id) }
      })

      const get = traced("Events.get")(function* (id: string) {
        const principal = yield* Principal
        const { reach, workspace_id } = principal
        if (reach !== undefined) return yield* limitedEvent(principal, id)
        const seq = seqOfEvent(id)
        if (seq < 0 || !Number.isSafeInteger(seq)) return yield* missing
        const [event] = yield* runSql<Event>(
          read,
          `SELECT ${columnsOf(eventList.shape)} FROM ${eventList.from}
          WHERE workspace_id = $1 AND seq = $2::bigint AND id = $3 AND ${readableText("$4", "$5")}`,
          [workspace_id, String(seq), id, ...readableParams(principal)]
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
