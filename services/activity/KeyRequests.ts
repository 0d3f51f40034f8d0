import { Clock, Context, Effect, Latch, Layer, Semaphore } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { Database, runSql } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import type { BadRequest, NotFound, Unavailable } from "../Errors.ts"
import { ApiKeys } from "../identity/ApiKeys.ts"
import { Lists } from "../lists/Lists.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { ellipsis, kept, keptPath, keyRequestList, shown } from "./KeyRequest.ts"

/** Maximum number of requests of all keys that wait to be stored. Further ones are dropped. */
const maxWaiting = 20_000
/** Pauses between two writes; longer while a key sends more than is kept, so that most of these are never stored. */
const pause = { usual: "1 second", busy: "4 seconds" } as const
/** Maximum length of a media type that is kept. */
const keptType = 100
/** Milliseconds after the last request of a key for which its requests are kept: 90 days. */
const life = 90 * 24 * 3600_000

/** A request whose response is ready. `status` is 0 without a response. It belongs to this service, which cuts long texts. */
interface Finished {
  /** Unix milliseconds. */
  readonly at: number
  readonly method: string
  readonly route: string
  url: string
  content_type: string | undefined
  readonly status: number
  readonly code: string | undefined
  readonly millis: number
  readonly request_id: string
}

interface Waiting {
  readonly key: Pick<PrincipalShape, "credential_id" | "workspace_id">
  /** The newest requests: at least as many as are kept, if there are that many. */
  readonly requests: Array<Finished>
  /** Number of requests since they began to wait, also of those that newer ones have displaced. */
  added: number
}

/** Bytes of its own: a part of a text keeps the whole text in memory. */
const cut = (url: string): string => Buffer.from(url.slice(0, keptPath), "latin1").toString("latin1") + ellipsis

/** A token that a client has put into a URL. */
const token = /(sf[a-z](?:_|%5f))[0-9a-z]+/gi

/**
 * Counts the requests of each key, and puts the newest into its ring. The keys are locked first, as their deletion does it,
 * and in order: so no two statements wait for each other. The requests of a deleted key are dropped.
 */
const storeText = `WITH counted AS (
    INSERT INTO key_request_counts AS c (workspace_id, key_id, requests, last_at)
    SELECT workspace_id, id, x.requests, $4 FROM api_keys
    JOIN unnest($1::text[], $2::text[], $3::int[]) AS x(workspace_id, id, requests) USING (workspace_id, id)
    ORDER BY workspace_id, id FOR KEY SHARE OF api_keys
    ON CONFLICT (workspace_id, key_id) DO UPDATE
      SET requests = c.requests + excluded.requests, last_at = greatest(c.last_at, excluded.last_at)
    RETURNING workspace_id, key_id, requests
  )
  INSERT INTO key_requests (workspace_id, key_id, slot, place, method, route, path, content_type, status, code,
    duration_ms, request_id, created_at)
  SELECT c.workspace_id, c.key_id, (c.requests - x.newer) % ${kept}, c.requests - x.newer, x.method, x.route, x.path,
    x.content_type, x.status, x.code, x.duration_ms, x.request_id, x.created_at
  FROM counted c JOIN json_to_recordset($5::json) AS x(key_id text, newer int, method text, route text, path text,
    content_type text, status int, code text, duration_ms int, request_id text, created_at text) USING (key_id)
  ON CONFLICT (workspace_id, key_id, slot) DO UPDATE SET place = excluded.place, method = excluded.method,
    route = excluded.route, path = excluded.path, content_type = excluded.content_type, status = excluded.status,
    code = excluded.code, duration_ms = excluded.duration_ms, request_id = excluded.request_id,
    created_at = excluded.created_at`

/**
 * The last requests of API keys (contract 4). They wait in memory, and are stored every second: a request takes no part in
 * it. A process that is killed loses the last ones. If the database confirms nothing, they are stored again, so
 * that a request may be there twice.
 */
export class KeyRequests extends Context.Service<
  KeyRequests,
  {
    readonly add: (key: Waiting["key"], request: Finished) => void
    /** Lists the requests of a key that the caller may see. */
    readonly list: (id: string, query: PageQuery) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
    /** Deletes the requests of keys that have not been used for long. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/activity/KeyRequests") {
  static readonly layer = (options: { readonly keyRequests: boolean; readonly publicUrl: string }) =>
    Layer.effect(
      KeyRequests,
      Effect.gen(function* () {
        const { write: sql } = yield* Database
        const keys = yield* ApiKeys
        const lists = yield* Lists
        const clock = yield* Clock.Clock
        const turn = Semaphore.makeUnsafe(1)
        const due = Latch.makeUnsafe()
        /** By the id of the key. */
        const waiting = new Map<string, Waiting>()
        let count = 0
        let dropped = 0
        let isBusy = false

        const add = (key: Waiting["key"], request: Finished): void => {
          if (count >= maxWaiting) {
            dropped++
            return
          }
          let own = waiting.get(key.credential_id)
          if (own === undefined) waiting.set(key.credential_id, (own = { key, requests: [], added: 0 }))
          if (request.url.length > keptPath) request.url = cut(request.url)
          if (request.content_type !== undefined && request.content_type.length > keptType)
            request.content_type = undefined
          own.requests.push(request)
          own.added++
          count++
          if (own.requests.length === 2 * kept) {
            own.requests.splice(0, kept)
            count -= kept
          }
          due.openUnsafe()
        }

        /** The newest requests of a key as rows. Member by member: copies by rest and spread take most of the time. */
        const rowsOf = ({ key, requests }: Waiting) =>
          requests.slice(-kept).map((request, index, { length }) => ({
            key_id: key.credential_id,
            newer: length - 1 - index,
            method: request.method,
            route: request.route,
            path: request.url.includes("sf") ? request.url.replaceAll(token, `$1${ellipsis}`) : request.url,
            content_type: request.content_type?.split(";", 1)[0],
            status: request.status === 0 ? null : request.status,
            code: request.code,
            duration_ms: Math.round(request.millis),
            request_id: request.request_id,
            created_at: new Date(request.at).toISOString()
          }))

        /** Removes the requests of a batch, and leaves those that came meanwhile. */
        const remove = (batch: ReadonlyArray<{ readonly own: Waiting; readonly added: number }>): void => {
          for (const { added, own } of batch) {
            const before = own.requests.length
            own.requests.splice(0, before - Math.min(before, own.added - added))
            count -= before - own.requests.length
            own.added -= added
            if (own.added === 0) waiting.delete(own.key.credential_id)
          }
        }

        const store = Effect.gen(function* () {
          due.closeUnsafe()
          if (dropped > 0) yield* Effect.logWarning(`${dropped} requests of API keys were not stored: too many waited`)
          dropped = 0
          if (waiting.size === 0) return
          const batch = [...waiting.values()].map((own) => ({ own, added: own.added }))
          isBusy = batch.some(({ added }) => added > kept)
          yield* runSql(sql, storeText, [
            batch.map(({ own }) => own.key.workspace_id),
            batch.map(({ own }) => own.key.credential_id),
            batch.map(({ added }) => String(added)),
            new Date(clock.currentTimeMillisUnsafe()).toISOString(),
            JSON.stringify(batch.flatMap(({ own }) => rowsOf(own)))
          ]).pipe(
            // Those that wait for the database are stored later. What it refuses, it would refuse again.
            Effect.tapError(() => Effect.sync(() => due.openUnsafe())),
            Effect.tapDefect(() => Effect.sync(() => remove(batch)))
          )
          remove(batch)
        })

        // One at a time and uninterruptible, so that it is known which requests are stored.
        const flush = turn.withPermit(Effect.uninterruptible(store))

        const orLog = Effect.catchCause(flush, (cause) =>
          Effect.logDebug("requests of API keys were not stored", cause)
        )
        if (options.keyRequests) {
          const rounds = (yield* BackgroundWork).rounds("requests of API keys")
          yield* Effect.addFinalizer(() => orLog)
          const round = Effect.suspend(() => Effect.delay(rounds(orLog), isBusy ? pause.busy : pause.usual))
          yield* Effect.forkScoped(Effect.forever(Effect.andThen(due.await, round)))
        }

        return KeyRequests.of({
          add: options.keyRequests ? add : () => {},
          list: traced("KeyRequests.list")(function* (id: string, query: PageQuery) {
            const { workspace_id } = yield* Principal
            yield* keys.get(id)
            yield* flush
            const list = { spec: keyRequestList, workspace_id, where: "key_id = $2", params: [id], within: id }
            const page = yield* lists.page({ ...list, query })
            return { ...page, items: page.items.map(shown(options.publicUrl)) }
          }),
          prune: Effect.orDie(
            Effect.flatMap(ago(life), (before) => deleteInBatches(sql, "key_request_counts", "last_at < $1", before))
          )
        })
      })
    )
}
