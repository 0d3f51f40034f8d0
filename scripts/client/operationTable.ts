/** The description of the API, as JSON. */
export type Json = Record<string, any>

const nameOf = (reference: string): string => reference.split("/").at(-1)!

/** The parameters of an operation, without references. */
export const parametersOf = ({ components }: Json, operation: Json): ReadonlyArray<Json> =>
  (operation["parameters"] ?? []).map((each: Json) =>
    each["$ref"] === undefined ? each : components.parameters[nameOf(each["$ref"])]
  )

const schemaOf = (components: Json, schema: Json | undefined): Json | undefined =>
  schema?.["$ref"] === undefined ? schema : schemaOf(components, components["schemas"][nameOf(schema["$ref"])])

/** The members that a body may have, of all its alternatives. */
const membersOf = (components: Json, schema: Json | undefined): ReadonlyArray<string> => {
  const found = schemaOf(components, schema)
  if (found === undefined) return []
  const parts = [...(found["anyOf"] ?? []), ...(found["oneOf"] ?? []), ...(found["allOf"] ?? [])]
  return [...Object.keys(found["properties"] ?? {}), ...parts.flatMap((part) => membersOf(components, part))]
}

/** The parameters of an operation that a client sends in the path or the query: one that the body has too is sent there. */
export const sentParameters = (description: Json, operation: Json): ReadonlyArray<Json> => {
  const body = operation["requestBody"]?.content?.["application/json"]?.schema
  const members = new Set(membersOf(description["components"], body))
  return parametersOf(description, operation).filter(
    (each) => each["in"] !== "header" && !(each["in"] === "query" && members.has(each["name"]))
  )
}

/** Whether the client has an operation: those of OAuth are at other addresses, and send forms. */
export const isOfClient = (operation: Json): boolean =>
  operation["operationId"] !== undefined && operation["servers"] === undefined

/** The text of `OperationTable.ts`. */
export const operationTable = (description: Json): string => {
  const lines: Array<string> = []
  for (const [path, item] of Object.entries<Json>(description["paths"])) {
    for (const [method, operation] of Object.entries<Json>(item)) {
      if (!isOfClient(operation)) continue
      const query = sentParameters(description, operation)
        .filter((each) => each["in"] === "query")
        .map((each) => each["name"])
      // A client sends all of the input of a GET in the query; the cursor shows which operations have pages.
      const shown = method === "get" ? query.filter((name) => name === "cursor") : query
      lines.push(
        `  ${operation["operationId"]}: "${method.toUpperCase()} ${path}${shown.length === 0 ? "" : `?${shown.join("&")}`}"`
      )
    }
  }
  const isAdmin = (line: string): boolean => line.includes(" /admin/")
  return `/** The method and path of each operation, with its query parameters; of a GET only the cursor of a list. */
export const operations = {
${lines.filter((line) => !isAdmin(line)).join(",\n")}
} as const

/** Those of the operations on the whole server. */
export const adminOperations = {
${lines.filter(isAdmin).join(",\n")}
} as const
`
}
