import { Clock, Effect, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { EventType } from "../EventTypes.ts"
import { Randomness } from "../Randomness.ts"
import { Database } from "../database/Database.ts"
import * as RequestBatcher from "../database/RequestBatcher.ts"
import { type DeliveryBodies, entryColumns, type LogEntry } from "./DeliveryBodies.ts"
import type { Due } from "./Attempts.ts"
import { type Config, type WebhookState, takenChars } from "./WebhookState.ts"

const restored: EventType = "workspace.restored"

/** Number of log entries that are read at once for a webhook that receives few of them. */
const pageOfLog = 500
/** Maximum number of concurrent reads. */
const reads = 3

/** A number of log entries after a position. */
interface Page {
  readonly workspace_id: string
  readonly position: number
  readonly size: number
}

/**
 * Reads the log from the position of each webhook and makes deliveries of the subscribed events, in memory. `WebhookStore`
 * stores them together with the new position.
 */
export const make = Effect.fnUntraced(function* (bodies: DeliveryBodies) {
  const { read } = yield* Database
  const randomness = yield* Randomness
  const room = yield* Semaphore.make(reads)

  /** Reads the log after a position, once for all webhooks of a workspace that have it. */
  const pageAfter = RequestBatcher.make<string, Page, ReadonlyArray<LogEntry>, SqlError>({
    concurrency: 1,
    maxWeight: Infinity,
    run: (_, pages) => {
      const { position, workspace_id } = pages[0]!
      const page = read.unsafe<LogEntry>(
        `SELECT ${entryColumns} FROM changes c WHERE c.workspace_id = $1 AND c.seq > $2::bigint
        ORDER BY c.seq LIMIT $3::int`,
        [workspace_id, String(position), String(Math.max(...pages.map(({ size }) => size)))]
      )
      return Effect.map(room.withPermits(1)(page), (entries) => pages.map(() => entries))
    }
  })

  /** Makes deliveries of the log entries after the position, as long as there is room. */
  return Effect.fnUntraced(function* (hook: WebhookState, { resources, types }: Config) {
    const most = Math.min(hook.ahead, hook.room)
    const { position: from, workspace_id } = hook
    const size = hook.isSparse ? pageOfLog : hook.ahead
    const page = yield* pageAfter(`${workspace_id} ${from}`, { workspace_id, position: from, size })
    const wanted: Array<LogEntry> = []
    // Old entries may have been deleted from the log, up to its end.
    let position = page.length === 0 ? hook.head : from
    for (const entry of page) {
      if (entry.type === "note.purged") bodies.forget(workspace_id)
      // Each receiver learns of a restore: from then on its copy may be wrong.
      if (entry.type === restored || (types.has(entry.type) && resources.has(entry.resource))) {
        if (wanted.length === most) break
        wanted.push(entry)
      }
      position = entry.seq
    }
    hook.isSparse = wanted.length * 4 < position - from
    const seqs = wanted.map(({ seq }) => seq)
    const { bodies: found, left } = yield* bodies.of(workspace_id, seqs)
    const millis = yield* Clock.currentTimeMillis
    const created_at = new Date(millis).toISOString()
    const readAt = performance.now()
    const made: Array<Due> = []
    let chars = 0
    for (const { id, resource_id, seq, type } of wanted) {
      const body = found.get(seq)
      // The event was deleted meanwhile because of its age.
      if (body === undefined && !left.has(seq)) continue
      if (body === undefined || (chars > 0 && chars + body.length > takenChars)) {
        position = seq - 1
        break
      }
      chars += body.length
      const event = { event_id: id, event_type: type, resource_id }
      made.push({ id: randomness.id("dl", millis), ...event, created_at, attempt: 1, body, readAt })
    }
    hook.made(made, position)
  })
})
