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

const entriesOf = (description: Json): ReadonlyArray<readonly [path: string, line: string]> => {
  const lines: Array<readonly [path: string, line: string]> = []
  for (const [path, item] of Object.entries<Json>(description["paths"])) {
    for (const [method, operation] of Object.entries<Json>(item)) {
      if (!isOfClient(operation)) continue
      const query = sentParameters(description, operation)
        .filter((each) => each["in"] === "query")
        .map((each) => each["name"])
      // A client sends all of the input of a GET in the query; the cursor shows which operations have pages.
      const shown = method === "get" ? query.filter((name) => name === "cursor") : query
      const parameters = shown.length === 0 ? "" : `?${shown.join("&")}`
      lines.push([path, `  ${operation["operationId"]}: "${method.toUpperCase()} ${path}${parameters}"`])
    }
  }
  return lines
}

const table = (name: string, about: string, entries: ReturnType<typeof entriesOf>): string =>
  `/** ${about} */
export const ${name} = {
${entries.map(([, line]) => line).join(",\n")}
} as const
`

/** The texts of the files with operations, by their names. Operations on the whole server are on their own: few load them. */
export const operationTables = (description: Json): Readonly<Record<string, string>> => {
  const entries = entriesOf(description)
  const isAdmin = ([path]: readonly [string, string]): boolean => path.startsWith("/admin/")
  return {
    "OperationTable.ts": table(
      "operations",
      "The method and path of each operation, with its query parameters; of a GET only the cursor of a list.",
      entries.filter((entry) => !isAdmin(entry))
    ),
    "AdminOperationTable.ts": table(
      "adminOperations",
      "The same of the operations on the whole server.",
      entries.filter(isAdmin)
    )
  }
}
