import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { frame, headersOf, styled } from "./HtmlPage.ts"
import { problemCodes } from "../../api/ProblemExplanations.ts"

const style = styled(`
.ways { margin-top: 2rem }
`)

export const pageHeaders: Readonly<Record<string, string>> = { ...headersOf(style), "cache-control": "no-store" }

interface Shown {
  readonly code: ProblemCode
  readonly detail: string
  readonly request_id: string
  /** Whether the address is one of the API, which a person may have opened by mistake. */
  readonly isOfApi: boolean
  /** `{base_url}/errors/`. */
  readonly errorsUrl: string
}

/** What a browser shows in place of a problem: what is wrong, and where to go from there. */
export const problemPage = ({ code, detail, errorsUrl, isOfApi, request_id }: Shown): string => {
  const { title } = problemCodes[code]
  const [heading, text] =
    code === "route_not_found" ? ["There is no such page", "Check the address for a mistake."] : [title, `${detail}.`]
  // Without a host: links are right under whatever name the page was reached by.
  const at = (path: string): string => escapeHtml(new URL(path, errorsUrl).pathname)
  return frame({
    style,
    title: heading,
    body: `<main>
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
${isOfApi ? `<p>This address belongs to the API, which programs use. Each request to it carries an access token or an API key.</p>\n` : ""}<p class="ways">Go on to the <a href="${at("../../")}">start page</a> or the <a href="${at("../../docs")}">API reference</a>.</p>
</main>
<footer>Problem <a href="${at(code)}"><code>${code}</code></a>, request <code>${escapeHtml(request_id)}</code></footer>`
  })
}
