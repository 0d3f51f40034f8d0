/** The texts of the overview of the server. */
export const overviewTexts = {
  well: "Everything is well.",
  concerns: {
    noBackups: {
      problem: "There are no backups.",
      remedy: "Set BACKUP_TO and BACKUP_EVERY, and start the server again."
    },
    noSchedule: {
      problem: "Backups have no schedule.",
      remedy: "Set BACKUP_EVERY, and start the server again. Until then, make them on the page."
    },
    overdue: {
      problem: "Scheduled backups do not succeed on time.",
      remedy: "The list has the error of each attempt."
    },
    backupFailed: (error: string) => `The last backup has failed: ${error}.`,
    backupRemedy: "Remove the cause, and make a backup now.",
    drillOverdue: {
      problem: "No scheduled drill has restored a backup in time.",
      remedy: "Make a backup, and check its restore on the page."
    },
    drillFailed: (error: string) => `The last restore drill has failed: ${error}.`,
    drillRemedy: "Make a backup now, and check its restore on the page.",
    checks: (names: string) => `The last checks found faults: ${names}.`,
    checksRemedy: "Each fault has a remedy on the page. Run the checks again after it.",
    mails: (count: number) => (count === 1 ? "1 mail could not be sent." : `${count} mails could not be sent.`),
    mailsRemedy: "Look at the codes, and send the mails again.",
    noMail: {
      problem: "Mail does not reach its recipients.",
      remedy: "Set SMTP_URL, and start the server again. Until then, mail is in DATA_DIR/outbox."
    },
    jobs: (count: number) =>
      count === 1 ? "1 export or import has failed." : `${count} exports and imports have failed.`,
    jobsRemedy: "Look at the errors, and try again what can succeed.",
    disk: (free: string) => `The disk has only ${free} left.`,
    diskRemedy: "Make the disk larger, or erase deleted workspaces. Uploads are refused when it is nearly full.",
    versions: (versions: string) => `The nodes have several versions: ${versions}.`,
    versionsRemedy: "Complete the upgrade."
  },
  sizes: "Sizes",
  nodes: "Nodes",
  filesOf: (count: string, size: string) => `${count}, ${size}`,
  database: "Database",
  diskFree: "Free on the disk",
  lastBackup: "Last backup",
  nextBackup: "Next backup",
  measured: "Over time",
  measuredLead: "All nodes together. It is read again each minute.",
  range: "Time",
  ranges: { hour: "Last hour", day: "Last day", month: "Last 30 days", year: "Last year" },
  charts: {
    requests: "Requests",
    latency: "Duration of requests",
    stored: "Stored",
    waiting: "Waiting in queues",
    overdue: "How long the oldest in a queue is overdue",
    lag: "Delay after changes",
    memory: "Memory"
  },
  requests: { requests: "All", refused: "Refused", errors: "Errors" },
  latency: { latency_p50: "50 %", latency_p95: "95 %", latency_p99: "99 %" },
  stored: { file_bytes: "Files", text_bytes: "Texts", database_bytes: "Database" },
  queues: { mails: "Mails", transfers: "Exports and imports", webhooks: "Webhooks", reminders: "Reminders" },
  lag: { search_lag: "Search", stream_lag: "Streams" },
  memory: { memory_bytes: "Node that uses most" }
}
