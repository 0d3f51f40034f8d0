import { Schema } from "effect"

/**
 * Every type of event that happens in this version (contract 9), by the type of the resource that it happens to. Nothing
 * else is appended to a log.
 */
export const eventTypes = [
  "note.created",
  "note.updated",
  "note.archived",
  "note.restored",
  "note.deleted",
  "note.purged",
  "note.version_deleted",
  "notebook.created",
  "notebook.updated",
  "notebook.moved",
  "notebook.deleted",
  "tag.created",
  "tag.updated",
  "tag.deleted",
  "tag.merged",
  "invitation.created",
  "invitation.resent",
  "invitation.accepted",
  "invitation.deleted",
  "member.added",
  "member.role_changed",
  "member.removed",
  "workspace.created",
  "workspace.updated",
  "workspace.deleted",
  "api_key.created",
  "api_key.rotated",
  "api_key.deleted",
  "session.created",
  "session.revoked",
  "device.registered",
  "device.revoked",
  "sync.conflict"
] as const

export const EventType = Schema.Literals(eventTypes).annotate({ identifier: "EventType" })
export type EventType = typeof EventType.Type
