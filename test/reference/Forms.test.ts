import { describe, expect, it } from "vitest"
import { openApiDocument } from "../../src/server/openapi/OpenApiDocument.ts"
import { Reference } from "../../src/server/reference/Reference.ts"
import { indexJson, SearchEntryIndex } from "../../src/server/reference/SearchEntryIndex.ts"

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The reference of the real description, with additional schemas that an operation on notes returns. */
const referenceOf = (schemas: Record<string, object>, change: (document: any) => void = () => {}) => {
  const document: any = structuredClone(openApiDocument("http://sheaf.test"))
  Object.assign(document.components.schemas, schemas)
  const [first] = Object.keys(schemas)
  if (first !== undefined) {
    document.paths["/notes"].get.responses[202] = {
      description: "More.",
      content: {
        "application/json": {
          schema: { type: "object", properties: { one: to(first), many: { type: "array", items: to(first) } } }
        }
      }
    }
  }
  change(document)
  return new Reference(document)
}

const articleOf = (html: string, name: string): string => {
  const start = html.indexOf(`<article id="schema-${name}">`)
  expect(start, name).toBeGreaterThan(0)
  return html.slice(start, html.indexOf("</article>", start))
}

/** The member of an article, with its type and constraints. */
const memberOf = (article: string, id: string): string => {
  const start = article.indexOf(`<div id="${id}">`)
  expect(start, id).toBeGreaterThan(0)
  return article
    .slice(start, article.indexOf("</dd>", start))
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
}

const entry = (type: string, more: object) => ({
  type: "object",
  required: ["type", "id", "data"],
  properties: {
    type: { type: "string", const: type, description: "Its kind." },
    id: { type: "string", description: "Its id." },
    ...more
  }
})

describe("the reference", () => {
  it("renders a union of named schemas by its discriminator, with common members once", () => {
    const html = referenceOf({
      SchemaShape: {
        oneOf: [to("Round"), to("Square")],
        discriminator: { propertyName: "type", mapping: { round: to("Round").$ref, square: to("Square").$ref } }
      },
      Round: entry("round", {
        data: { type: "object", properties: { radius: { type: "number", exclusiveMinimum: 0 } } }
      }),
      Square: { ...entry("square", { data: { type: "null" } }), description: "With *four* corners." }
    }).page("notes")!
    const article = articleOf(html, "SchemaShape")
    expect(article).toContain(`id="schema-Round"><summary><code>type</code> is <code>round</code>: Round</summary>`)
    expect(article).toContain("<p>With <em>four</em> corners.</p>")
    expect(article.match(/Its id\./g)).toHaveLength(1)
    expect(memberOf(article, "SchemaShape.data.radius")).toMatch(/number .*more than 0/)
    expect(memberOf(article, "SchemaShape.data.2")).toContain(" null ")
  })

  it("renders a union of unions by the value that is constant within each", () => {
    const html = referenceOf(
      {
        Change: { oneOf: [to("NoteChange"), to("TagChange")] },
        NoteChange: { oneOf: [entry("note", { op: { const: "upsert" } }), entry("note", { op: { const: "delete" } })] },
        TagChange: { oneOf: [entry("tag", { op: { const: "upsert" } }), entry("tag", { op: { const: "delete" } })] },
        Other: {
          type: "object",
          properties: { changes: { type: "array", items: { anyOf: [to("NoteChange"), to("TagChange")] } } }
        }
      },
      (document) => {
        document.paths["/notes"].post.responses[202] = {
          description: "Other.",
          content: { "application/json": { schema: to("Other") } }
        }
      }
    ).page("notes")!
    expect(articleOf(html, "Change")).toContain(
      `<code>type</code> is <code>note</code>: <a href="/docs/notes#schema-NoteChange">NoteChange</a>`
    )
    expect(articleOf(html, "NoteChange")).toContain("<summary><code>op</code> is <code>delete</code></summary>")
    expect(html).toContain(
      `list of <a href="/docs/notes#schema-NoteChange">NoteChange</a> or <a href="/docs/notes#schema-TagChange">TagChange</a>`
    )
  })

  it("renders allOf as one schema, with the members of each part", () => {
    const html = referenceOf({
      Extended: {
        description: "A base, and more.",
        allOf: [
          to("WriterCache"),
          {
            type: "object",
            required: ["extra"],
            properties: { extra: { type: "integer", multipleOf: 5 }, kind: { const: "extended" } }
          }
        ]
      },
      WriterCache: {
        type: "object",
        properties: {
          kind: { type: "string", enum: ["plain", "extended"], description: "Its kind." },
          name: { type: "string", minLength: 2 }
        }
      }
    }).page("notes")!
    const article = articleOf(html, "Extended")
    expect(memberOf(article, "Extended.kind")).toMatch(/string .*Its kind\. always extended/)
    expect(memberOf(article, "Extended.name")).toContain("at least 2 characters")
    expect(memberOf(article, "Extended.extra")).toContain("a multiple of 5")
    expect(memberOf(articleOf(html, "WriterCache"), "WriterCache.kind")).toContain("one of plain extended")
  })

  it("renders enumerations and constants of any form, with long ones folded but complete", () => {
    const many = Array.from({ length: 40 }, (_, index) => `value-${index}`)
    const html = referenceOf({
      Forms: {
        type: "object",
        properties: {
          named: { ...to("Many"), description: "Described here." },
          nested: { type: "string", allOf: [{ enum: many }] },
          nullable: { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] },
          withNull: { enum: ["a", null] },
          types: { type: ["string", "null"], pattern: "^x+$" },
          constants: { oneOf: [{ const: 1, title: "One" }, { const: 2 }, { const: null }] },
          mixed: {
            anyOf: [
              { type: "integer", minimum: 3 },
              { type: "string", maxLength: 9 }
            ]
          },
          each: {
            type: "array",
            maxItems: 3,
            uniqueItems: true,
            items: { type: "string", pattern: "^nt_[0-9A-Za-z_-]{16,40}$" }
          },
          map: { type: "object", additionalProperties: { type: "boolean" } },
          old: { type: "string", deprecated: true, default: "x" },
          any: {}
        }
      },
      Many: { type: "string", description: "Many values.", enum: many }
    }).page("notes")!
    const article = articleOf(html, "Forms")
    const member = (name: string) => memberOf(article, `Forms.${name}`)
    expect(member("named")).toMatch(/Many .*Described here\./)
    expect(articleOf(html, "Many")).toContain("<details><summary>one of 40 values</summary>")
    for (const value of many) {
      expect(articleOf(html, "Many")).toContain(`<code>${value}</code>`)
      expect(member("nested")).toContain(value)
    }
    expect(member("nullable")).toMatch(/string or null .*one of a b/)
    expect(member("withNull")).toMatch(/string or null .*always a/)
    expect(member("types")).toMatch(/string or null .*matches \^x\+\$/)
    expect(member("constants")).toMatch(/number or null .*one of 1 2/)
    expect(member("mixed")).toMatch(/integer or string .*integer: at least 3 .*string: at most 9 characters/)
    expect(member("each")).toMatch(
      /list of string .*at most 3 items .*unique items .*each: nt_ and 16 to 40 of \[0-9A-Za-z_-\]/
    )
    expect(member("map")).toContain("object of boolean")
    expect(member("old")).toMatch(/deprecated .*default x/)
    expect(member("any")).toContain("anything")
  })

  it("renders each recursive schema once", () => {
    const html = referenceOf(
      {
        Tree: {
          type: "object",
          properties: {
            children: { type: "array", items: to("Tree") },
            parent: { anyOf: [to("Tree"), { type: "null" }] }
          }
        },
        Odd: { allOf: [to("Odd"), { type: "object", properties: { name: { type: "string" } } }] }
      },
      (document) => {
        document.paths["/notes"].post.responses[202] = {
          description: "Odd.",
          content: { "application/json": { schema: { type: "object", properties: { one: to("Odd") } } } }
        }
      }
    ).page("notes")!
    expect(memberOf(articleOf(html, "Tree"), "Tree.parent")).toContain("Tree or null")
    expect(memberOf(articleOf(html, "Odd"), "Odd.name")).toContain("string")
  })

  it("renders a webhook for each event type, and only the problem codes in the document", async () => {
    const reference = referenceOf({}, (document) => {
      const { post } = document.webhooks.event ?? Object.values<any>(document.webhooks)[0]
      document.webhooks = Object.fromEntries(
        ["note.created", "tag.merged"].map((type) => [
          type,
          {
            post: {
              ...post,
              summary: `Of ${type}`,
              "x-event-types": [type],
              requestBody: {
                content: {
                  "application/json": {
                    schema: { type: "object", properties: { type: { const: type }, data: to("Note") } }
                  }
                }
              }
            }
          }
        ])
      )
      document.components.schemas.Problem.properties.code.enum = ["not_found", "rate_limited"]
    })
    const html = reference.page("webhook-events")!
    expect(html).toContain(`<article id="event-note.created">`)
    expect(html).toContain(`<div id="tag.merged.type">`)
    expect(html.match(/<div id="header\.webhook-id">/g)).toHaveLength(1)
    const problems = reference.page("problems")!
    expect(problems).toContain(`<div id="rate_limited">`)
    expect(problems).not.toContain(`<div id="share_expired">`)
    const index = await SearchEntryIndex.read(indexJson(reference.entries()))
    expect(index.find("merged").map(({ place }) => place)).toContain("/docs/webhook-events#event-tag.merged")
  })
})
