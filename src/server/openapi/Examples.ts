type Json = Readonly<Record<string, any>>

/** An example for a schema, composed of the examples of its members; `shows` names optional members to include. */
export const exampleOf = (schema: Json, schemas: Json, shows: ReadonlyArray<string> = []): unknown => {
  if (schema["examples"] !== undefined) return schema["examples"][0]
  if (schema["$ref"] !== undefined) return exampleOf(schemas[schema["$ref"].split("/").at(-1)], schemas, shows)
  if (schema["const"] !== undefined) return schema["const"]
  if (schema["enum"] !== undefined) return schema["enum"][0]
  if (schema["default"] !== undefined) return schema["default"]
  const branches: ReadonlyArray<Json> | undefined = schema["anyOf"] ?? schema["oneOf"]
  if (branches !== undefined) return exampleOf(branches[0]!, schemas)
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries<Json>(schema["properties"] ?? {})
          .filter(([name, member]) => shows.includes(name) || isShown(schema, name, member))
          .map(([name, member]) => [name, exampleOf(member, schemas)])
      )
    case "array":
      return [exampleOf(schema["items"] ?? {}, schemas)]
    case "integer":
    case "number":
      return schema["minimum"] ?? 1
    case "boolean":
      return false
    case "null":
      return null
    default:
      return "text"
  }
}

/** Optional members are included if they have an example and are not an alias. */
const isShown = (schema: Json, name: string, member: Json): boolean =>
  schema["required"]?.includes(name) === true ||
  (member["examples"] !== undefined && !(member["description"] ?? "").startsWith("Another name"))
