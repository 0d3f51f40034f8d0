import { escapeHtml } from "../../EscapeHtml.ts"
import { type Leading, messagePage, name, named, newPassword } from "./AccountPages.ts"
import type { Content, Field, Wrong } from "./FormPage.ts"

/** The pages for the link that the first start of the server prints. */

export const setupFields: ReadonlyArray<Field> = [
  { name: "email", label: "E-mail address", autocomplete: "username" },
  name,
  newPassword("password", "Password")
]

/** `typed` are the address and the name that the user has entered before. */
export const setupPage = (wrong?: Wrong, typed: Readonly<Record<string, string>> = {}): Content => ({
  title: "Create the first account",
  paragraphs: ["It owns the first workspace, and administers the server. Then you can bring your notes."],
  forms: [
    {
      id: "setup",
      fields: setupFields.map((field) => ({ ...field, value: typed[field.name] })),
      button: "Create account",
      wrong
    }
  ]
})

interface SetUp extends Leading {
  readonly email: string
  readonly api_key: string
  readonly docsPath: string
}

export const setUpPage = ({ api_key, consolePath, docsPath, email, isSignedIn }: SetUp): Content => ({
  title: "Your account is ready",
  paragraphs: [
    isSignedIn
      ? `You are signed in as ${named(email)}.`
      : `Sign in with ${named(email)} and your password to import notes and to connect apps.`
  ],
  // The part after # stays in the browser.
  link: { label: "Continue", to: `${consolePath}start#email=${encodeURIComponent(email)}` },
  revealed: {
    summary: "Show a key for scripts",
    label: "API key",
    value: api_key,
    hint: `It may do everything in your workspace, and is not shown again. <a href="${escapeHtml(docsPath)}">The documentation</a> describes how to use the API.`
  }
})

export const expiredSetup = messagePage(
  "This link has expired",
  "A link works for one hour. Restart Sheaf: it prints another one."
)
export const brokenSetup = messagePage(
  "This link does not work",
  "It was used before, is incomplete, or an account has a password already. If you have used it, sign in to your app.",
  "Sheaf prints another link at each start while no account has a password."
)
