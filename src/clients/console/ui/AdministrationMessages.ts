import { translated } from "../ChosenLanguage.ts"
import type { ProblemCode } from "../../client/SheafClient.ts"

/** The texts around the pages of settings, of the server and of the start, and in their tables. They are loaded with them. */
export const administrationTexts = translated("administration", {
  words: {
    actions: "Actions",
    address: "Address",
    begun: "Begun",
    created: "Created",
    delete: "Delete…",
    deleteWorkspace: "Delete the workspace",
    download: "Download",
    due: (when: string) => `due ${when}`,
    email: "E-mail address",
    file: "File",
    files: "Files",
    lastUsed: "Last used",
    linkFor: (email: string) => `Link for ${email}`,
    makeKey: "Make the key",
    members: "Members",
    name: "Name",
    never: "never",
    notes: "Notes",
    of: (used: string, limit: string) => `${used} of ${limit}`,
    open: "Open",
    openOf: (name: string) => `Open ${name}`,
    password: "Password",
    plan: "Plan",
    plans: { free: "Free", plus: "Plus", team: "Team" },
    refresh: "Refresh",
    result: "Result",
    saved: "Saved.",
    seats: "Seats",
    secondFactors: "Second factors",
    sendAgain: "Send again",
    sendAgainTo: (email: string) => `Send again to ${email}`,
    sessions: "Sessions",
    sessionsEnded: (count: number) => (count === 1 ? "1 session has ended." : `${count} sessions have ended.`),
    show: "Show",
    size: "Size",
    state: "State",
    stored: "Stored",
    when: "When",
    workspace: "Workspace"
  },
  back: "Back to the notes",
  skip: "Skip to the page",
  noPage: "There is no such page.",
  done: "Done",
  copy: "Copy",
  showDetails: "Details",
  hideDetails: "Hide",
  loadMore: "Load more",
  password: {
    title: "Confirm that it is you",
    lead: "You signed in some time ago.",
    one: "One of these is enough.",
    code: "Code of the authenticator app, or a recovery code",
    recoveryCode: "Recovery code",
    passkey: "Use a passkey",
    confirm: "Continue",
    by: (name: string) => `Confirm with ${name}`,
    after: "Sign in on the other page, then continue here.",
    problems: { invalid_credentials: "The password is wrong." } satisfies Partial<Record<ProblemCode, string>>
  }
})

/** Words that several of these pages have. */
export const { words } = administrationTexts
