import { writeFileSync } from "node:fs"
import openapiTypes, { astToString } from "openapi-typescript"
import { openApiDocument } from "../../src/openapi/OpenApiDocument.ts"

/** Writes the types and the table of operations of `sheaf/client`, from the API description: `npm run client`. */

type Json = Record<string, any>

const [folder] = process.argv.slice(2) as [string]
const description: Json = JSON.parse(JSON.stringify(openApiDocument("https://sheaf.example")))
const { components } = description

const nameOf = (reference: string): string => reference.split("/").at(-1)!

const parametersOf = (operation: Json): ReadonlyArray<Json> =>
  (operation["parameters"] ?? []).map((each: Json) =>
    each["$ref"] === undefined ? each : components.parameters[nameOf(each["$ref"])]
  )

const schemaOf = (schema: Json | undefined): Json | undefined =>
  schema?.["$ref"] === undefined ? schema : schemaOf(components.schemas[nameOf(schema["$ref"])])

/** The members that a body may have, of all its alternatives. */
const membersOf = (schema: Json | undefined): ReadonlyArray<string> => {
  const found = schemaOf(schema)
  if (found === undefined) return []
  const parts = [...(found["anyOf"] ?? []), ...(found["oneOf"] ?? []), ...(found["allOf"] ?? [])]
  return [...Object.keys(found["properties"] ?? {}), ...parts.flatMap(membersOf)]
}

const table: Array<string> = []
for (const [path, item] of Object.entries<Json>(description["paths"])) {
  for (const [method, operation] of Object.entries<Json>(item)) {
    const id = operation["operationId"]
    if (id === undefined) continue
    const body = operation["requestBody"]?.content
    const members = new Set(membersOf(body?.["application/json"]?.schema))
    // A parameter that the body has too is sent in the body.
    const parameters = parametersOf(operation).filter(
      (each) => each["in"] !== "header" && !(each["in"] === "query" && members.has(each["name"]))
    )
    const query = parameters.filter((each) => each["in"] === "query").map((each) => each["name"])
    // A client sends all of the input of a GET in the query; the cursor shows which operations have pages.
    const shown = method === "get" ? query.filter((name) => name === "cursor") : query
    table.push(`  ${id}: "${method.toUpperCase()} ${path}${shown.length === 0 ? "" : `?${shown.join("&")}`}"`)
    // Only what the types of the client show.
    item[method] = {
      operationId: id,
      description: operation["summary"],
      parameters,
      ...(body?.["application/json"] === undefined
        ? {}
        : {
            requestBody: {
              required: operation["requestBody"].required === true,
              content: { "application/json": { schema: body["application/json"].schema } }
            }
          }),
      responses: Object.fromEntries(
        Object.entries<Json>(operation["responses"])
          .filter(([status]) => status.startsWith("2"))
          .map(([status, { content, description: text }]) => [
            status,
            {
              description: text,
              content: Object.fromEntries(
                Object.entries<Json>(content ?? {}).map(([type, { schema }]) => [type, { schema }])
              )
            }
          ])
      )
    }
  }
}

const used = new Set<string>(["Problem"])
const visit = (value: unknown): void => {
  if (Array.isArray(value)) return value.forEach(visit)
  if (typeof value !== "object" || value === null) return
  const { $ref } = value as Json
  if (typeof $ref === "string" && !used.has(nameOf($ref))) {
    used.add(nameOf($ref))
    visit(components.schemas[nameOf($ref)])
  }
  Object.values(value).forEach(visit)
}
visit(components.schemas.Problem)
visit(description["paths"])

const text = await openapiTypes(
  JSON.stringify(
    {
      openapi: description["openapi"],
      info: description["info"],
      paths: description["paths"],
      components: { schemas: Object.fromEntries(Object.entries(components.schemas).filter(([name]) => used.has(name))) }
    },
    // Examples are many, and the documentation has them.
    (key, value) => (key === "examples" || (key === "example" && typeof value !== "object") ? undefined : value)
  )
)

const shown = text.filter((node: any) => ["components", "operations"].includes(node.name?.text))
const header = "// Written from the API description by `npm run client`. Do not edit.\n"
writeFileSync(
  `${folder}/Schema.ts`,
  header +
    astToString(shown)
      .replaceAll(/\s*header\?: never;|\s*cookie\?: never;|\s*headers: \{\s*\[name: string\]: unknown;\s*\};/g, "")
      .replaceAll(/^ {4}(responses|parameters|requestBodies|headers|pathItems): never;\n/gm, "")
)
const isAdmin = (line: string): boolean => line.includes(" /admin/")

writeFileSync(
  `${folder}/OperationTable.ts`,
  `${header}
/** The method and path of each operation, with its query parameters; of a GET only the cursor of a list. */
export const operations = {
${table.filter((line) => !isAdmin(line)).join(",\n")}
} as const

/** Those of the operations on the whole server. */
export const adminOperations = {
${table.filter(isAdmin).join(",\n")}
} as const
`
)
