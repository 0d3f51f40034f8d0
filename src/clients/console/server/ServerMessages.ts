import { translated } from "../ChosenLanguage.ts"
import type { ProblemCode } from "../../client/SheafClient.ts"
import { overviewTexts } from "./overview/OverviewMessages.ts"

type Sentences = Partial<Record<ProblemCode, string>>

/** All texts of the pages for operators. They are loaded with the pages. */
export const texts = translated("server", {
  navigation: "Server",
  notAllowed: "Only operators of the server can use this page.",
  pages: {
    overview: "Overview",
    users: "Users",
    workspaces: "Workspaces",
    jobs: "Jobs",
    backups: "Backups",
    mails: "Mails",
    checks: "Checks",
    system: "System"
  },
  no: "no",
  search: "Search",
  version: "Version",
  yes: "yes",

  overview: overviewTexts,

  users: {
    list: "All users",
    words: "Address or name",
    suspendedOnly: "Suspended users",
    operatorsOnly: "Operators",
    none: "No user matches.",
    usual: "active",
    suspended: "suspended",
    operator: "operator",
    active: "Last active",
    confirmed: "Address confirmed",
    personal: "the personal one",
    create: "New user",
    createLead: "The address counts as confirmed. The user has a personal workspace.",
    nameOptional: "Name (optional)",
    passwordHint: "At least 10 characters. The user can change it.",
    submit: "Create the user",
    names: "Address and name",
    namesLead: "Another address counts as confirmed.",
    problems: {
      already_exists: "Another user has this address.",
      not_found: "There is no such user."
    } satisfies Sentences,
    suspend: "Suspend…",
    resume: "End the suspension",
    makeOperator: "Make an operator…",
    endOperator: "End the right of an operator",
    makeLink: "Link for a new password",
    linkHint: (until: string) => `It is shown only now, and is also mailed to the user. It works once, until ${until}.`,
    endSessions: "End all sessions…",
    resetFactors: "Remove second factors…",
    factorsReset: (count: number) => (count === 1 ? "1 factor is removed." : `${count} factors are removed.`),
    deleted: (email: string) => `${email} is deleted.`,
    titles: {
      suspend: "Suspend the user",
      makeOperator: "Make an operator",
      endSessions: "End all sessions",
      resetFactors: "Remove second factors",
      delete: "Delete the user"
    },
    leads: {
      suspend: (email: string) =>
        `All sessions of ${email} end at once, and sign-ins and API keys are refused. Nothing is deleted.`,
      makeOperator: (email: string) => `${email} may then do everything on the pages of the server, as you do.`,
      endSessions: (email: string) => `${email} is signed out on all devices. API keys stay.`,
      resetFactors: (email: string) =>
        `${email} signs in without a second factor until a new one is added, and gets a mail. Do this only if you know that the request is from the user.`,
      delete: (email: string) =>
        `The account of ${email} is deleted, and cannot be restored. Workspaces without other members are deleted with it; they can be restored for 30 days.`
    }
  },

  workspaces: {
    list: "All workspaces",
    lead: "What they store, without their content.",
    words: "Name or short name",
    presentOnly: "Those that are not deleted",
    deletedOnly: "Deleted workspaces",
    none: "No workspace matches.",
    slug: "Short name",
    textBytes: "Texts",
    present: "in use",
    personal: "personal",
    deleted: "deleted",
    erasing: "being erased",
    deletedAt: "Deleted",
    problems: { not_found: "There is no such workspace: it may have been erased." } satisfies Sentences,
    planTitle: "Plan and seats",
    search: "Search index",
    searchLead: "If searches do not find what is there. Until the index is complete, searches find only some notes.",
    reindex: "Build the index again",
    reindexed: "The next search builds the index again.",
    end: "Delete and erase",
    endLead: "A deleted workspace can be restored for 30 days. An erased one cannot be restored.",
    deleteConfirm: (name: string) => `All members of “${name}” lose access at once. It can be restored for 30 days.`,
    erase: "Erase…",
    eraseTitle: "Erase the workspace",
    eraseConfirm: (slug: string) =>
      `Everything in it is erased within two hours, and cannot be restored. Type ${slug} to confirm.`,
    erasingLead: "The workspace is being erased. It cannot be restored.",
    personalLead: "This is the personal workspace of a user. It ends with the user.",
    restore: "Restore the workspace",
    restoreLead: "Its members have access again, with all notes.",
    restored: "The workspace is restored.",
    owner: "Address of an owner (optional)",
    ownerHint:
      "A user of this server, who becomes an owner. Required if no owner is left; otherwise possible a day after the deletion."
  },

  jobs: {
    title: "Exports and imports",
    lead: "Those of all workspaces, as long as they are kept.",
    all: "All states",
    none: "There are no such exports and imports.",
    kind: "What",
    kinds: { export: "Export", import: "Import" },
    states: {
      awaiting_file: "waits for its file",
      queued: "waits",
      running: "running",
      retrying: "retrying",
      failed: "failed",
      done: "done"
    },
    nameOf: (kind: string, workspace: string) => `${kind} of ${workspace}`,
    next: (when: string) => `tried again ${when}`,
    retryOf: (name: string) => `Try again: ${name}`,
    cancel: "End…",
    cancelOf: (name: string) => `End: ${name}`,
    cancelConfirm: "It ends as failed. Notes that an import has created stay.",
    cancelButton: "End it"
  },

  backups: {
    plan: "Plan",
    planLead: "Set by BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP and BACKUP_RECIPIENT.",
    noPlan: "There are no backups. Set BACKUP_TO and BACKUP_EVERY, and start the server again.",
    to: "Place",
    every: "Every",
    noSchedule: "no schedule",
    keep: "Kept",
    encrypted: "Encrypted",
    last: "Last success",
    next: "Next",
    begin: "Make a backup now",
    isRunning: "A backup is running…",
    lead: "Those that are kept, and the last failed attempts.",
    none: "There are no backups.",
    kind: "Reason",
    kinds: { scheduled: "schedule", manual: "by hand" },
    running: "running",
    failed: "failed",
    failedTimes: (count: number) => `failed ${count} times`,
    made: "made",
    downloadOf: (when: string) => `Download the backup of ${when}`
  },

  drills: {
    title: "Restore drills",
    lead: "A drill restores the newest backup into a scratch database, compares both, and drops the database. Set by BACKUP_VERIFY_EVERY.",
    last: "Last restore drill",
    backup: "Backup",
    next: "Next drill",
    succeeded: "restored without a difference",
    begin: "Check a restore now",
    isRunning: "A restore is being checked…"
  },

  mails: {
    title: "Waiting and failed mails",
    lead: "Those that wait, and those that could not be sent in the last 7 days. Their texts are not shown.",
    none: "No mail waits, and none has failed.",
    recipient: "Recipient",
    attempts: "Tries",
    states: { waiting: "waits", retrying: "retrying", failed: "failed" },
    resent: (recipient: string) => `The mail to ${recipient} is sent again.`,
    problems: { not_found: "The mail was sent meanwhile." } satisfies Sentences,
    test: "Test mail",
    testLead: "It is sent at once, and shows the response of the mail server.",
    testTo: "To",
    sendTest: "Send a test mail",
    tested: (recipient: string) => `The mail server has accepted the mail to ${recipient}.`,
    testFailed: (error: string) => `The mail was not sent: ${error}.`,
    testKept: "There is no mail server: the mail is in DATA_DIR/outbox. Set SMTP_URL."
  },

  checks: {
    begin: "Check the server",
    lead: "The checks read, and change nothing. A thorough run reads the bytes of all files, which may take long.",
    quick: "Quick check",
    thorough: "Thorough check",
    last: "Last run",
    none: "The server was not checked yet.",
    earlier: "Earlier runs",
    states: { running: "running", ended: "ended", interrupted: "interrupted" },
    faulty: (count: number) =>
      count === 0 ? "no faults" : count === 1 ? "1 check has faults" : `${count} checks have faults`,
    resultsOf: (when: string) => `Results of ${when}`,
    noResults: "There are no results yet.",
    check: "Check",
    found: "Found",
    statuses: { ok: "well", faulty: "faulty", repaired: "repaired", skipped: "skipped" },
    more: "There are more faults.",
    openWorkspace: "Open the workspace"
  },

  system: {
    releaseNotes: "Changes by version",
    noNodes: "No node has reported in the last minute.",
    host: "Machine",
    listens: "Listens on",
    workers: "Workers",
    memory: "Memory",
    started: "Started",
    search: "Search indexes",
    searchLead: "Those of the node that has responded.",
    indexes: "In memory",
    settings: "Settings",
    settingsLead: "Environment variables of the node that has responded. Secrets are hidden. A change needs a restart.",
    noSettings: "This server was started without environment variables.",
    value: "Value",
    unset: "not set",
    source: "From",
    sources: { environment: "environment", default: "default" }
  },

  audit: {
    title: "What operators have done",
    lead: "In the console, with the API and by commands. Entries never change.",
    actor: "Operator",
    command: "command line",
    none: "Operators have done nothing yet."
  }
})
