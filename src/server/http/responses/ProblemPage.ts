import type { ProblemCode } from "../../../../services/ProblemCodes.ts"
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
  /** Whether the URL belongs to the API, which a user may have opened by mistake. */
  readonly isOfApi: boolean
  /** `{base_url}/errors/`. */
  readonly errorsUrl: string
}

/** The page that a browser shows for a problem: the error, and links to other pages. */
export const problemPage = ({ code, detail, errorsUrl, isOfApi, request_id }: Shown): string => {
  const { title } = problemCodes[code]
  const [heading, text] = code === "route_not_found" ? ["Page not found", "Check the address."] : [title, `${detail}.`]
  // Without a host, so that links work under every name of the server.
  const at = (path: string): string => escapeHtml(new URL(path, errorsUrl).pathname)
  return frame({
    style,
    title: heading,
    body: `<main>
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
${isOfApi ? `<p>This address belongs to the API, which is for programs. Each request to it needs an access token or an API key.</p>\n` : ""}<p class="ways">Continue to the <a href="${at("../../")}">start page</a> or the <a href="${at("../../docs")}">API reference</a>.</p>
</main>
<footer>Problem <a href="${at(code)}"><code>${code}</code></a>, request <code>${escapeHtml(request_id)}</code></footer>`
  })
}
