import { escapeHtml } from "../../EscapeHtml.ts"
import { type Leading, type Linked, linksTo, messagePage, name, named } from "./AccountPages.ts"
import type { Field, Page, FormErrors } from "./FormPage.ts"

/** The pages for the link that the first start of the server prints. */

export const setupFields: ReadonlyArray<Field> = [
  { name: "email", autocomplete: "username" },
  name,
  { name: "password", autocomplete: "new-password" }
]

/** `typed` are the address and the name that the user has entered before. */
export const setupPage =
  (providers: ReadonlyArray<Linked>, wrong?: FormErrors, typed: Readonly<Record<string, string>> = {}): Page =>
  (texts) => ({
    title: texts.setup.title,
    paragraphs: [texts.setup.lead],
    providers: linksTo(providers, texts),
    forms: [
      {
        id: "setup",
        fields: setupFields.map((field) => ({ ...field, value: typed[field.name] })),
        button: texts.setup.create,
        wrong: wrong?.(texts)
      }
    ]
  })

interface SetUp extends Leading {
  readonly email: string
  readonly api_key: string
  readonly docsPath: string
}

export const setUpPage =
  ({ api_key, consolePath, docsPath, email, isSignedIn }: SetUp): Page =>
  (texts) => ({
    title: texts.setup.ready,
    paragraphs: [isSignedIn ? texts.signedInAs(named(email)) : texts.setup.signIn(named(email))],
    // The part after # stays in the browser.
    link: { label: texts.setup.continue, to: `${consolePath}start#email=${encodeURIComponent(email)}` },
    revealed: {
      summary: texts.setup.showKey,
      label: texts.setup.key,
      value: api_key,
      hint: texts.setup.keyHint(`<a href="${escapeHtml(docsPath)}">`)
    }
  })

export const expiredSetup = messagePage(({ setup }) => setup.expired)
export const brokenSetup = messagePage(({ setup }) => setup.broken)
