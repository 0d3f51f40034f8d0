import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
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
/** Maximum number of log pages that are read together. */
const maxPages = 16

/** A number of log entries after a position. */
interface Page {
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

  /** Reads the log after a position. Webhooks of a workspace with the same position share one read. */
  const pageAfter = RequestBatcher.make<string, Page, ReadonlyArray<LogEntry>, SqlError.SqlError>({
    concurrency: 2,
    maxWeight: maxPages,
    run: (workspace_id, pages) => {
      const sizes = new Map<number, number>()
      for (const { position, size } of pages) sizes.set(position, Math.max(size, sizes.get(position) ?? 0))
      return Effect.map(
        Effect.forEach(sizes, ([position, size]) =>
          Effect.map(
            read.unsafe<LogEntry>(
              `SELECT ${entryColumns} FROM changes c WHERE c.workspace_id = $1 AND c.seq > $2::bigint
              ORDER BY c.seq LIMIT $3::int`,
              [workspace_id, String(position), String(size)]
            ),
            (page) => [position, page] as const
          )
        ),
        (read) => {
          const found = new Map(read)
          return pages.map(({ position }) => found.get(position)!)
        }
      )
    }
  })

  /** Makes deliveries of the log entries after the position, as long as there is room. */
  return Effect.fnUntraced(function* (hook: WebhookState, { resources, types }: Config) {
    const most = Math.min(hook.ahead, hook.room)
    const { position: from } = hook
    const page = yield* pageAfter(hook.workspace_id, { position: from, size: hook.isSparse ? pageOfLog : hook.ahead })
    const wanted: Array<LogEntry> = []
    // Old entries may have been deleted from the log, up to its end.
    let position = page.length === 0 ? hook.head : from
    for (const entry of page) {
      if (entry.type === "note.purged") bodies.forget(hook.workspace_id)
      // Each receiver learns of a restore: from then on its copy may be wrong.
      if (entry.type === restored || (types.has(entry.type) && resources.has(entry.resource))) {
        if (wanted.length === most) break
        wanted.push(entry)
      }
      position = entry.seq
    }
    hook.isSparse = wanted.length * 4 < position - from
    const { bodies: found, left } = yield* bodies.of(
      hook.workspace_id,
      wanted.map(({ seq }) => seq)
    )
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
      made.push({
        id: randomness.id("dl", millis),
        event_id: id,
        event_type: type,
        resource_id,
        attempt: 1,
        body,
        readAt,
        created_at
      })
    }
    hook.made(made, position)
  })
})
