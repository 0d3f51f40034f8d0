import type { SignInRefused } from "../../../../services/oidc/Provider.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { named } from "./AccountPages.ts"
import type { Page } from "./FormPage.ts"

/** The pages to which a provider leads back. */

/** The page that keeps a session. Its script continues to the console at once. */
export const signedInPage =
  (email: string, consolePath: string, problem?: Page): Page =>
  (texts) => {
    const link = { label: texts.openSheaf, to: consolePath }
    if (problem !== undefined) return { ...problem(texts), link }
    return { title: texts.signIn.done, paragraphs: [texts.signedInAs(named(email))], link: { ...link, isNext: true } }
  }

/** The page after a confirmation, which was opened next to the console. */
export const confirmedPage: Page = ({ signIn }) => ({ title: signIn.confirmed, paragraphs: [signIn.close] })

export const refusedPage =
  ({ provider = "", reason }: SignInRefused, consolePath: string): Page =>
  (texts) => {
    // A title is text, and paragraphs are HTML.
    const [title] = texts.signIn.refused(provider)[reason]
    const [, ...paragraphs] = texts.signIn.refused(`<bdi>${escapeHtml(provider)}</bdi>`)[reason]
    return { title, paragraphs, link: { label: texts.openSheaf, to: consolePath } }
  }

/** A failure that is not about the provider, such as a suspended account. */
export const failedPage =
  (sentence: (texts: Parameters<Page>[0]) => string, consolePath: string): Page =>
  (texts) => ({
    title: texts.signIn.failed,
    paragraphs: [escapeHtml(sentence(texts))],
    link: { label: texts.openSheaf, to: consolePath }
  })
