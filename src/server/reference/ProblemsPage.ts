import { escapeHtml } from "../EscapeHtml.ts"
import { type Explanation, problemCodes } from "../api/ProblemExplanations.ts"
import type { Description } from "./Description.ts"
import type { Page } from "./PageLayout.ts"
import { inline } from "./GuideMarkdown.ts"
import { pages, type PageUrls } from "./PageUrls.ts"
import type { SchemaArticles } from "./SchemaArticle.ts"
import type { SchemaShapes } from "./SchemaShape.ts"

/** The codes in the schema of problems and in operations; all codes if that schema has no list. */
export const codesInUse = (
  description: Description,
  shapes: SchemaShapes
): ReadonlyArray<readonly [string, Explanation]> => {
  const code = shapes.opened(description.schemas["Problem"] ?? {}).properties.get("code")
  const named = code === undefined ? undefined : shapes.opened(code).values
  if (named === undefined) return Object.entries(problemCodes)
  const used = new Set([...named, ...description.operations.flatMap(({ spec }) => spec["x-problem-codes"] ?? [])])
  return Object.entries(problemCodes).filter(([name]) => used.has(name))
}

const row =
  (description: Description, places: PageUrls) =>
  ([code, { cause, remedy, title }]: readonly [string, Explanation]): string => {
    const operations = description.operations.filter(({ spec }) => spec["x-problem-codes"]?.includes(code) === true)
    const links = operations.map(({ id }) => `<a href="${places.operation(id)}">${id}</a>`)
    const from =
      operations.length === 0
        ? ""
        : operations.length === description.operations.length
          ? `<p class="soft">All operations.</p>`
          : `<details><summary>${operations.length} ${operations.length === 1 ? "operation" : "operations"}</summary><p>${links.join(", ")}</p></details>`
    return `<div id="${code}"><dt><a href="#${code}"><code>${code}</code></a> <span class="type">${escapeHtml(title)}</span></dt><dd><p>${inline(
      cause
    )}</p><p><strong>What to do:</strong> ${inline(remedy)}</p>${from}</dd></div>`
  }

/** `/docs/problems`: every code with its cause and remedy. */
export const problemsPage = (
  description: Description,
  {
    places,
    schemas,
    shapes
  }: { readonly places: PageUrls; readonly schemas: SchemaArticles; readonly shapes: SchemaShapes }
): Page => {
  const known = codesInUse(description, shapes)
  const statuses = [...new Set(known.map(([, { status }]) => status))].sort((one, other) => one - other)
  const meaning = (status: number): string => {
    const responses = description.operations
      .map(({ spec }) => spec["responses"][status])
      .filter((each) => each !== undefined)
    return responses[0] === undefined ? "" : inline(description.resolve(responses[0])["description"])
  }
  const sections = statuses.map((status) => {
    const codes = known.filter(([, each]) => each.status === status)
    return `<section><h2 id="status-${status}"><a href="#status-${status}">${status}</a></h2><p>${meaning(status)}</p><dl class="members">${codes
      .map(row(description, places))
      .join("")}</dl></section>`
  })
  const own = places.schemasOn(pages.problems)
  return {
    slug: pages.problems,
    title: "Problems",
    contents: [
      ...statuses.map((status) => [`status-${status}`, String(status)] as const),
      ...own.map((name) => [`schema-${name}`, name] as const)
    ],
    main: `<h1>Problems</h1><div class="lead"><p>Every error is <code>application/problem+json</code> (RFC 9457). Programs should decide by its <code>code</code>; its <code>type</code> is the address of the explanation below. <a href="${places.page("guides/errors")}">Errors and retries</a> shows how to handle them.</p></div>
${sections.join("")}${own.map((name) => schemas.html(name)).join("")}`
  }
}
