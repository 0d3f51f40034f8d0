import { listOf } from "../lists/ListSpec.ts"
import { Event } from "./Event.ts"

/**
 * Events in the order of the log, not of clocks: seqs are dense and in the order of commits, so that a client that polls
 * never skips an event that was committed meanwhile. The log is read by its primary key.
 */
export const eventList = listOf(Event, {
  path: "/events",
  from: `(SELECT workspace_id, seq, id, type, resource AS resource_type, resource_id, actor_id, occurred_at, data
    FROM changes) events`,
  size: "coalesce(octet_length(data::text), 0) + 300",
  sort: ["-occurred_at"],
  polled: "occurred_at",
  filter: ["id", "type", "resource_type", "resource_id", "actor_id", "occurred_at"],
  words: ["type"],
  sorts: { occurred_at: { sql: "seq", type: "bigint" } }
})
