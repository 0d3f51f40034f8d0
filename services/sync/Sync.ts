import { Clock, Context, Deferred, Effect, Layer } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { BadRequest, Expired, Invalid, type NotFound, Unauthorized, type Unavailable } from "../Errors.ts"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import { Credentials } from "../identity/Credentials.ts"
import { Principal } from "../Principal.ts"
import { heldLimit } from "../concurrency/HeldLimit.ts"
import { ChangeLog } from "../writer/ChangeLog.ts"
import { restoreOf } from "../writer/Restores.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { ExpensiveReads } from "../database/ExpensiveReads.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import { allAt, type Cursor, cursorLife, Cursors, tombstoneLife } from "./Cursor.ts"
import { Devices } from "./Devices.ts"
import { changedAfter, type Head } from "./SyncEntries.ts"
import { type SyncType, syncTypes } from "../Resources.ts"
import * as SyncReach from "./SyncReach.ts"
import { isSyncType, type PullRequest, typesNamed } from "./SyncObject.ts"

/** A Sync object. `changes` are JSON that the database made. */
export interface Pulled {
  readonly cursor: string
  readonly changes: ReadonlyArray<string>
  readonly has_more: boolean
  readonly cursor_expires_at: string
  readonly device_id: string | null
  /** Only with the newest cursor. */
  readonly workspace_id?: string
}

/** Larger than any `seq`: the first page of a pull without a cursor ends only at the present head. */
const noFloor = 2 ** 47

const ended = new Unauthorized({ code: "invalid_token", detail: "The credential was revoked" })

type CursorError = BadRequest | Expired

/** Pull, and the cursors of sync (contract 6). */
export class Sync extends Context.Service<
  Sync,
  {
    /** `onWait` is called when a long poll begins to wait for changes. */
    readonly pull: (
      request: PullRequest,
      onWait: () => void
    ) => Effect.Effect<Pulled, CursorError | Invalid | NotFound | Unauthorized | Unavailable, Principal>
    /** Returns the newest cursor, for a device that begins there. */
    readonly newest: Effect.Effect<Pulled, Unavailable, Principal>
    /** Returns a valid cursor; fails with 400 if it is of another workspace or of other types, with 410 if expired. */
    readonly accept: (
      cursor: string,
      types: ReadonlySet<SyncType> | undefined
    ) => Effect.Effect<Cursor, CursorError | Unavailable, Principal>
    readonly reach: ReturnType<typeof SyncReach.make>
    /** Fails with 410 if the cursor is from before a restore, whatever its age and types. */
    readonly confirm: (cursor: string) => Effect.Effect<void, CursorError | Unavailable, Principal>
    /** Makes all long polls return at once, now and from now on. */
    readonly endWaits: Effect.Effect<void>
    readonly cursorAt: (workspace_id: WorkspaceId, cursor: Omit<Cursor, "resync">) => string
  }
>()("sheaf/sync/Sync") {
  static readonly layer = (options: { readonly waitsPerCredential: number }) =>
    Layer.effect(
      Sync,
      Effect.gen(function* () {
        const { read } = yield* Database
        const reach = SyncReach.make(read)
        const devices = yield* Devices
        const credentials = yield* Credentials
        const log = yield* ChangeLog
        const heavy = yield* ExpensiveReads
        const cursors = new Cursors(yield* Secrets)
        const waiting = new Set<() => void>()
        const waits = yield* heldLimit("waits", options.waitsPerCredential)
        // A write wakes all long polls of its workspace. They take turns, to bound the load on the database and memory.
        const woken = new RoundRobinSemaphore({
          permits: 8,
          permitsPerKey: 2,
          maxWaiting: 10_000,
          maxWaitingPerKey: 2_000,
          detail: "Too many long polls at once"
        })
        let draining = false

        const headOf = (workspace_id: WorkspaceId) =>
          runSql<Head>(read, "SELECT seq::float8 AS seq, epoch FROM heads WHERE workspace_id = $1", [
            workspace_id
          ]).pipe(Effect.map((rows) => rows[0]!))

        const cursorAt = (workspace_id: WorkspaceId, cursor: Omit<Cursor, "resync">): string =>
          cursors.encode(workspace_id, { ...cursor, resync: false })

        const expired = (resync_cursor: string | null) =>
          new Expired({
            code: "cursor_expired",
            detail: "The cursor has expired: continue from resync_cursor, or without a cursor if it is null",
            extra: { resync_cursor }
          })

        /** The refusal of a cursor of an earlier epoch. */
        const lost = Effect.fnUntraced(function* (workspace_id: WorkspaceId, { issued_at }: Cursor) {
          const restored = yield* orUnavailable(restoreOf(read, workspace_id, issued_at))
          if (restored === undefined) return yield* expired(null)
          return yield* new Expired({
            code: "cursor_expired",
            detail: `The server was restored at ${restored.restored_at}: pull everything again, without a cursor`,
            extra: { resync_cursor: null, restored }
          })
        })

        const accept = Effect.fnUntraced(function* (text: string, types: ReadonlySet<SyncType> | undefined) {
          const { workspace_id } = yield* Principal
          const cursor = yield* cursors.decode(workspace_id, text)
          if ([...(types ?? [])].join() !== [...(cursor.types ?? [])].join()) {
            return yield* new BadRequest({ code: "cursor_mismatch", detail: "cursor was issued for other types" })
          }
          const now = yield* Clock.currentTimeMillis
          const head = yield* headOf(workspace_id)
          const isCurrent = cursor.epoch === head.epoch && cursor.seq <= head.seq
          const isComplete = isCurrent && now - cursor.as_of < tombstoneLife
          const isSame = yield* reach.isStill(cursor.within?.reached)
          if (isComplete && isSame && (cursor.resync || now - cursor.issued_at < cursorLife)) return cursor
          if (cursor.epoch !== head.epoch) return yield* lost(workspace_id, cursor)
          return yield* expired(isComplete && isSame ? cursors.encode(workspace_id, { ...cursor, resync: true }) : null)
        })

        const confirm = Effect.fnUntraced(function* (text: string) {
          const { workspace_id } = yield* Principal
          const cursor = yield* cursors.decode(workspace_id, text)
          if (cursor.epoch !== (yield* headOf(workspace_id)).epoch) return yield* lost(workspace_id, cursor)
        })

        const typesOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
          for (const [index, name] of names.entries()) {
            if (!isSyncType(name)) {
              return yield* Invalid.field(`types.${index}`, "unknown", `must be one of ${syncTypes.join(", ")}`)
            }
          }
          return typesNamed(names)
        })

        const page = Effect.fnUntraced(function* (
          workspace_id: WorkspaceId,
          from: Cursor | undefined,
          limit: number,
          types: ReadonlySet<SyncType> | undefined,
          reached: SyncReach.ReachedSet | undefined
        ) {
          const floor = from === undefined ? noFloor : from.floor
          const seq = from?.seq ?? 0
          const after = from === undefined ? "" : (from.within?.after ?? allAt)
          const limited = reached === undefined ? undefined : { after, since: reached.seq }
          const range = { workspace_id, seq, limit, floor, types, limited }
          const { entries, has_more, head } = yield* changedAfter(read, heavy, range)
          if (from !== undefined && reached !== undefined && head.hashSince !== reached.hash)
            return yield* expired(null)
          const now = yield* Clock.currentTimeMillis
          // A pull without a cursor first returns what exists, up to the head of the first page, then later changes.
          const begun = from === undefined ? head.seq : floor
          const next = has_more
            ? { seq: entries.at(-1)!.seq, floor: floor === 0 ? 0 : begun }
            : { seq: floor === 0 ? head.seq : begun, floor: 0 }
          const isGrown = limited === undefined ? head.seq > begun : from !== undefined
          const isBehind = has_more || (floor !== 0 && isGrown)
          const place = has_more ? entries.at(-1)!.place : allAt
          return {
            cursor: cursorAt(workspace_id, {
              ...next,
              epoch: head.epoch,
              types,
              issued_at: now,
              as_of: isBehind ? (from?.as_of ?? now) : now,
              within: limited && { reached: head, after: place }
            }),
            changes: entries.map((entry) => entry.json),
            has_more: isBehind,
            cursor_expires_at: new Date(now + cursorLife).toISOString()
          }
        })

        /** Returns a page if it has changes or no time is left; otherwise undefined, after the log has grown. */
        const lookOrWait = Effect.fnUntraced(function* (
          look: ReturnType<typeof page>,
          grown: Deferred.Deferred<void>,
          until: number,
          onWait: () => void
        ) {
          const found = yield* look
          const left = draining ? 0 : until - (yield* Clock.currentTimeMillis)
          if (found.changes.length > 0 || found.has_more || left <= 0) return found
          onWait()
          yield* Effect.timeoutOption(Deferred.await(grown), left)
          return undefined
        })

        const lookUntil = Effect.fnUntraced(function* (
          principal: Principal["Service"],
          look: ReturnType<typeof page>,
          until: number,
          onWait: () => void
        ) {
          const { workspace_id } = principal
          let isRevoked = false
          let isWoken = false
          let grown = yield* Deferred.make<void>()
          const wake = () => void Deferred.doneUnsafe(grown, Effect.void)
          // One subscription for all looks: a new one would be notified again of the present state of the log.
          const stop = log.listen(workspace_id, wake)
          const stopWatching = credentials.watch(principal, () => {
            isRevoked = true
            wake()
          })
          waiting.add(wake)
          return yield* Effect.gen(function* () {
            while (true) {
              // Listens before it looks, so that it misses nothing.
              grown = yield* Deferred.make<void>()
              if (isRevoked) return yield* ended
              const found = yield* lookOrWait(
                isWoken ? woken.withPermit(workspace_id, look) : look,
                grown,
                until,
                onWait
              )
              if (isRevoked) return yield* ended
              if (found !== undefined) return found
              isWoken = true
            }
          }).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                stop()
                stopWatching()
                waiting.delete(wake)
              })
            )
          )
        })

        const pull = traced("Sync.pull")(function* (request: PullRequest, onWait: () => void) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const limit = request.limit ?? 100
          if (limit < 1 || limit > 500) {
            return yield* new BadRequest({
              code: "invalid_limit",
              detail: "limit must be a whole number from 1 to 500"
            })
          }
          const wait = request.wait ?? 0
          if (wait < 0 || wait > 30) return yield* Invalid.field("wait", "out_of_range", "must be from 0 to 30 seconds")
          const types = yield* typesOf(request.types ?? [])
          const from = request.cursor == null ? undefined : yield* accept(request.cursor, types)
          const device_id = yield* devices.syncing(request.device)
          const reached = from === undefined ? yield* reach.now : from.within?.reached
          const look = page(workspace_id, from, limit, types, reached)
          if (wait === 0 || from === undefined) return { ...(yield* look), device_id }
          const until = (yield* Clock.currentTimeMillis) + wait * 1000
          const { credential_id } = principal
          return yield* Effect.acquireUseRelease(
            // Above the limit, the response comes at once, which is no error.
            waits.acquire(credential_id),
            (mayWait) =>
              Effect.map(mayWait ? lookUntil(principal, look, until, onWait) : look, (found) => ({
                ...found,
                device_id
              })),
            (mayWait) => (mayWait ? waits.release(credential_id) : Effect.void)
          )
        })

        const newest = Effect.gen(function* () {
          const { device_id, workspace_id } = yield* Principal
          const head = yield* headOf(workspace_id)
          const now = yield* Clock.currentTimeMillis
          const reached = yield* reach.now
          const within = reached === undefined ? undefined : { reached, after: allAt }
          return {
            cursor: cursorAt(workspace_id, { ...head, floor: 0, types: undefined, issued_at: now, as_of: now, within }),
            changes: [],
            has_more: false,
            cursor_expires_at: new Date(now + cursorLife).toISOString(),
            device_id,
            workspace_id
          }
        }).pipe(Effect.withSpan("Sync.newest"))

        const endWaits = Effect.sync(() => {
          draining = true
          for (const wake of waiting) wake()
        })

        return Sync.of({ pull, newest, accept, reach, confirm, cursorAt, endWaits })
      })
    )
}
