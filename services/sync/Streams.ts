import { Cause, Clock, Context, Deferred, Effect, Exit, Layer, Schedule, type Scope, Stream } from "effect"
import { type BadRequest, type Expired, type Invalid, type NotFound, RateLimited, Unavailable } from "../Errors.ts"
import { Credentials } from "../identity/Credentials.ts"
import { foreignDevice } from "../identity/KnownDevices.ts"
import { Principal } from "../Principal.ts"
import { heldLimit } from "../concurrency/HeldLimit.ts"
import { Database } from "../database/Database.ts"
import { ExpensiveReads } from "../database/ExpensiveReads.ts"
import { traced } from "../Traced.ts"
import { allAt } from "./Cursor.ts"
import { changedAfter } from "./SyncEntries.ts"
import { Feeds, type LiveChange, sseEvent, withId } from "./Feeds.ts"
import type { ByeReason } from "./StreamEvent.ts"
import { Sync } from "./Sync.ts"
import type { SyncType } from "../Resources.ts"

const encoder = new TextEncoder()
const retry = encoder.encode("retry: 3000\n")
const ping = encoder.encode(": ping\n\n")
const pingInterval = 15_000
/** Milliseconds without an event after which a listener gets a new cursor. */
const freshCursorAfter = 10 * 60_000
const replayPage = 100
/** Milliseconds after which a listener that takes no ping is considered stuck. */
const stuckAfter = 4 * pingInterval

export interface Opened {
  readonly body: Stream.Stream<Uint8Array>
  /** Completed when the stream must end: the connection is closed if the listener does not take its `bye`. */
  readonly ended: Deferred.Deferred<ByeReason>
}

interface Listener {
  readonly end: (reason: ByeReason) => void
  readonly tick: (now: number) => void
}

/**
 * The event stream (contract 6): first the records that changed since the start, each once in its newest state, then
 * every change live, in commit order, none missing and none twice. A listener holds only a position and the chunk that
 * is being sent.
 */
export class Streams extends Context.Service<
  Streams,
  {
    /** `types`: sends only changes of these types; undefined: all changes. Its cursors are bound to them. */
    readonly open: (
      start: string | undefined,
      types: ReadonlySet<SyncType> | undefined
    ) => Effect.Effect<
      Opened,
      BadRequest | Expired | Invalid | RateLimited | NotFound | Unavailable,
      Principal | Scope.Scope
    >
    /** Ends all streams with `bye`, and refuses new ones. */
    readonly endAll: (reason: ByeReason) => Effect.Effect<void>
    readonly count: () => number
  }
>()("sheaf/sync/Streams") {
  static readonly layer = (options: { readonly perCredential: number }) =>
    Layer.effect(
      Streams,
      Effect.gen(function* () {
        const { read } = yield* Database
        const heavy = yield* ExpensiveReads
        const feeds = yield* Feeds
        const sync = yield* Sync
        const credentials = yield* Credentials
        const clock = yield* Clock.Clock
        const listeners = new Set<Listener>()
        const streams = yield* heldLimit("streams", options.perCredential)
        let ending: ByeReason | undefined

        const tooMany = new RateLimited({
          code: "too_many_streams",
          detail: `At most ${options.perCredential} streams can be open for one credential`,
          retry_after: 30
        })
        const admit = (credential: string) =>
          Effect.acquireRelease(
            Effect.flatMap(streams.acquire(credential), (isHeld) => (isHeld ? Effect.void : Effect.fail(tooMany))),
            () => streams.release(credential)
          )

        // One timer for all listeners: it wakes idle listeners to send a ping.
        yield* Effect.forkScoped(
          Effect.repeat(
            Effect.sync(() => {
              const now = clock.currentTimeMillisUnsafe()
              for (const listener of listeners) listener.tick(now)
            }),
            Schedule.spaced("1 second")
          )
        )

        const open = traced("Streams.open")(function* (
          start: string | undefined,
          types: ReadonlySet<SyncType> | undefined
        ) {
          const principal = yield* Principal
          const { workspace_id } = principal
          if (ending !== undefined) {
            return yield* new Unavailable({ code: "service_unavailable", detail: "Shutting down", retry_after: 2 })
          }
          if (principal.names_foreign_device) return yield* foreignDevice
          const from = start === undefined ? undefined : yield* sync.accept(start, types)
          let reached = from === undefined ? yield* sync.reach.now : from.within?.reached
          yield* admit(principal.credential_id)
          const feed = yield* feeds.open(workspace_id)
          const ended = yield* Deferred.make<ByeReason>()
          let goodbye: ByeReason | undefined
          let wake: (() => void) | undefined
          const listener: Listener = {
            end: (reason) => {
              goodbye ??= reason
              Deferred.doneUnsafe(ended, Exit.succeed(goodbye))
              wake?.()
            },
            tick: (now) => {
              if (now >= principal.expires_at) return listener.end("token_expired")
              // A listener that waits takes its ping. Any other is blocked by its socket and receives nothing.
              if (wake === undefined && (now - lastSent >= stuckAfter || (!replaying && feed.hasLost(position)))) {
                listener.end("slow")
              } else if (now - lastSent >= pingInterval) wake?.()
            }
          }
          /** Waits until the feed has a change, the listener is ended, or a ping is due. */
          const wait = Effect.callback<void>((resume) => {
            const stop = feed.onNext(() => wake?.())
            wake = () => {
              wake = undefined
              stop()
              resume(Effect.void)
            }
            // A change since the last look would never wake the listener.
            if (goodbye !== undefined || feed.head > position) wake()
            return Effect.sync(() => {
              wake = undefined
              stop()
            })
          })
          const cursorAt = (seq: number) => {
            const issued_at = clock.currentTimeMillisUnsafe()
            const as_of = replaying ? complete_at : issued_at
            const within = reached === undefined ? undefined : { reached, after }
            return sync.cursorAt(workspace_id, { epoch: feed.epoch, seq, floor, types, issued_at, as_of, within })
          }
          const included: ReadonlySet<string> | undefined = types
          /** The event of a change with an id for these types, and the event that its user receives. */
          const eventsOf = (change: LiveChange): ReadonlyArray<Uint8Array> => {
            if (included?.has(change.type) === false) return []
            const { as_of, bytes, seq, userEvent } = change
            const issued_at = clock.currentTimeMillisUnsafe()
            const position = { epoch: feed.epoch, seq, floor: 0, types, issued_at, as_of }
            const events = types === undefined ? [bytes] : withId(change, sync.cursorAt(workspace_id, position))
            return userEvent?.user_id === principal.user_id ? [...events, userEvent.bytes] : events
          }

          let position = from?.seq ?? feed.head
          let floor = from?.floor ?? 0
          let after = from?.within?.after ?? allAt
          // A page may have ended between the records of one seq, such as the parts of a note that came.
          let replaying = from !== undefined && (floor !== 0 || position < feed.head || after !== allAt)
          /** Until when it has sent all changes. */
          let complete_at = from?.as_of ?? clock.currentTimeMillisUnsafe()
          let closed = false
          let lastEvent = clock.currentTimeMillisUnsafe()
          let lastSent = lastEvent
          yield* Effect.acquireRelease(
            Effect.sync(() => listeners.add(listener)),
            () => Effect.sync(() => listeners.delete(listener))
          )
          yield* Effect.acquireRelease(
            Effect.sync(() =>
              feed.onEnd((id) => {
                if (id === principal.device_id) listener.end("revoked")
                if (id === workspace_id) listener.end("restored")
              })
            ),
            (stop) => Effect.sync(stop)
          )
          yield* Effect.acquireRelease(
            Effect.sync(() => credentials.watch(principal, () => listener.end("revoked"))),
            (stop) => Effect.sync(stop)
          )

          const bye = (reason: ByeReason) => {
            closed = true
            listener.end(reason)
            return [sseEvent("bye", JSON.stringify({ reason }))] as const
          }

          /** A page of past changes. A record that changes meanwhile moves to the end, and is sent again. */
          const replay = Effect.gen(function* () {
            const range = { workspace_id, seq: position, limit: replayPage, floor, types }
            const limited = reached === undefined ? undefined : { after, since: reached.seq }
            const begun_at = clock.currentTimeMillisUnsafe()
            const scanned = yield* changedAfter(read, heavy, { ...range, limited })
            if (reached !== undefined) {
              if (scanned.head.hashSince !== reached.hash) return bye("notebooks")
              reached = scanned.head
            }
            const chunk = scanned.entries.map((entry) => {
              if (limited !== undefined) after = entry.place
              return sseEvent("change", entry.json, cursorAt(entry.seq))
            })
            const last = scanned.entries.at(-1)
            if (last !== undefined) position = last.seq
            else {
              after = allAt
              if (floor !== 0) {
                position = floor
                floor = 0
              } else {
                position = scanned.head.seq
                replaying = false
                complete_at = begun_at
              }
            }
            return chunk
            // The body is read outside of the request: it has no caller of its own.
          }).pipe(Effect.provideService(Principal, principal))

          const next: Effect.Effect<readonly [Uint8Array, ...Array<Uint8Array>], Cause.Done | Unavailable> = Effect.gen(
            function* () {
              while (true) {
                if (closed) return yield* Cause.done()
                if (goodbye !== undefined) return bye(goodbye)
                // A limited caller gets the newest states that it reaches, and no live changes.
                if (reached !== undefined && feed.head > position) replaying = true
                if (replaying) {
                  const chunk = yield* replay
                  if (chunk.length > 0) return sent(chunk as [Uint8Array, ...Array<Uint8Array>])
                  continue
                }
                const changes = feed.after(position)
                if (changes === "slow") return bye("slow")
                if (changes.length > 0) {
                  position = changes.at(-1)!.seq
                  const chunk = changes.flatMap(eventsOf)
                  if (chunk.length === 0) continue
                  return sent(chunk as [Uint8Array, ...Array<Uint8Array>])
                }
                position = Math.max(position, feed.head)
                const now = clock.currentTimeMillisUnsafe()
                if (now - lastEvent >= freshCursorAfter) {
                  return sent([sseEvent("cursor", JSON.stringify({ cursor: cursorAt(position) }), cursorAt(position))])
                }
                if (now - lastSent >= pingInterval) {
                  lastSent = now
                  return [ping]
                }
                yield* wait
              }
            }
          )

          const sent = (chunk: readonly [Uint8Array, ...Array<Uint8Array>]) => {
            lastEvent = lastSent = clock.currentTimeMillisUnsafe()
            return chunk
          }

          // Its id is the start: a client that loses the connection before the first change resumes there.
          const begun = cursorAt(position)
          const body = Stream.concat(
            Stream.make(retry, sseEvent("ready", JSON.stringify({ cursor: begun }), begun)),
            // If the database is unreachable, the stream ends, and the client reconnects with its cursor.
            Stream.fromPull(Effect.succeed(Effect.catchTag(next, "Unavailable", () => Cause.done())))
          )
          return { body, ended }
        })

        return Streams.of({
          open,
          endAll: (reason) =>
            Effect.sync(() => {
              ending = reason
              for (const listener of listeners) listener.end(reason)
            }),
          count: () => listeners.size
        })
      })
    )
}
