import { explanationOf } from "../api/ProblemExplanations.ts"
import type { Description } from "./Description.ts"
import type { Guide } from "./Guide.ts"
import { headersOf } from "./HeadersPage.ts"
import { allOf, type Member, type MemberReader } from "./SchemaMembers.ts"
import type { OperationArticles } from "./OperationArticle.ts"
import type { PageUrls } from "./PageUrls.ts"
import { codesInUse } from "./ProblemsPage.ts"
import type { Entry } from "./SearchEntryIndex.ts"
import type { SchemaShapes } from "./SchemaShape.ts"

interface Parts {
  readonly description: Description
  readonly places: PageUrls
  readonly shapes: SchemaShapes
  readonly articles: OperationArticles
  readonly members: MemberReader
  readonly guides: ReadonlyArray<Guide>
}

/** The entries of the search, from all pages. */
export const entriesOf = ({ articles, description, guides, members, places, shapes }: Parts): ReadonlyArray<Entry> => {
  const ofMember =
    (kind: string, owner: string, page: string) =>
    ({ id, path, schema }: Member): Entry => {
      const { keywords, values = [] } = shapes.of(schema)
      return {
        kind: `${kind} of ${owner}`,
        weight: 0.5,
        name: path,
        place: `${page}#${id}`,
        text: [keywords["description"] ?? "", ...values.map(String)].join(" ")
      }
    }
  const pageOf = (place: string): string => place.slice(0, place.indexOf("#"))

  return [
    ...description.operations.flatMap((operation): ReadonlyArray<Entry> => {
      const { id, method, path, spec, tag } = operation
      const place = places.operation(id)
      return [
        {
          kind: `operation of ${tag}`,
          weight: 2,
          name: spec["summary"],
          aliases: [id, `${method.toUpperCase()} ${path}`],
          place,
          text: spec["description"]
        },
        ...["path", "query"].flatMap((where) =>
          articles.parametersOf(operation, where).map(ofMember(`${where} parameter`, id, pageOf(place)))
        )
      ]
    }),
    ...Object.entries(description.schemas).flatMap(([name, schema]): ReadonlyArray<Entry> => {
      const place = places.schema(name)
      const owner = places.ownerOf(name)
      const found = owner === undefined ? [] : allOf(members.of(owner, schema))
      return [
        { kind: "schema", weight: 0.8, name, place, text: schema["description"] ?? "" },
        ...found.map(ofMember("member", name, pageOf(place)))
      ]
    }),
    ...codesInUse(description, shapes).map(([code]): Entry => {
      const { cause, remedy, status, title } = explanationOf(code)!
      return {
        kind: `problem, ${status}`,
        weight: 1.5,
        name: code,
        place: places.problem(code),
        text: `${title}. ${cause} ${remedy}`
      }
    }),
    ...Object.values(headersOf(description))
      .flat()
      .map(({ path, schema }): Entry => ({
        kind: "header",
        weight: 1.5,
        name: path,
        place: places.header(path),
        text: schema["description"] ?? ""
      })),
    ...description.webhooks.map(([name, operation]): Entry => ({
      kind: "webhook",
      weight: 1,
      name,
      place: places.webhook(name),
      text: [operation["description"] ?? operation["summary"] ?? "", ...(operation["x-event-types"] ?? [])].join(" ")
    })),
    ...guides.flatMap(({ lead, sections, slug, title: guide }): ReadonlyArray<Entry> => [
      { kind: "guide", weight: 2.5, name: guide, place: places.page(slug), text: lead },
      ...sections.map(({ id, text, title }) => ({
        kind: `guide: ${guide}`,
        weight: 2.5,
        name: title,
        place: `${places.page(slug)}#${id}`,
        text
      }))
    ])
  ]
}
