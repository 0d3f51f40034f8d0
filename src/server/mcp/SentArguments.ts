import { fault, maxValues } from "../http/pipeline/JsonBody.ts"

/** The parts of a JSON Schema by which arguments are read. */
export interface ArgumentSchema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, ArgumentSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: ArgumentSchema
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hasType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case "integer":
    case "number":
      return typeof value === "number"
    case "boolean":
      return typeof value === "boolean"
    case "array":
      return Array.isArray(value)
    default:
      return type === "object" && isObject(value)
  }
}

/** The value whose JSON a text is, if it has the type; else the text, so that the problem is about what was sent. */
const ofJson = (text: string, type: unknown): unknown => {
  if (fault(new Uint8Array(Buffer.from(text)).buffer, maxValues) !== undefined) return text
  try {
    const value: unknown = JSON.parse(text)
    return hasType(value, type) ? value : text
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/**
 * Returns arguments as the schema has them. Hosts send `null` for an optional argument that is absent, and numbers,
 * booleans, lists and objects as their JSON text.
 */
export const asSchema = (schema: ArgumentSchema, sent: unknown): unknown => {
  const value = typeof sent === "string" && schema.type !== "string" ? ofJson(sent, schema.type) : sent
  const { items, properties = {}, required = [] } = schema
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => asSchema(items, item))
  if (!isObject(value)) return value
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null || !Object.hasOwn(properties, name) || required.includes(name))
    .map(([name, member]) => [name, Object.hasOwn(properties, name) ? asSchema(properties[name]!, member) : member])
  return Object.fromEntries(members)
}
