import { Schema } from "effect"
import { EventType, resourceTypes } from "../EventTypes.ts"
import * as Fields from "../Fields.ts"
import type { PrincipalShape } from "../Principal.ts"

/** An entry of the event log (interface.md, Event), with what contract 9 adds. */
export const Event = Schema.Struct({
  id: Fields.ownId("ev"),
  type: EventType.annotateKey({
    description: "What happened. Later versions may have more types: skip those that you do not know."
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
    description: "Particulars of the event.",
    examples: [{ title: "Meeting notes" }]
  })
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

interface Reading {
  /** One of them is needed. */
  readonly scopes: ReadonlyArray<string>
  /** Where editors and viewers may not read the resource itself (contract 4). */
  readonly isAdmins?: true
}

/** What reading the events of each resource needs: the same as reading the resource (contract 4). */
const readings: Readonly<Record<string, Reading>> = {
  note: { scopes: ["notes:read"] },
  notebook: { scopes: ["notes:read"] },
  tag: { scopes: ["notes:read"] },
  template: { scopes: ["notes:read"] },
  comment: { scopes: ["notes:read"] },
  reminder: { scopes: ["notes:read"] },
  share: { scopes: ["notes:read"] },
  attachment: { scopes: ["files:read", "notes:read"] },
  device: { scopes: ["notes:read"] },
  import: { scopes: ["notes:read"] },
  export: { scopes: ["export:read"] },
  workspace: { scopes: ["profile", "members:read"] },
  member: { scopes: ["members:read"] },
  invitation: { scopes: ["members:read"], isAdmins: true },
  webhook: { scopes: ["webhooks:read"], isAdmins: true },
  api_key: { scopes: ["keys:read"], isAdmins: true },
  session: { scopes: ["profile"], isAdmins: true }
}

/** The resource types whose events the caller may read. One that is not known here is nobody's to read. */
export const readableBy = ({ role, scopes }: PrincipalShape): ReadonlyArray<string> => {
  const isAdmin = role === "owner" || role === "admin"
  return Object.entries(readings)
    .filter(([, reading]) => isAdmin || reading.isAdmins !== true)
    .filter(([, reading]) => reading.scopes.some((scope) => scopes.has(scope)))
    .map(([type]) => type)
}
