/**
 * What a PostgreSQL that is distributed by `workspace_id` cannot keep as it is (docs/scaling.md): all other tables have
 * `workspace_id` in each key, and all other statements name it. Each exception has its reason.
 */

/** Tables with a copy on each node. They have unique indexes without `workspace_id`, and join with all tables. */
export const referenceTables: Readonly<Record<string, string>> = {
  workspaces: "found by its slug",
  users: "found by address and id",
  account_deletions: "read with users, also by a trigger of members",
  members: "the workspaces of a user are found by the user",
  invitations: "found by the hash of a token",
  api_keys: "found by the hash of a secret",
  sessions: "found by the hash of a token; references users",
  refresh_tokens: "found by the hash of a token; references sessions",
  password_resets: "found by the hash of a token",
  email_confirmations: "found by the hash of a token",
  setup_links: "found by the hash of a token",
  authorization_codes: "found by the hash of a code",
  oauth_clients: "apps of the installation",
  identity_links: "found by the hash of a token",
  user_identities: "found by issuer and subject",
  used_sign_ins: "found by the hash of a state; deleted with tokens",
  factors: "passkeys are found by their credential; all are found by user",
  recovery_codes: "found by user, with factors"
}

/** Tables of the first node alone. */
export const localTables: Readonly<Record<string, string>> = {
  alarms: "about the installation",
  backups: "about the installation",
  check_runs: "about the installation",
  migrations: "about the installation",
  nodes: "about the installation",
  restore_drills: "about the installation",
  audit_chains: "about the installation",
  secret_key: "about the installation",
  series_points: "about the installation",
  vapid_keys: "about the installation",
  mails: "a queue, read in the order of time",
  failed_mails: "a list of operators, by time",
  transfers: "a queue, read in the order of time",
  due_reverts: "a queue, read in the order of time",
  reminder_pushes: "a queue, read in the order of time and by user"
}

/** Unique indexes of distributed tables without `workspace_id`. */
export const uniqueIndexes: Readonly<Record<string, string>> = {
  shares_token_hash_key:
    "a share is found by the hash of its token: a reference table would map the hash to the workspace"
}

/** Statements that a module sends to the tables of all workspaces. */
export interface WideStatement {
  readonly module: string
  readonly sends: RegExp
  readonly reason: string
}

const wide = (module: string, reason: string, ...sends: ReadonlyArray<RegExp>): ReadonlyArray<WideStatement> =>
  sends.map((each) => ({ module, sends: each, reason }))

/** Statements about all workspaces, or about a user in all of theirs, by the module that sends them. */
export const wideStatements: ReadonlyArray<WideStatement> = [
  ...wide(
    "services/webhooks/Claims.ts",
    "a queue over all workspaces",
    /^SELECT min\(due_at\) /,
    /^SELECT workspace_id, count\(\*\)::int AS count FROM webhooks WHERE active /,
    /^UPDATE webhook_cursors t SET holder = /
  ),
  ...wide(
    "services/notes/reminders/ReminderClock.ts",
    "a queue over all workspaces",
    /^SELECT (remind_at|min\(greatest\(remind_at, .*) FROM reminders /,
    /^WITH due AS \( SELECT workspace_id, id FROM reminders r /
  ),
  ...wide(
    "services/contents/ContentStore.ts",
    "a queue over all workspaces",
    /FROM content_places p .* WHERE p\.read_at < /
  ),
  ...wide(
    "services/activity/audit/AuditWriting.ts",
    "a queue over all workspaces",
    /audit_unsent (JOIN|WHERE place = )/
  ),
  ...wide(
    "services/writer/Restores.ts",
    "announces restores at the start",
    /^SELECT r\.workspace_id, .* FROM restores r /
  ),
  ...wide(
    "services/database/DeleteInBatches.ts",
    "retention: rows of a batch are named by their place in the table",
    /^DELETE FROM (\w+) WHERE ctid = ANY\(ARRAY\(SELECT ctid FROM \1 WHERE (?!workspace_id = )/
  ),
  ...wide("services/notes/Trash.ts", "retention", /FROM notes WHERE deleted_at < /),
  ...wide(
    "services/notes/attachments/PendingAttachments.ts",
    "retention",
    /FROM attachments WHERE status = 'pending' AND created_at < /
  ),
  ...wide("services/files/BlobCollection.ts", "retention", /FROM blobs WHERE refs = 0 AND unused_since < /),
  ...wide("services/transfers/Expiry.ts", "retention", / FROM (exports|imports) t WHERE (expires_at|ends_at) <= /),
  ...wide(
    "services/activity/UsageCounters.ts",
    "retention",
    /^SELECT workspace_id FROM workspaces w .* FROM request_days /
  ),
  ...wide(
    "services/activity/AuditLog.ts",
    "retention",
    /^SELECT workspace_id FROM workspaces w .* FROM audit_entries /
  ),
  ...wide(
    "services/activity/Events.ts",
    "retention",
    /^SELECT workspace_id FROM heads h WHERE \( SELECT occurred_at FROM changes /
  ),
  ...wide(
    "services/webhooks/DeliveryCleanup.ts",
    "retention",
    /^SELECT workspace_id, id FROM webhooks WHERE \(workspace_id, id\) > /
  ),
  ...wide(
    "services/workspaces/Erasure.ts",
    "rows of a batch are named by their place in the table",
    /^DELETE FROM (\w+) WHERE ctid = ANY\(ARRAY\(SELECT ctid FROM \1 WHERE workspace_id = /
  ),
  ...wide(
    "services/identity/KnownDevices.ts",
    "devices of a user in all workspaces",
    / FROM devices d WHERE (d\.id = |last_sync_at < )/
  ),
  ...wide(
    "services/identity/PersonErasure.ts",
    "what is known of a user in all workspaces",
    / AS place, .* FROM (audit_entries|changes) WHERE /
  ),
  ...wide(
    "services/notes/reminders/Reminders.ts",
    "devices of a user in all workspaces",
    /SELECT EXISTS \(SELECT FROM push_subscriptions WHERE user_id = /
  ),
  ...wide(
    "services/admin/OperatorAudit.ts",
    "a list of operators",
    / FROM audit_entries .*metadata ->> 'by' = 'operator'/
  ),
  ...wide("services/admin/ServerWorkspace.ts", "a list of operators", / FROM workspaces w JOIN heads h ON /),
  ...wide("services/admin/ServerAlarms.ts", "a total of the server, once a day", /AS count FROM webhooks /),
  ...wide("services/admin/ServerState.ts", "totals of the server", /^SELECT current_setting\('server_version'\) /),
  ...wide(
    "services/series/StoredTotals.ts",
    "totals of the server",
    /^SELECT pg_database_size\(current_database\(\)\)/
  ),
  ...wide("services/transfers/ServerJob.ts", "a list of operators", / FROM \(SELECT 'export' AS kind, j\.id, /),
  ...wide(
    "services/transfers/OperatorJobs.ts",
    "a job, by its id alone",
    /^SELECT 'export' AS kind, workspace_id, .* FROM exports WHERE id = /
  ),
  ...wide(
    "services/secrets/Reseal.ts",
    "seals all secrets again with another key",
    /^SELECT workspace_id, id, \w+ AS sealed FROM /
  ),
  ...wide(
    "services/doctor/Snapshot.ts",
    "checks everything in slices",
    /^WITH s AS MATERIALIZED \(SELECT /,
    / OFFSET \d+ LIMIT 1$/
  ),
  ...wide("services/doctor/DatabaseChecks.ts", "checks everything", /^SELECT max\(c\.occurred_at\) AS newest /),
  ...wide(
    "services/files/BlobCheck.ts",
    "checks everything in slices",
    /^SELECT (count\(\*\)::float8 AS count|workspace_id, sha256, .*) FROM blobs WHERE .*refs > 0/
  )
]
