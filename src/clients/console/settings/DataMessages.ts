/** The texts of imports, exports, the usage and the audit log. */
export const dataTexts = {
  transfers: {
    importTitle: "Import",
    imports: "Imports",
    unnamed: "A file without a name",
    notesOf: (imported: number, updated: number, skipped: number) =>
      [
        `${imported} new`,
        ...(updated > 0 ? [`${updated} updated`] : []),
        ...(skipped > 0 ? [`${skipped} skipped`] : [])
      ].join(", "),
    noImports: "Nothing was imported.",
    noFile: "waits for its file",
    statuses: { queued: "waits", running: "running", done: "done", ready: "ready", failed: "failed" },
    exportTitle: "Export",
    exportLead: "A ZIP file with the notes as they are at one moment, without the trash.",
    exports: "Exports",
    scope: "What",
    scopes: { workspace: "The whole workspace", notebook: "A notebook with those inside" },
    gone: "a deleted notebook",
    format: "Form",
    formats: { markdown: "Markdown files", json: "JSON, which an import reads back without loss" },
    formatNames: { markdown: "Markdown", json: "JSON" },
    attachments: "With the files of the notes",
    submit: "Make the export",
    noExports: "There are no exports.",
    kept: "The last five are kept, each for seven days.",
    downloadOf: (when: string) => `Download the export of ${when}`
  },

  usage: {
    lead: (plan: string, until: string) => `Plan ${plan}. The number of requests begins again on ${until}.`,
    unlimited: (used: string) => `${used}, without a limit`,
    full: "full",
    meters: {
      storage: "Texts and files",
      templates: "Templates",
      shares: "Links"
    },
    limits: "Limits",
    limit: "Limit",
    value: "At most",
    limitNames: {
      requests_per_minute: "Requests a minute, for each session and key",
      attachment_bytes: "Size of a file",
      api_keys: "API keys of a user",
      devices: "Devices of a user",
      invitations: "Open invitations",
      invitations_per_hour: "Invitations of a user in an hour",
      invitations_per_day: "Invitations of a user in a day",
      audit_days: "Days for which the audit log is kept"
    },
    noLimit: "no limit",
    requests: "Requests",
    requestsLead: (count: string) => `${count} in this month, by day (UTC).`,
    day: "Day",
    noDays: "There are no requests."
  },

  audit: {
    title: "Entries",
    lead: "Actions that concern security: sign-ins, keys, roles, links, exports. Entries never change.",
    anyone: "Everyone",
    server: "the server",
    from: "From",
    to: "Until",
    apply: "Filter",
    none: "No entry matches.",
    program: "Program",
    undo: "Undo these changes",
    save: "Save as a file",
    saveLead: "All entries that match the filter.",
    reading: (count: number) => `${count} entries are read…`,
    saved: (count: number) => `${count} entries are saved.`,
    limited: (most: string) => `The newest ${most} entries are saved. Filter by time for the others.`
  }
}
