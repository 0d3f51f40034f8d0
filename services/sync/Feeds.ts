import { Clock, Context, Effect, Latch, Layer, RcMap, Schedule, type Scope } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Unavailable } from "../Errors.ts"
import type { EventType } from "../EventTypes.ts"
import { ChangeLog, type Growth } from "../writer/ChangeLog.ts"
import { Database, runSql } from "../database/Database.ts"
import type { Appended } from "../writer/Draft.ts"
import type { Reminder } from "../notes/reminders/Reminder.ts"
import { Mailer } from "../mail/Mailer.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { Cursors } from "./Cursor.ts"
import { kindOf, loggedBetween, render } from "./SyncEntries.ts"

/** A live change. Its bytes go to every listener of all types. */
export interface LiveChange {
  readonly seq: number
  readonly type: string
  readonly bytes: Uint8Array
  /** When it was made. A client that receives it has received all changes until then. */
  readonly as_of: number
  /** An event for the listeners of one user, sent after the change. */
  readonly userEvent: UserEvent | undefined
}

interface UserEvent {
  readonly user_id: string
  readonly bytes: Uint8Array
}

/** Maximum number and bytes of changes that a feed keeps for slow listeners; a listener further behind is ended. */
const maxEntries = 4_096
const maxBytes = 16 * 1024 * 1024
/** Bytes after which a chunk for a listener ends. It has at least one entry. */
const maxChunk = 256 * 1024

/** The event that ends the streams of a device, on all nodes. */
const ending: EventType = "device.revoked"

/** The event after which no position of before is valid, those of open streams neither. */
const restored: EventType = "workspace.restored"

const fired: EventType = "reminder.fired"

const encoder = new TextEncoder()
const lineFeed = 10

/** A server-sent event (HTML, section 9.2.5). JSON has no line breaks, so the data is one line. */
export const sseEvent = (event: string, data: string, id?: string): Uint8Array =>
  encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`)

/** The event of a change with another id, in two pieces: its content is not copied. */
export const withId = ({ bytes }: LiveChange, id: string): ReadonlyArray<Uint8Array> => [
  encoder.encode(`id: ${id}\n`),
  bytes.subarray(bytes.indexOf(lineFeed) + 1)
]

/**
 * The event of a fired reminder for the streams of its user. Other users only see that it is done. `channels`: those that
 * have the event.
 */
const userEventOf =
  (channels: ReadonlyArray<Reminder["channel"] | undefined>) =>
  (event: string, reminder: Partial<Reminder> | null, json: () => string): UserEvent | undefined =>
    event === fired && channels.includes(reminder?.channel) && reminder?.user_id !== undefined
      ? { user_id: reminder.user_id, bytes: sseEvent("reminder", json()) }
      : undefined

/**
 * The live changes of one workspace for all its listeners on this node, each serialised once. Delivers `n` only after
 * `n - 1`, and reads changes that it has missed from the log.
 */
export class Feed {
  readonly workspace_id: WorkspaceId
  readonly epoch: string
  /** All changes up to this one have been added. */
  head: number
  #ring: Array<LiveChange> = []
  #bytes = 0
  /** Listeners with an earlier position have missed a dropped change. */
  #dropped: number
  readonly #waiting = new Set<() => void>()
  readonly #endCallbacks = new Set<(id: string) => void>()

  constructor(workspace_id: WorkspaceId, epoch: string, head: number) {
    this.workspace_id = workspace_id
    this.epoch = epoch
    this.head = head
    this.#dropped = head
  }

  /** Adds the change of a log entry; null if the entry changes no record. */
  add(seq: number, change: Omit<LiveChange, "seq"> | null): void {
    this.head = seq
    if (change === null) return
    this.#ring.push({ seq, ...change })
    this.#bytes += change.bytes.length
    while (this.#ring.length > maxEntries || (this.#bytes > maxBytes && this.#ring.length > 1)) {
      const gone = this.#ring.shift()!
      this.#bytes -= gone.bytes.length
      this.#dropped = gone.seq
    }
  }

  wake(): void {
    const all = [...this.#waiting]
    this.#waiting.clear()
    for (const each of all) each()
  }

  /** Whether changes after `seq` were dropped. */
  hasLost(seq: number): boolean {
    return seq < this.#dropped
  }

  /** Returns the next changes after `seq`, or "slow" if some of them were dropped. */
  after(seq: number): ReadonlyArray<LiveChange> | "slow" {
    if (this.hasLost(seq)) return "slow"
    let low = 0
    let high = this.#ring.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#ring[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    let next = low
    for (let size = 0; next < this.#ring.length && (next === low || size < maxChunk); next++) {
      size += this.#ring[next]!.bytes.length
    }
    return this.#ring.slice(low, next)
  }

  /** Calls back at the next change. Returns a function that cancels this. */
  onNext(callback: () => void): () => void {
    this.#waiting.add(callback)
    return () => void this.#waiting.delete(callback)
  }

  /** Reports to listeners that a device was revoked, or the workspace restored, by its id. */
  end(id: string): void {
    for (const each of this.#endCallbacks) each(id)
  }

  /** Calls back with the id of each device that is revoked, and of the workspace if it is restored. Returns a function that cancels this. */
  onEnd(callback: (id: string) => void): () => void {
    this.#endCallbacks.add(callback)
    return () => void this.#endCallbacks.delete(callback)
  }
}

/** The feeds of the workspaces that have listeners on this node. */
export class Feeds extends Context.Service<
  Feeds,
  {
    /** The feed of a workspace, for as long as the scope is open. */
    readonly open: (workspace_id: WorkspaceId) => Effect.Effect<Feed, Unavailable, Scope.Scope>
    /** The number of open feeds, for metrics. */
    readonly count: () => number
    /** For how many milliseconds the feed that is furthest behind has missed committed changes; 0 if none has. */
    readonly lag: () => number
  }
>()("sheaf/sync/Feeds") {
  static readonly layer = Layer.effect(
    Feeds,
    Effect.gen(function* () {
      const { read } = yield* Database
      const log = yield* ChangeLog
      // A mail that reaches no one is announced like a notification (contract 5).
      const eventOf = userEventOf((yield* Mailer).hasSmtp ? ["push"] : ["push", "email"])
      const clock = yield* Clock.Clock
      const cursors = new Cursors(yield* Secrets)

      const addChange = (
        feed: Feed,
        seq: number,
        type: string,
        changed_at: string,
        json: string,
        userEvent: UserEvent | undefined
      ): void => {
        const as_of = Date.parse(changed_at)
        const issued_at = clock.currentTimeMillisUnsafe()
        const position = { epoch: feed.epoch, seq, floor: 0, types: undefined, resync: false }
        const id = cursors.encode(feed.workspace_id, { ...position, issued_at, as_of })
        feed.add(seq, { type, as_of, bytes: sseEvent("change", json, id), userEvent })
      }

      const addAppended = (feed: Feed, { change, record }: Appended) => {
        if (change.type === ending) feed.end(change.resource_id)
        const kind = record === null ? undefined : kindOf(change)
        if (kind === undefined) return feed.add(change.seq, null)
        const value = record?.value ?? null
        const json = render({
          type: change.resource,
          id: change.resource_id,
          revision: change.version!,
          data: kind === "delete" ? null : JSON.stringify(value),
          changed_at: change.occurred_at,
          actor_id: change.actor_id,
          device_id: change.device_id
        })
        const userEvent = eventOf(change.type, value, () => JSON.stringify(value))
        addChange(feed, change.seq, change.resource, change.occurred_at, json, userEvent)
      }

      let count = 0
      /** Since when each feed with a gap has missed changes, in Unix milliseconds; the first is furthest behind. */
      const behind = new Map<Feed, number>()

      /** Opens a feed. Listens before it reads the head, so that it misses nothing. */
      const start = Effect.fnUntraced(function* (
        workspace_id: WorkspaceId
      ): Effect.fn.Return<Feed, Unavailable, Scope.Scope> {
        let feed: Feed | undefined
        let known = 0
        /** Open while there is a gap to read. Nothing else is delivered meanwhile. */
        const gap = Latch.makeUnsafe()

        const readGaps = (target: Feed) =>
          Effect.gen(function* () {
            while (true) {
              yield* gap.await
              while (target.head < known) {
                const { entries, last } = yield* loggedBetween(read, workspace_id, target.head, known)
                for (const { changed_at, data, event, json, resource, resource_id, seq } of entries) {
                  if (event === ending || event === restored) target.end(resource_id)
                  // Streams that open from now on get a feed of the new epoch.
                  if (event === restored) yield* RcMap.invalidate(feeds, workspace_id)
                  const reminder = event === fired && data !== null ? (JSON.parse(data) as Reminder) : null
                  const userEvent = eventOf(event, reminder, () => data!)
                  if (json === null) target.add(seq, null)
                  else addChange(target, seq, resource, changed_at, json, userEvent)
                }
                // Entries older than the log's retention are gone. Cursors before them have expired anyway.
                if (target.head < last) target.add(last, null)
                target.wake()
              }
              behind.delete(target)
              gap.closeUnsafe()
            }
          }).pipe(
            // Notifications are not repeated, so the reader must retry.
            Effect.tapCause((cause) => Effect.logDebug("a gap in a feed could not be read", cause)),
            Effect.retry(Schedule.spaced("1 second"))
          )

        const onGrowth = (growth: Growth) => {
          known = Math.max(known, growth.last)
          if (feed === undefined || growth.last <= feed.head) return
          if (!gap.isOpen() && growth.entries.length > 0 && growth.first <= feed.head + 1) {
            for (const appended of growth.entries) if (appended.change.seq > feed.head) addAppended(feed, appended)
            feed.wake()
          }
          if (feed.head < known) open(feed)
        }
        const open = (target: Feed) => {
          if (!behind.has(target)) behind.set(target, clock.currentTimeMillisUnsafe())
          gap.openUnsafe()
        }

        yield* Effect.acquireRelease(
          Effect.sync(() => {
            count++
            return log.listen(workspace_id, onGrowth)
          }),
          (stop) =>
            Effect.sync(() => {
              count--
              if (feed !== undefined) behind.delete(feed)
              stop()
            })
        )
        const [head] = yield* runSql<{ seq: number; epoch: string }>(
          read,
          "SELECT seq::float8 AS seq, epoch FROM heads WHERE workspace_id = $1",
          [workspace_id]
        )
        feed = new Feed(workspace_id, head!.epoch, head!.seq)
        if (feed.head < known) open(feed)
        yield* Effect.forkScoped(readGaps(feed))
        return feed
      })

      const feeds = yield* RcMap.make({ lookup: start })
      const lag = () => {
        const [since = Infinity] = behind.values()
        return Math.max(0, clock.currentTimeMillisUnsafe() - since)
      }
      return Feeds.of({ open: (workspace_id) => RcMap.get(feeds, workspace_id), count: () => count, lag })
    })
  )
}
