import { exampleOrigin } from "../../../services/Fields.ts"
import { jsonSchemaOfExports } from "../../../services/transfers/exports/ExportFormat.ts"
import { grafanaBoard } from "../metrics/GrafanaBoard.ts"
import { openApiDocument } from "../openapi/OpenApiDocument.ts"
import { curlSample } from "./CurlSample.ts"
import { Description, type Json } from "./Description.ts"
import { Reference } from "./Reference.ts"
import { indexJson } from "./SearchEntryIndex.ts"
import { builtUrl, siteFiles } from "./SitePaths.ts"

/** Adds the request that its article shows to each operation, for programs that make documentation (Redoc, Stoplight). */
const addSamples = (document: Json): Json => {
  const description = new Description(document)
  for (const operation of description.operations) {
    const sample = { lang: "Shell", label: "curl", source: curlSample(description, operation) }
    Object.assign(operation.spec, { "x-codeSamples": [sample] })
  }
  return document
}

const fileOf = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/**
 * Makes the files of the API reference: the OpenAPI description, the board for Grafana, the JSON Schema of exports, a page
 * for each slug, Markdown for programs, the page of search results without its results, and the index that the search reads. Takes about half a second.
 */
export const site = (): ReadonlyMap<string, string> => {
  const description = JSON.stringify(addSamples(openApiDocument(exampleOrigin)))
  const reference = new Reference(JSON.parse(description.replaceAll(exampleOrigin, builtUrl)))
  return new Map([
    [siteFiles.description, description],
    [siteFiles.grafanaBoard, fileOf(grafanaBoard)],
    [siteFiles.exportSchema, fileOf(jsonSchemaOfExports())],
    ...[...reference.pages()].map(([slug, html]) => [siteFiles.page(slug), html] as const),
    ...reference.markdown(),
    [siteFiles.searchPage, reference.searchPage()],
    [siteFiles.searchIndex, indexJson(reference.entries())]
  ])
}
