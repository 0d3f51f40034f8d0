import openapiTypes, { astToString } from "openapi-typescript"
import { isOfClient, type Json, sentParameters } from "../../scripts/client/operationTable.ts"

const nameOf = (reference: string): string => reference.split("/").at(-1)!

/** An operation as far as the types of the client show it. */
const shownOperation = (description: Json, operation: Json): Json => {
  const body = operation["requestBody"]?.content?.["application/json"]
  const responses = Object.entries<Json>(operation["responses"])
    .filter(([status]) => status.startsWith("2"))
    .map(([status, { content = {}, description: text }]) => {
      const types = Object.entries<Json>(content).map(([type, { schema }]) => [type, { schema }])
      return [status, { description: text, content: Object.fromEntries(types) }]
    })
  return {
    operationId: operation["operationId"],
    description: operation["summary"],
    parameters: sentParameters(description, operation),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: operation["requestBody"].required === true,
            content: { "application/json": { schema: body.schema } }
          }
        }),
    responses: Object.fromEntries(responses)
  }
}

const pathsOf = (description: Json): Json => {
  const paths: Json = {}
  for (const [path, item] of Object.entries<Json>(description["paths"])) {
    const operations = Object.entries<Json>(item).filter(([, operation]) => isOfClient(operation))
    if (operations.length === 0) continue
    const shown = operations.map(([method, operation]) => [method, shownOperation(description, operation)])
    paths[path] = Object.fromEntries(shown)
  }
  return paths
}

/** The schemas that the paths name, by the way of others too. */
const schemasOf = (description: Json, paths: Json): Json => {
  const { schemas } = description["components"]
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== "object" || value === null) return
    const { $ref } = value as Json
    if (typeof $ref === "string" && !used.has(nameOf($ref))) {
      used.add(nameOf($ref))
      visit(schemas[nameOf($ref)])
    }
    Object.values(value).forEach(visit)
  }
  visit({ $ref: "#/components/schemas/Problem" })
  visit(paths)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

/** The text of `Schema.ts`: the types of all operations and of the schemas that they name. */
export const clientTypes = async (description: Json): Promise<string> => {
  const paths = pathsOf(description)
  const { info, openapi } = description
  const shown = JSON.stringify(
    { openapi, info, paths, components: { schemas: schemasOf(description, paths) } },
    // Examples are many, and the documentation has them.
    (key, value) => (key === "examples" || (key === "example" && typeof value !== "object") ? undefined : value)
  )
  const nodes = (await openapiTypes(shown)).filter((node: any) =>
    ["components", "operations"].includes(node.name?.text)
  )
  return astToString(nodes)
    .replaceAll(/\s*header\?: never;|\s*cookie\?: never;|\s*headers: \{\s*\[name: string\]: unknown;\s*\};/g, "")
    .replaceAll(/^ {4}(responses|parameters|requestBodies|headers|pathItems): never;\n/gm, "")
}
