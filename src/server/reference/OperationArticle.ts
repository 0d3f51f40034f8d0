import { escapeHtml } from "../EscapeHtml.ts"
import { explanationOf } from "../api/ProblemExplanations.ts"
import { curlSample } from "./CurlSample.ts"
import type { Description, Json, Operation } from "./Description.ts"
import { inline, paragraphs } from "./GuideMarkdown.ts"
import type { Member, MemberReader } from "./SchemaMembers.ts"
import type { PageUrls } from "./PageUrls.ts"
import { sample } from "./Sample.ts"
import { bodyId, responseId } from "./SchemaSites.ts"
import type { TypeText } from "./TypeText.ts"

const folded = (title: string, html: string): string => `<details><summary>${title}</summary><p>${html}</p></details>`

/** Articles of operations: descriptions on one side, examples on the other. */
export class OperationArticles {
  readonly #description: Description
  readonly #places: PageUrls
  readonly #types: TypeText
  readonly #members: MemberReader

  constructor(description: Description, places: PageUrls, types: TypeText, members: MemberReader) {
    this.#description = description
    this.#places = places
    this.#types = types
    this.#members = members
  }

  /** The parameters in one place (`path`, `query`), as members of the operation. */
  parametersOf({ id, spec }: Operation, place: string): ReadonlyArray<Member> {
    return this.#description
      .parametersOf(spec)
      .filter((each) => each["in"] === place)
      .map(({ deprecated, description, name, required, schema }) => ({
        id: `${id}.${place}.${name}`,
        path: name,
        schema: { ...schema, description, ...(deprecated === undefined ? {} : { deprecated }) },
        isRequired: required === true
      }))
  }

  #header(name: string): string {
    return `<a class="nowrap" href="${this.#places.header(name)}">${escapeHtml(name)}</a>`
  }

  #parameters(operation: Operation): string {
    const listed = (place: string, title: string) => {
      const members = this.parametersOf(operation, place)
      return members.length === 0 ? "" : `<h3>${title}</h3>${this.#members.list(members, { isSent: true })}`
    }
    const headers = this.#description
      .parametersOf(operation.spec)
      .filter((each) => each["in"] === "header")
      .map(({ name }) => this.#header(name))
    return (
      listed("path", "Path parameters") +
      listed("query", "Query parameters") +
      (headers.length === 0 ? "" : `<h3>Headers</h3><p>${headers.join(", ")}</p>`)
    )
  }

  #body({ id, spec }: Operation): string {
    const body: Json | undefined = spec["requestBody"]
    if (body === undefined) return ""
    const [[type, { schema }]] = Object.entries<Json>(body["content"]) as [[string, Json]]
    return `<h3 id="${bodyId(id)}">Body</h3><p class="soft">${escapeHtml(type)}: ${this.#name(schema)}${
      body["required"] === true ? "" : ", optional"
    }</p>${this.#descriptionOf(schema)}${this.#members.html(this.#members.of(id, schema), { isSent: true })}`
  }

  /** The name of a schema: without a link if the schema is shown in this article. */
  #name(schema: Json): string {
    const { ref } = this.#types.shapes.of(schema)
    return this.#places.isInside(ref) ? `<code>${escapeHtml(ref)}</code>` : this.#types.of(schema)
  }

  #descriptionOf(schema: Json): string {
    const { ref } = this.#types.shapes.of(schema)
    return this.#places.isInside(ref) ? paragraphs(this.#description.schemas[ref]!["description"]) : ""
  }

  #responses({ spec }: Operation): ReadonlyArray<readonly [string, Json]> {
    return Object.entries<Json>(spec["responses"])
      .map(([status, response]) => [status, this.#description.resolve(response)] as const)
      .filter(([status]) => Number(status) < 400)
  }

  #response(id: string, status: string, response: Json): string {
    const forms = Object.entries<Json>(response["content"] ?? {}).map(([type, { schema }]) => {
      const isNamed = this.#types.shapes.of(schema).ref !== undefined
      return `${escapeHtml(type)}${isNamed ? `: ${this.#name(schema)}` : ""}`
    })
    const headers = Object.keys(response["headers"] ?? {}).map((name) => this.#header(name))
    return `<div id="${responseId(id, status)}"><dt><strong>${escapeHtml(status)}</strong> <span class="type">${forms.join(
      " or "
    )}</span></dt><dd>${inline(response["description"])}${
      headers.length === 0 ? "" : folded(`${headers.length} headers`, headers.join(", "))
    }${this.#shownHere(`${id}.${status}`, response)}</dd></div>`
  }

  /** The members of a response whose schema has no article of its own, such as a page of a list. */
  #shownHere(owner: string, response: Json): string {
    const schema: Json | undefined = response["content"]?.["application/json"]?.schema
    if (schema === undefined) return ""
    const { ref } = this.#types.shapes.of(schema)
    return ref !== undefined && !this.#places.isInside(ref)
      ? ""
      : this.#descriptionOf(schema) + this.#members.html(this.#members.of(owner, schema), { isSent: false })
  }

  #problems({ spec }: Operation): string {
    const codes: ReadonlyArray<string> = spec["x-problem-codes"] ?? []
    if (codes.length === 0) return ""
    const rows = codes
      .map(
        (code) =>
          `<li>${explanationOf(code)?.status ?? ""} <a href="${this.#places.problem(code)}">${escapeHtml(code)}</a></li>`
      )
      .sort()
    return `<details><summary>${rows.length} possible problems</summary><ul class="plain">${rows.join("")}</ul></details>`
  }

  #samples(operation: Operation): string {
    const responses = this.#responses(operation).flatMap(([status, response]) => {
      const example = Object.values<Json>(response["content"] ?? {}).find((media) => media["example"] !== undefined)
      return example === undefined ? [] : [sample(`Response ${status}`, JSON.stringify(example["example"], null, 2))]
    })
    return `<div class="samples">${sample("Request", curlSample(this.#description, operation))}${responses.join("")}</div>`
  }

  html(operation: Operation): string {
    const { id, method, path, spec } = operation
    return `<article id="${id}"><div><h2><a href="#${id}">${escapeHtml(spec["summary"])}</a></h2>
<p class="call"><span class="verb ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></p>
${paragraphs(spec["description"])}${this.#parameters(operation)}${this.#body(operation)}
<h3>Responses</h3><dl class="members">${this.#responses(operation)
      .map(([status, response]) => this.#response(id, status, response))
      .join("")}</dl>
${this.#problems(operation)}</div>${this.#samples(operation)}</article>`
  }
}
