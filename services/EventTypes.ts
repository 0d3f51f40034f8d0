import { Schema } from "effect"
import { eventsOf, resourceTypes } from "./Resources.ts"

/** What is relevant to the security of a workspace. */
const securityTypes = ["invitation", "member", "workspace", "api_key", "session", "device", "webhook"] as const
const securityEvents = eventsOf(securityTypes)
export type SecurityEvent = (typeof securityEvents)[number]

/** What is opened to the public, and what takes content out of a workspace or brings much in. */
const publications = eventsOf(["share", "export", "import"])

/** Deletions that cannot be undone, or that take much: the audit log has them where a user asks for them. */
const deletions = ["note.purged", "note.version_deleted", "notebook.deleted"] as const

/**
 * Every type of event that happens in this version (contract 9), by the type of its resource. Nothing else is appended to a
 * log.
 */
export const eventTypes = [...eventsOf(resourceTypes), "sync.conflict", "ping"] as const

export const EventType = Schema.Literals(eventTypes).annotate({ identifier: "EventType" })
export type EventType = typeof EventType.Type

/** All actions of the audit log (contract 9). */
export const auditActions = [
  ...securityEvents,
  ...publications,
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

/** Types of resources in the audit log. */
export const auditedTypes = [...securityTypes, "share", "export", "import", "user", "note", "notebook"] as const
export type AuditedType = (typeof auditedTypes)[number]
