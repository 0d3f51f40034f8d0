import { escapeHtml } from "../EscapeHtml.ts"
import type { Description, Json } from "./Description.ts"
import type { Page } from "./PageLayout.ts"
import { paragraphs } from "./GuideMarkdown.ts"
import type { Member, MemberReader } from "./SchemaMembers.ts"
import { pages, type PageUrls } from "./PageUrls.ts"
import { sample } from "./Sample.ts"
import type { SchemaArticles } from "./SchemaArticle.ts"
import { bodyId, eventId } from "./SchemaSites.ts"
import type { TypeText } from "./TypeText.ts"

/** The headers of all deliveries, each once. */
const headersOf = (description: Description): ReadonlyArray<Member> => {
  const all = description.webhooks.flatMap(([, operation]) => description.parametersOf(operation))
  return [...new Map(all.map((each) => [each["name"], each])).values()].map(({ description, name, schema }) => ({
    id: `header.${name}`,
    path: name,
    schema: { ...schema, description },
    isRequired: true
  }))
}

const exampleOf = (operation: Json): Json | undefined =>
  Object.values<Json>(operation["requestBody"]?.content ?? {}).find((media) => media["example"] !== undefined)

/** `/docs/webhook-events`: the requests of webhooks. */
export const webhooksPage = (
  description: Description,
  {
    members,
    places,
    schemas,
    types
  }: {
    readonly members: MemberReader
    readonly places: PageUrls
    readonly schemas: SchemaArticles
    readonly types: TypeText
  }
): Page => {
  const body = (webhook: string, { content = {} }: Json): string =>
    Object.entries<Json>(content)
      .map(([type, { schema }]) => {
        const { ref } = types.shapes.of(schema)
        const isHere = ref === undefined || places.isInside(ref)
        const name = isHere && ref !== undefined ? `<code>${escapeHtml(ref)}</code>` : types.of(schema)
        const form = `<h3 id="${bodyId(eventId(webhook))}">Body</h3><p class="soft">${escapeHtml(type)}: ${name}</p>`
        // There are many webhooks, so that the members are folded.
        return isHere
          ? `${form}<details><summary>Members</summary>${members.html(members.of(webhook, schema), { isSent: false })}</details>`
          : form
      })
      .join("")
  const hooks = description.webhooks.map(([name, operation]) => {
    const example = exampleOf(operation)
    const eventTypes: ReadonlyArray<string> = operation["x-event-types"] ?? []
    const isPlain = eventTypes.every((type) => type === name)
    return `<article id="${eventId(name)}"><div><h2><a href="#${eventId(name)}">${escapeHtml(operation["summary"] ?? name)}</a></h2><p class="call"><code>${escapeHtml(
      name
    )}</code></p>${paragraphs(operation["description"])}${body(name, operation["requestBody"] ?? {})}${
      isPlain ? "" : `<h3>Types</h3><p>${eventTypes.map((type) => `<code>${escapeHtml(type)}</code>`).join(" ")}</p>`
    }</div>${example === undefined ? "" : `<div class="samples">${sample("Delivery", JSON.stringify(example["example"], null, 2))}</div>`}</article>`
  })
  const own = places.schemasOn(pages.webhooks)
  return {
    slug: pages.webhooks,
    title: "Webhook events",
    contents: [
      ["headers", "Headers"],
      ...description.webhooks.map(([name]) => [eventId(name), name] as const),
      ...own.map((name) => [`schema-${name}`, name] as const)
    ],
    main: `<h1>Webhook events</h1><div class="lead"><p>The requests that a webhook sends, signed by Standard Webhooks 1.0. <a href="${places.page("guides/webhooks")}">Webhooks</a> shows how to receive and verify them.</p></div>
<h2 id="headers"><a href="#headers">Headers</a></h2>${members.list(headersOf(description), { isSent: false })}${hooks.join("")}${own
      .map((name) => schemas.html(name))
      .join("")}`
  }
}
