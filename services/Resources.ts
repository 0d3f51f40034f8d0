interface Resource {
  /** Prefix of its ids (contract, Identifier prefixes). */
  readonly prefix: string
  /** Scopes, one of which is required to read it and its events (contract 4). */
  readonly reads: ReadonlyArray<string>
  /** Whether only admins and owners may read it (contract 4). */
  readonly isAdmins?: true
  /** Its events (contract 9): `created` of a note is the event type `note.created`. */
  readonly events: ReadonlyArray<string>
  /** The name of its counter in the head of its workspace: its plural. */
  readonly counter?: string
  /** Maximum number per workspace, the same for all plans unless the operator sets another. */
  readonly quota?: number
  /** For types that clients sync: its bit in sync cursors. Clients keep cursors, so the bit never changes. */
  readonly syncBit?: number
  /** Whether it belongs to a note, and is in the trash with it. */
  readonly isOfNote?: true
}

/**
 * The resource types of a workspace, one row each. Ids, event types, the rights to read events, counters, quotas and sync
 * follow from these rows.
 */
export const resources = {
  note: {
    prefix: "nt",
    reads: ["notes:read"],
    events: ["created", "updated", "archived", "restored", "deleted", "purged", "version_deleted"],
    counter: "notes",
    syncBit: 3
  },
  notebook: {
    prefix: "nb",
    reads: ["notes:read"],
    events: ["created", "updated", "moved", "deleted"],
    counter: "notebooks",
    quota: 2_000,
    syncBit: 0
  },
  tag: {
    prefix: "tg",
    reads: ["notes:read"],
    events: ["created", "updated", "deleted", "merged"],
    counter: "tags",
    quota: 10_000,
    syncBit: 1
  },
  attachment: {
    prefix: "at",
    reads: ["files:read", "notes:read"],
    events: ["created", "ready", "updated", "deleted"],
    counter: "attachments",
    quota: 100_000,
    syncBit: 4,
    isOfNote: true
  },
  template: {
    prefix: "tp",
    reads: ["notes:read"],
    events: ["created", "updated", "deleted", "applied"],
    counter: "templates",
    quota: 1_000,
    syncBit: 2
  },
  comment: {
    prefix: "cm",
    reads: ["notes:read"],
    events: ["created", "updated", "resolved", "deleted"],
    counter: "comments",
    quota: 100_000,
    syncBit: 6,
    isOfNote: true
  },
  reminder: {
    prefix: "rm",
    reads: ["notes:read"],
    events: ["created", "updated", "fired", "deleted"],
    counter: "reminders",
    quota: 20_000,
    syncBit: 5,
    isOfNote: true
  },
  share: {
    prefix: "sh",
    reads: ["notes:read"],
    events: ["created", "updated", "deleted"],
    counter: "shares",
    quota: 10_000,
    isOfNote: true
  },
  export: { prefix: "ex", reads: ["export:read"], events: ["ready", "failed"] },
  import: { prefix: "im", reads: ["notes:read"], events: ["done", "failed"] },
  invitation: {
    prefix: "iv",
    reads: ["members:read"],
    isAdmins: true,
    events: ["created", "resent", "accepted", "deleted"]
  },
  member: { prefix: "mb", reads: ["members:read"], events: ["added", "role_changed", "removed"] },
  workspace: {
    prefix: "ws",
    reads: ["profile", "members:read"],
    events: ["created", "updated", "deleted", "restored"]
  },
  api_key: { prefix: "ak", reads: ["keys:read"], isAdmins: true, events: ["created", "updated", "rotated", "deleted"] },
  session: { prefix: "se", reads: ["profile"], isAdmins: true, events: ["created", "revoked"] },
  device: { prefix: "sy", reads: ["notes:read"], events: ["registered", "revoked"] },
  webhook: {
    prefix: "wh",
    reads: ["webhooks:read"],
    isAdmins: true,
    events: ["created", "updated", "deleted", "disabled"]
  }
} as const satisfies Readonly<Record<string, Resource>>

type Resources = typeof resources
export type ResourceType = keyof Resources
/** The types whose rows have the given member with the given value. */
type TypeWith<Member extends PropertyKey, Value = unknown> = {
  [Type in ResourceType]: Resources[Type] extends Readonly<Record<Member, Value>> ? Type : never
}[ResourceType]

/** The rows by type. */
export const rows: Readonly<Record<ResourceType, Resource>> = resources

export const resourceTypes = Object.keys(resources) as ReadonlyArray<ResourceType>

/** The event types of some resources. */
type EventTypeOf<Type extends ResourceType> = {
  [Each in Type]: `${Each}.${Resources[Each]["events"][number]}`
}[Type]
export const eventsOf = <const Type extends ResourceType>(
  types: ReadonlyArray<Type>
): ReadonlyArray<EventTypeOf<Type>> =>
  types.flatMap((type) => rows[type].events.map((event) => `${type}.${event}` as EventTypeOf<Type>))

/** Prefixes of ids by type. */
export const prefixes = Object.fromEntries(resourceTypes.map((type) => [type, rows[type].prefix])) as {
  readonly [Type in ResourceType]: Resources[Type]["prefix"]
}

export type ResourceCounter = Resources[TypeWith<"counter">]["counter"]
export const resourceCounters = resourceTypes.flatMap(
  (type) => rows[type].counter ?? []
) as ReadonlyArray<ResourceCounter>

/** The default quotas by counter. */
export type ResourceQuota = Resources[TypeWith<"quota">]["counter"]
export const resourceQuotas = Object.fromEntries(
  Object.values(rows).flatMap(({ counter, quota }) => (quota === undefined ? [] : [[counter, quota]]))
) as Readonly<Record<ResourceQuota, number>>

/** The types that clients sync, in the order of their bits. */
export type SyncType = TypeWith<"syncBit">
export const syncTypes = resourceTypes
  .filter((type): type is SyncType => rows[type].syncBit !== undefined)
  .toSorted((a, b) => resources[a].syncBit - resources[b].syncBit)

/** A note, and the types of records that belong to one. */
export type NoteType = "note" | TypeWith<"isOfNote">
export const noteTypes = resourceTypes.filter(
  (type): type is NoteType => type === "note" || rows[type].isOfNote === true
)
