import { Schema } from "effect"
import { eventsOf, resourceTypes } from "./Resources.ts"

/** Resources that are relevant to the security of a workspace. */
const securityTypes = ["invitation", "member", "workspace", "api_key", "session", "device", "webhook"] as const
const securityEvents = eventsOf(securityTypes)
export type SecurityEvent = (typeof securityEvents)[number]

/** Events that publish content, take content out of a workspace, or bring much content in. */
const publications = eventsOf(["share", "export", "import"])

/** Deletions that cannot be undone or that remove much. The audit log contains them when a user requests them. */
const deletions = ["note.purged", "note.version_deleted", "notebook.deleted"] as const

/** Every event type of this version (contract 9), by the type of its resource. No other type is appended to a log. */
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
  "tool.called",
  "change_set.reverted",
  "auth.logged_in",
  "auth.login_failed",
  "auth.refused",
  "auth.token_reused",
  "auth.password_changed",
  "auth.password_reset",
  "auth.email_changed",
  "auth.name_changed",
  "auth.email_confirmed",
  "auth.account_deleted",
  "auth.account_suspended",
  "auth.account_resumed",
  "auth.sessions_ended",
  "auth.operator_added",
  "auth.operator_removed",
  "auth.reset_link_made",
  "auth.identity_linked",
  "auth.identity_unlinked",
  "auth.identity_link_made",
  "auth.factor_added",
  "auth.factor_removed",
  "auth.factors_reset",
  "auth.recovery_codes_made",
  "auth.recovery_code_used",
  "auth.second_factor_failed",
  "server.backup_downloaded",
  "server.backup_requested",
  "server.check_requested",
  "server.drill_requested",
  "server.index_rebuilt",
  "server.job_retried",
  "server.mail_resent",
  "server.mail_tested",
  "server.user_deleted",
  "server.workspace_purged"
] as const
export type AuditAction = (typeof auditActions)[number]

/** Resource types of the audit log. */
export const auditedTypes = [
  ...securityTypes,
  "share",
  "export",
  "import",
  "user",
  "note",
  "notebook",
  "change_set",
  "server"
] as const
export type AuditedType = (typeof auditedTypes)[number]
