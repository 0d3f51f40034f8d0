import type { openApiDocument } from "../../../src/server/openapi/OpenApiDocument.ts"
import { type Resource, resources } from "../Resources.ts"

/** A body member or query parameter that takes the id of a record. */
export interface Reference {
  readonly operation: string
  readonly place: "body" | "query"
  readonly name: string
  /** Whether it takes several ids. */
  readonly isList: boolean
  readonly resource: Resource
}

type Schema = Readonly<Record<string, any>>

/** The prefix of the ids that a schema accepts, from its pattern, such as `^nt_[0-9A-Za-z_-]{16,40}$`. */
const prefixOf = (schema: Schema): string | undefined => {
  const own = /^\^\(?([a-z]{2})_/.exec(schema["pattern"] ?? "")?.[1]
  const parts: ReadonlyArray<Schema> = [...(schema["anyOf"] ?? []), ...(schema["items"] ? [schema["items"]] : [])]
  return own ?? parts.map(prefixOf).find((prefix) => prefix !== undefined)
}

const resourceOf = (where: string, name: string, schema: Schema): Resource | undefined => {
  const prefix = prefixOf(schema)
  // A field that takes an id or a name has no pattern.
  if (prefix === undefined) return resources.find(({ references = [] }) => references.includes(name))
  const found = resources.find((each) => each.prefix === prefix)
  if (found === undefined) throw new Error(`${where}: no resource of test/support/Resources.ts has ids of ${prefix}_`)
  return found
}

/** Returns all references in bodies and queries of the API description; ids in paths and headers are not included. */
export const referencesOf = (document: ReturnType<typeof openApiDocument>): ReadonlyArray<Reference> => {
  const resolved = (schema: Schema): Schema =>
    typeof schema["$ref"] === "string"
      ? schema["$ref"]
          .slice(2)
          .split("/")
          .reduce<any>((at, key) => at[key], document)
      : schema
  return Object.values<any>(document.paths).flatMap((item) =>
    Object.values<any>(item).flatMap((described) => {
      const operation: string = described.operationId
      const body = resolved(described.requestBody?.content?.["application/json"]?.schema ?? {})
      const members = Object.entries<Schema>(body["properties"] ?? {}).map(
        ([name, schema]) => ["body", name, schema] as const
      )
      const parameters = (described.parameters ?? [])
        .map(resolved)
        .filter((each: any) => each.in === "query")
        .map(({ name, schema }: any) => ["query", name, schema] as const)
      return [...members, ...parameters].flatMap(([place, name, schema]) => {
        const resource = resourceOf(`${operation}, ${name}`, name, schema)
        // A member without a type is accepted and ignored.
        if (resource === undefined || (schema.type === undefined && schema.anyOf === undefined)) return []
        return { operation, place, name, isList: schema.type === "array", resource }
      })
    })
  )
}
