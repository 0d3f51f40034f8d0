import { Schema } from "effect"
import { EventType } from "../EventTypes.ts"
import * as Fields from "../Fields.ts"
import type { Scope } from "../identity/Scopes.ts"
import { listOf } from "../lists/ListSpec.ts"
import type { ListSpec } from "../lists/Page.ts"
import { isAtLeast, type PrincipalShape } from "../Principal.ts"
import { resources, type ResourceType, resourceTypes, rows } from "../Resources.ts"

/** An entry of the event log (contract 9). */
export const Event = Schema.Struct({
  id: Fields.ownId("ev"),
  type: EventType.annotateKey({
    description: "The type of the event. Later versions may have more: skip types that you do not know."
  }),
  resource_type: Schema.Literals(resourceTypes).annotate({
    description: "The type of the affected record. Later versions may have more.",
    examples: ["note"]
  }),
  resource_id: Fields.text("The id of the affected record.", Fields.exampleId("nt")),
  workspace_id: Fields.id("ws", "The workspace's id."),
  actor_id: Schema.NullOr(Fields.causer),
  occurred_at: Fields.time("When it happened."),
  data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
    description: "Details of the event.",
    examples: [{ title: "Meeting notes" }]
  })
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

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

const { id: _, ...limitedFilters } = eventList.filters!

/** The same for limited callers, who have other ids. */
export const limitedEventList: ListSpec = { ...eventList, filters: limitedFilters, isSealed: true }

/** Returns the scopes, one of which is required to read the events of a resource. */
export const scopesFor = (resource: string): ReadonlyArray<Scope> =>
  Object.hasOwn(resources, resource) ? resources[resource as ResourceType].reads : []

/** Returns the resource types whose events the caller may read. Unknown types are not readable. */
export const readableBy = ({ role, scopes }: Pick<PrincipalShape, "role" | "scopes">): ReadonlyArray<string> => {
  const isAdmin = isAtLeast(role, "admin")
  return resourceTypes
    .filter((type) => isAdmin || rows[type].isAdmins !== true)
    .filter((type) => scopesFor(type).some((scope) => scopes.has(scope)))
}

/** SQL condition that the caller may read an event. Exports of a whole workspace are for admins (contract 7). */
export const readableText = (types: string, isAdmin: string): string =>
  `resource_type = ANY(${types}::text[])
    AND (${isAdmin}::boolean OR resource_type <> 'export' OR data->>'scope' = 'notebook')`

/** Returns the two parameters of `readableText`. */
export const readableParams = (principal: PrincipalShape): readonly [ReadonlyArray<string>, boolean] => [
  readableBy(principal),
  isAtLeast(principal.role, "admin")
]
