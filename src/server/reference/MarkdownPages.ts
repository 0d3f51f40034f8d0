import { guideSource, skillSource } from "./GuideFiles.ts"
import type { Guide } from "./Guide.ts"
import { curlSample } from "./CurlSample.ts"
import type { Description, Operation, Tag } from "./Description.ts"
import { plain } from "./GuideMarkdown.ts"
import { pages, type PageUrls } from "./PageUrls.ts"
import { siteFiles } from "./SitePaths.ts"

/** The pages for programs that read: the guides and resources as Markdown, their list, and the skill for assistants. */

const operationText = (description: Description, operation: Operation): string => {
  const { id, method, path, spec } = operation
  return [
    `## ${spec["summary"]}`,
    `\`${method.toUpperCase()} ${path}\`, operation \`${id}\``,
    ...(spec["description"] === undefined ? [] : [spec["description"]]),
    `\`\`\`sh\n${curlSample(description, operation)}\n\`\`\``
  ].join("\n\n")
}

/** The operations of a resource, each with a call. */
const resourceText = (description: Description, tag: Tag): string =>
  `# ${tag.name}

${tag.description}

The base URL is ${description.baseUrl}. ${description.baseUrl}/openapi.json has the schemas of requests and responses.

${description
  .operationsOf(tag)
  .map((operation) => operationText(description, operation))
  .join("\n\n")}
`

/** The list of all pages (https://llmstxt.org). */
const listText = (description: Description, { publicUrl }: PageUrls, guides: ReadonlyArray<Guide>): string => {
  const link = (name: string, path: string, about: string) => `- [${name}](${publicUrl}${path}): ${plain(about)}`
  return `# Sheaf

> Sheaf is a self-hosted service for Markdown notes, with sync, search, webhooks and an MCP server for assistants. This
> server is at ${publicUrl}, its API at ${description.baseUrl}, and its MCP server at ${publicUrl}/mcp.

Requests need \`Authorization: Bearer\` with an API key or an access token. The pages below need none.

## Guides

${guides.map(({ lead, slug, title }) => link(title, `/docs/${slug}.md`, lead)).join("\n")}

## For assistants

${link("Skill", "/.well-known/agent-skills/sheaf/SKILL.md", "How to use Sheaf by MCP and by the API.")}

## API reference

${link("OpenAPI description", "/v2/openapi.json", "All operations and schemas, as OpenAPI 3.1. It has more than a megabyte.")}
${link("Problems", `/docs/${pages.problems}`, "All error codes with their remedies, as HTML.")}
${link("Webhook events", `/docs/${pages.webhooks}`, "The body of each event, as HTML.")}
${description.tags.map((tag) => link(tag.name, `/docs/${tag.slug}.md`, tag.description)).join("\n")}
`
}

/** The files by their names. */
export const markdownPages = (
  description: Description,
  places: PageUrls,
  guides: ReadonlyArray<Guide>
): ReadonlyMap<string, string> =>
  new Map([
    ...guides.map(({ markdown, slug }) => [siteFiles.markdown(slug), markdown] as const),
    ...description.tags.map((tag) => [siteFiles.markdown(tag.slug), resourceText(description, tag)] as const),
    [siteFiles.list, listText(description, places, guides)],
    [siteFiles.skill, guideSource(skillSource)]
  ])
