import { escapeHtml } from "../EscapeHtml.ts"
import { prefixes } from "../../../services/Ids.ts"
import type { Description, Operation, Tag } from "./Description.ts"
import type { Page } from "./PageLayout.ts"
import type { Guide } from "./Guide.ts"
import { inline, paragraphs } from "./GuideMarkdown.ts"
import { pages, type PageUrls } from "./PageUrls.ts"
import { sample } from "./Sample.ts"

const nameOf = (kind: string): string => (kind === "api_key" ? "API key" : kind.replaceAll("_", " "))

const offlineId = `import { randomBytes } from "node:crypto"

const newId = (prefix) => prefix + randomBytes(16).toString("base64url")

newId("nt_") // nt_Zb0pXv9Qk3sT1uYw5eRr8A`

const operationRow =
  (places: PageUrls) =>
  ({ id, method, path, spec }: Operation): string =>
    `<tr><td class="call"><span class="verb ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></td><td><a href="${places.operation(
      id
    )}">${escapeHtml(spec["summary"])}</a></td></tr>`

const resource =
  (description: Description, places: PageUrls) =>
  (tag: Tag): string =>
    `<h3><a href="${places.page(tag.slug)}">${escapeHtml(tag.name)}</a></h3><p>${inline(tag.description)}</p>
<table><thead class="hidden"><tr><th>Call</th><th>Operation</th></tr></thead><tbody>${description
      .operationsOf(tag)
      .map(operationRow(places))
      .join("")}</tbody></table>`

/** The kinds of ids in the document. */
const idKinds = (description: Description): string => {
  const text = JSON.stringify(description.document)
  return Object.entries(prefixes)
    .filter(([, prefix]) => text.includes(`"^${prefix}_`))
    .map(([kind, prefix]) => `<li><code>${prefix}_</code> ${nameOf(kind)}</li>`)
    .join("")
}

/** `/docs`: first steps, guides, conventions and all operations. */
export const overviewPage = (description: Description, places: PageUrls, guides: ReadonlyArray<Guide>): Page => {
  const { info } = description.document
  const base = escapeHtml(description.baseUrl)
  return {
    slug: "",
    title: "Overview",
    contents: [
      ["first-call", "A first call"],
      ["guides", "Guides"],
      ["conventions", "Conventions"],
      ["ids", "Ids"],
      ["operations", "All operations"]
    ],
    main: `<h1>${escapeHtml(info.title)} API</h1>
<p class="lead">Version ${escapeHtml(info.version)} at <code>${base}</code>, also as <a href="${escapeHtml(
      new URL(description.baseUrl).pathname
    )}/openapi.json">OpenAPI document</a>.</p>
<h2 id="first-call"><a href="#first-call">A first call</a></h2>
<p>The first start of a server writes an API key to <code>bootstrap.json</code> in its data directory; <a href="${places.page("authentication")}">signing in</a> gives a token that is valid for one hour.</p>
${sample("Lists the notebooks", `curl ${description.baseUrl}/notebooks \\\n  -H "Authorization: Bearer $KEY"`)}
<h2 id="guides"><a href="#guides">Guides</a></h2><ul>${guides
      .map(({ slug, title }) => `<li><a href="${places.page(slug)}">${escapeHtml(title)}</a></li>`)
      .join("")}</ul>
<h2 id="conventions"><a href="#conventions">Conventions</a></h2>${paragraphs(info.description)}
<p>All error codes with their remedies: <a href="${places.page(pages.problems)}">Problems</a>. The headers of requests and responses: <a href="${places.page(
      pages.headers
    )}">Headers</a>.</p>
<h2 id="ids"><a href="#ids">Ids</a></h2>
<p>An id is a prefix and 16 to 40 of <code>0-9</code>, <code>A-Z</code>, <code>a-z</code>, <code>_</code> and <code>-</code>. A client that works offline makes random ids for its device and for the records that it creates. The server keeps them.</p>
${sample("Making an id offline", offlineId)}
<ul class="plain">${idKinds(description)}</ul>
<h2 id="operations"><a href="#operations">All operations</a></h2>${description.tags.map(resource(description, places)).join("")}`
  }
}
