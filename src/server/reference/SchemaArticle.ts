import { escapeHtml } from "../EscapeHtml.ts"
import { exampleOf } from "../openapi/Examples.ts"
import type { Description } from "./Description.ts"
import type { Page } from "./PageLayout.ts"
import { paragraphs } from "./GuideMarkdown.ts"
import type { MemberReader } from "./SchemaMembers.ts"
import { pages, type PageUrls } from "./PageUrls.ts"
import { sample } from "./Sample.ts"
import type { TypeText } from "./TypeText.ts"

/** Articles of schemas. */
export class SchemaArticles {
  readonly #description: Description
  readonly #types: TypeText
  readonly #members: MemberReader
  readonly #sent: ReadonlySet<string>

  constructor(description: Description, types: TypeText, members: MemberReader) {
    this.#description = description
    this.#types = types
    this.#members = members
    this.#sent = description.sent
  }

  html(name: string): string {
    const schema = this.#description.schemas[name]!
    const id = `schema-${name}`
    const members = this.#members.of(name, schema)
    const isObject = members.common.length + members.variants.length > 0
    const rules = this.#types.rules(schema).map((rule) => `<li>${rule}</li>`)
    const form = isObject
      ? this.#members.html(members, { isSent: this.#sent.has(name) })
      : `<p class="type">${this.#types.of(schema)}</p><ul class="rules">${rules.join("")}</ul>`
    const example = isObject
      ? `<div class="samples">${sample("Example", JSON.stringify(exampleOf(schema, this.#description.schemas), null, 2))}</div>`
      : ""
    return `<article id="${id}"><div><h2><a href="#${id}">${escapeHtml(name)}</a></h2>${paragraphs(
      schema["description"]
    )}${form}</div>${example}</article>`
  }
}

/** `/docs/schemas`: the schemas that belong to no resource, and links to all others. */
export const schemasPage = (
  description: Description,
  { places, schemas }: { readonly places: PageUrls; readonly schemas: SchemaArticles }
): Page => {
  const own = places.schemasOn(pages.schemas)
  const all = Object.keys(description.schemas).map(
    (name) => `<li><a href="${places.schema(name)}">${escapeHtml(name)}</a></li>`
  )
  return {
    slug: pages.schemas,
    title: "Schemas",
    contents: own.map((name) => [`schema-${name}`, name]),
    main: `<h1>Schemas</h1><div class="lead"><p>The schemas of a resource are on the page of that resource. This page has the schemas that several resources share.</p></div>
<ul class="plain">${all.join("")}</ul>${own.map((name) => schemas.html(name)).join("")}`
  }
}
