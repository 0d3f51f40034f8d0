import { Schema } from "effect"

const contentEvents = [
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
  "attachment.created",
  "attachment.ready",
  "attachment.updated",
  "attachment.deleted",
  "template.created",
  "template.updated",
  "template.deleted",
  "template.applied",
  "comment.created",
  "comment.updated",
  "comment.resolved",
  "comment.deleted",
  "reminder.created",
  "reminder.updated",
  "reminder.fired",
  "reminder.deleted"
] as const

/** What is opened to the public, and closed: the audit log tells it too, and nobody's rights change by it. */
const publications = ["share.created", "share.updated", "share.deleted"] as const

/** What takes content out of a workspace, or brings much in: the audit log tells it too. */
const transferEvents = ["export.ready", "export.failed", "import.done", "import.failed"] as const

/** Deletions that cannot be undone, or that take much: the audit log has them where a user asks for them. */
const deletions = ["note.purged", "note.version_deleted", "notebook.deleted"] as const

/** What is relevant to the security of a workspace: the audit log tells it too. */
const securityEvents = [
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
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.disabled"
] as const
export type SecurityEvent = (typeof securityEvents)[number]

/**
 * Every type of event that happens in this version (contract 9), by the type of the resource that it happens to. Nothing
 * else is appended to a log.
 */
export const eventTypes = [
  ...contentEvents,
  ...publications,
  ...transferEvents,
  ...securityEvents,
  "sync.conflict",
  "ping"
] as const

export const EventType = Schema.Literals(eventTypes).annotate({ identifier: "EventType" })
export type EventType = typeof EventType.Type

/** All that an action of the audit log can be (contract 9). */
export const auditActions = [
  ...securityEvents,
  ...publications,
  ...transferEvents,
  ...deletions,
  "export.requested",
  "export.downloaded",
  "device.push_subscribed",
  "device.push_unsubscribed",
  "plan.changed",
  "auth.logged_in",
  "auth.login_failed",
  "auth.refused",
  "auth.token_reused",
  "auth.password_changed",
  "auth.password_reset",
  "auth.email_changed",
  "auth.email_confirmed"
] as const
export type AuditAction = (typeof auditActions)[number]

const securityTypes = ["invitation", "member", "workspace", "api_key", "session", "device", "webhook"] as const

/** What events happen to; `sync.conflict` happens to the record in conflict. */
export const resourceTypes = [
  "note",
  "notebook",
  "tag",
  "attachment",
  "template",
  "comment",
  "reminder",
  "share",
  "export",
  "import",
  ...securityTypes
] as const
export type ResourceType = (typeof resourceTypes)[number]

/** What actions of the audit log are done to. */
export const auditedTypes = [...securityTypes, "share", "export", "import", "user", "note", "notebook"] as const
export type AuditedType = (typeof auditedTypes)[number]
