import { createHash } from "node:crypto"
import { problemCodes } from "../http/ProblemCodes.ts"
import { referenceStyle } from "./ReferenceStyle.ts"

type Json = Readonly<Record<string, any>>

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escape = (text: unknown): string => String(text).replaceAll(/[&<>"]/g, (letter) => entities[letter]!)

/** What descriptions use of Markdown: code, and paragraphs. */
const inline = (text = ""): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")
const paragraphs = (text = ""): string =>
  text === ""
    ? ""
    : text
        .split("\n\n")
        .map((each) => `<p>${inline(each)}</p>`)
        .join("")

const code = (value: unknown): string => `<pre><code>${escape(JSON.stringify(value, null, 2))}</code></pre>`

const schemaLink = (name: string): string => `<a href="#schema-${name}">${name}</a>`

/** What a schema allows, in a few words. */
const typeOf = (schema: Json): string => {
  if (schema["$ref"] !== undefined) return schemaLink(schema["$ref"].split("/").at(-1))
  const branches: ReadonlyArray<Json> | undefined = schema["anyOf"] ?? schema["oneOf"]
  if (branches !== undefined) return branches.map(typeOf).join(" or ")
  if (schema["enum"] !== undefined) {
    const values: ReadonlyArray<unknown> = schema["enum"]
    const shown = values
      .slice(0, 12)
      .map((value) => `<code>${escape(value)}</code>`)
      .join(" ")
    return values.length > 12 ? `${shown} and ${values.length - 12} more` : shown
  }
  if (schema["const"] !== undefined) return `<code>${escape(schema["const"])}</code>`
  if (schema["type"] === "array") return `list of ${typeOf(schema["items"] ?? {})}`
  return [schema["format"] ?? schema["type"] ?? "any", boundsOf(schema)].filter((part) => part !== "").join(", ")
}

const boundsOf = ({ default: preset, maximum, maxLength, minimum }: Json): string =>
  [
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `at least ${minimum}`
        : "",
    maxLength !== undefined ? `at most ${maxLength.toLocaleString("en")} characters` : "",
    preset !== undefined ? `default <code>${escape(preset)}</code>` : ""
  ]
    .filter((part) => part !== "")
    .join(", ")

const row = (name: string, isRequired: boolean, type: string, description: string): string =>
  `<tr><td><code>${escape(name)}</code>${isRequired ? `<span class="need">required</span>` : ""}</td><td>${type}</td><td>${inline(
    description
  )}</td></tr>`

const table = (rows: ReadonlyArray<string>): string =>
  rows.length === 0
    ? ""
    : `<table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>`

/** The members of an object, and by their paths those of the objects in it that have no name of their own. */
const memberRows = (schema: Json, path = ""): ReadonlyArray<string> =>
  Object.entries<Json>(schema["properties"] ?? {}).flatMap(([name, member]) => [
    row(path + name, schema["required"]?.includes(name) === true, typeOf(member), member["description"]),
    ...memberRows(member, `${path}${name}.`),
    ...memberRows(member["items"] ?? {}, `${path}${name}[].`),
    ...(member["anyOf"] ?? []).flatMap((each: Json) => memberRows(each, `${path}${name}.`))
  ])

const membersOf = (schema: Json): string => table(memberRows(schema))

/** An API reference of one page, made of the OpenAPI document: no script, and nothing loaded from anywhere. */
class Reference {
  readonly document: Json

  constructor(document: Json) {
    this.document = document
  }

  private resolve(each: Json): Json {
    const reference: string | undefined = each["$ref"]
    return reference === undefined
      ? each
      : reference
          .slice(2)
          .split("/")
          .reduce((found: Json, key) => found[key], this.document)
  }

  private parameters(operation: Json): string {
    const all: ReadonlyArray<Json> = operation["parameters"].map((each: Json) => this.resolve(each))
    const tableOf = (place: string, title: string) => {
      const rows = all
        .filter((each) => each["in"] === place)
        .map((each) =>
          row(
            each["name"],
            each["required"] === true,
            typeOf(each["schema"]),
            `${each["deprecated"] ? "Deprecated. " : ""}${each["description"]}`
          )
        )
      return rows.length === 0 ? "" : `<h4>${title}</h4>${table(rows)}`
    }
    const headers = all
      .filter((each) => each["in"] === "header")
      .map((each) => `<a href="#header-${each["name"].toLowerCase()}">${each["name"]}</a>`)
    return (
      tableOf("path", "Path")
      + tableOf("query", "Query")
      + (headers.length === 0 ? "" : `<h4>Headers</h4><p>${headers.join(", ")}</p>`)
    )
  }

  private body(operation: Json): string {
    const body: Json | undefined = operation["requestBody"]
    if (body === undefined) return ""
    const [[type, media]] = Object.entries<Json>(body["content"]) as [[string, Json]]
    return `<h4>Body</h4><p class="soft">${escape(type)}: ${typeOf(media["schema"])}${
      body["required"] ? "" : ", may be left out"
    }</p>${membersOf(this.resolve(media["schema"]))}${code(media["example"])}`
  }

  private answers(operation: Json): string {
    const answers = Object.entries<Json>(operation["responses"]).map(
      ([status, each]) => [status, this.resolve(each)] as const
    )
    const good = answers
      .filter(([status]) => Number(status) < 400)
      .map(([status, answer]) => {
        const [type, media] = Object.entries<Json>(answer["content"] ?? {})[0] ?? []
        const headers = Object.keys(answer["headers"] ?? {})
          .map((name) => `<code>${name}</code>`)
          .join(" ")
        return `<p><strong>${status}</strong> ${inline(answer["description"])} <span class="soft">${
          type === undefined
            ? ""
            : `${escape(type)}${media!["schema"].$ref === undefined ? "" : `: ${typeOf(media!["schema"])}`}.`
        } Headers: ${headers}</span></p>${media?.["example"] === undefined ? "" : `<details><summary>Example</summary>${code(media["example"])}</details>`}`
      })
    const codes: ReadonlyArray<string> = operation["x-problem-codes"] ?? []
    const failures = codes.map((each) => `${problemCodes[each]!.status} <a href="#problem-${each}">${each}</a>`).sort()
    return `<h4>Answers</h4>${good.join("")}${
      failures.length === 0
        ? ""
        : `<details><summary>${failures.length} problems</summary><p>${failures.join("<br>")}</p></details>`
    }`
  }

  private operation(path: string, method: string, operation: Json): string {
    const id = operation["operationId"]
    return `<article id="${id}"><h3><a href="#${id}">${escape(operation["summary"])}</a></h3>
<p class="call"><span class="verb ${method}">${method.toUpperCase()}</span><code>${escape(path)}</code></p>
${paragraphs(operation["description"])}${this.parameters(operation)}${this.body(operation)}${this.answers(operation)}</article>`
  }

  private get operations(): ReadonlyArray<readonly [string, string, Json]> {
    return Object.entries<Json>(this.document["paths"]).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, operation]) => [path, method, operation] as const)
    )
  }

  private get navigation(): string {
    const tags = this.document["tags"].map((tag: Json) => {
      const items = this.operations
        .filter(([, , operation]) => operation["tags"].includes(tag["name"]))
        .map(([, , operation]) => `<li><a href="#${operation["operationId"]}">${escape(operation["summary"])}</a></li>`)
      return `<h2>${escape(tag["name"])}</h2><ul>${items.join("")}</ul>`
    })
    return `<nav aria-label="Contents"><a href="#top"><strong>${escape(this.document["info"].title)}</strong></a>${tags.join("")}
<h2>More</h2><ul><li><a href="#headers">Headers</a></li><li><a href="#webhooks">Webhooks</a></li><li><a href="#problems">Problems</a></li><li><a href="#schemas">Schemas</a></li></ul></nav>`
  }

  private get headers(): string {
    const rows = Object.values<Json>(this.document["components"].parameters)
      .filter((each) => each["in"] === "header")
      .map(
        (each) =>
          `<tr id="header-${each["name"].toLowerCase()}"><td><code>${each["name"]}</code></td><td>${typeOf(each["schema"])}</td><td>${inline(
            each["description"]
          )}</td></tr>`
      )
    return `<section id="headers"><h2>Headers</h2>${table(rows)}</section>`
  }

  private get webhooks(): string {
    const hooks = Object.values<Json>(this.document["webhooks"] ?? {}).map((item) => {
      const operation: Json = item["post"]
      const types = operation["x-event-types"].map((type: string) => `<code>${type}</code>`).join(" ")
      return `<article>${paragraphs(operation["description"])}${table(
        operation["parameters"].map((each: Json) => row(each["name"], true, "header", each["description"]))
      )}${this.body(operation)}<h4>Types</h4><p>${types}</p></article>`
    })
    return `<section id="webhooks"><h2>Webhooks</h2>${hooks.join("")}</section>`
  }

  private get problems(): string {
    const used = new Set(this.operations.flatMap(([, , operation]) => operation["x-problem-codes"] ?? []))
    const rows = Object.entries(problemCodes)
      .filter(([name]) => used.has(name))
      .map(
        ([name, { cause, remedy, status }]) =>
          `<tr id="problem-${name}"><td><code>${name}</code></td><td>${status}</td><td>${inline(cause)} ${inline(remedy)}</td></tr>`
      )
    return `<section id="problems"><h2>Problems</h2>${table(rows).replace(
      "<th>Type</th>",
      "<th>Status</th>"
    )}</section>`
  }

  private get schemas(): string {
    const articles = Object.entries<Json>(this.document["components"].schemas).map(
      ([name, schema]) =>
        `<article id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${paragraphs(schema["description"])}${membersOf(schema)}</article>`
    )
    return `<section id="schemas"><h2>Schemas</h2>${articles.join("")}</section>`
  }

  get html(): string {
    const { info, servers, tags } = this.document
    const sections = tags.map(
      (tag: Json) =>
        `<section id="tag-${escape(tag.name.toLowerCase())}"><h2>${escape(tag.name)}</h2>${paragraphs(tag.description)}${this.operations
          .filter(([, , operation]) => operation["tags"].includes(tag.name))
          .map(([path, method, operation]) => this.operation(path, method, operation))
          .join("")}</section>`
    )
    return `<!doctype html>
<html lang="en" id="top"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)} API reference</title><link rel="icon" href="data:,"><style>${referenceStyle}</style></head>
<body>${this.navigation}<main><h1>${escape(info.title)} API</h1>
<p class="soft">Version ${escape(info.version)} at <code>${escape(servers[0].url)}</code>, also as <a href="${escape(servers[0].url)}/openapi.json">OpenAPI document</a></p>
${paragraphs(info.description)}${sections.join("")}${this.headers}${this.webhooks}${this.problems}${this.schemas}</main></body></html>`
  }
}

/** The page, and the policy under which a browser loads nothing but its one style. */
export const reference = (document: Json) => ({
  html: new Reference(document).html,
  policy: `default-src 'none'; style-src 'sha256-${createHash("sha256")
    .update(referenceStyle)
    .digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
})
