import { translated } from "../ChosenLanguage.ts"
import type { ProblemCode } from "../../client/SheafClient.ts"

/** The texts around the pages of settings, of the server and of the start, and in their tables. They are loaded with them. */
export const administrationTexts = translated("administration", {
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
