import type { ProblemCode } from "../../../../services/ProblemCodes.ts"
import { escapeHtml } from "../../EscapeHtml.ts"
import { frame, headersOf, styled } from "./HtmlPage.ts"
import type { PageTexts } from "../pages/languages/EnglishPages.ts"
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
  readonly texts: PageTexts
}

/** The page that a browser shows for a problem: the error, and links to other pages. */
export const problemPage = ({ code, detail, errorsUrl, isOfApi, request_id, texts }: Shown): string => {
  const { title } = problemCodes[code]
  const said = texts.problemPage
  const [heading, ...paragraphs] =
    code === "route_not_found" ? said.notFound : [said.heading(title), texts.problem(code, detail)]
  // Without a host, so that links work under every name of the server.
  const at = (path: string): string => escapeHtml(new URL(path, errorsUrl).pathname)
  return frame({
    style,
    lang: texts.lang,
    title: heading,
    body: `<main>
<h1>${escapeHtml(heading)}</h1>
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>\n`).join("")}${isOfApi ? `<p>${said.ofApi}</p>\n` : ""}<p class="ways">${said.ways(`<a href="${at("../../")}">`, `<a href="${at("../../docs")}">`)}</p>
</main>
<footer>${said.footer(`<a href="${at(code)}"><code>${code}</code></a>`, `<code>${escapeHtml(request_id)}</code>`)}</footer>`
  })
}
