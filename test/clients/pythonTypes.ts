/**
 * Writes types of Python from an API description, without a package: a TypedDict for each schema with members.
 *   node test/clients/pythonTypes.ts openapi.json > sheaf_types.py
 */
import { readFileSync } from "node:fs"

type Schema = Readonly<Record<string, any>>

const simple: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
  object: "dict[str, Any]"
}

const union = (types: ReadonlyArray<string>): string => `Union[${[...new Set(types)].join(", ")}]`

const literal = (value: unknown): string =>
  value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value)

const typeOf = (schema: Schema): string => {
  const { $ref, allOf, anyOf, const: only, enum: some, items, oneOf, type } = schema
  if ($ref !== undefined) return nameOf($ref.split("/").at(-1))
  const literals: ReadonlyArray<unknown> = some ?? (only === undefined ? [] : [only])
  if (literals.length > 0) return `Literal[${literals.map(literal).join(", ")}]`
  if (anyOf ?? oneOf) return union((anyOf ?? oneOf).map(typeOf))
  if (allOf?.length === 1) return typeOf(allOf[0])
  if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each })))
  if (type === "array") return `list[${items === undefined ? "Any" : typeOf(items)}]`
  return simple[type] ?? "Any"
}

const nameOf = (name: string): string => name.replaceAll(/\W/g, "_")

/** The module `sheaf_types`. */
export const pythonTypes = ({ components: { schemas } }: Schema): string => {
  const all = Object.entries<Schema>(schemas).map(([name, schema]) => {
    const members = Object.entries<Schema>(schema["properties"] ?? {})
    if (members.length === 0) return `${nameOf(name)} = Union[${JSON.stringify(typeOf(schema))}]`
    const required: ReadonlyArray<string> = schema["required"] ?? []
    const lines = members.map(([member, each]) => {
      const type = typeOf(each)
      return `    ${JSON.stringify(member)}: ${JSON.stringify(required.includes(member) ? type : `NotRequired[${type}]`)},\n`
    })
    return `${nameOf(name)} = TypedDict(${JSON.stringify(nameOf(name))}, {\n${lines.join("")}})`
  })
  return `"""Types of the API of Sheaf."""\nfrom typing import Any, Literal, NotRequired, TypedDict, Union\n\n${all.join("\n")}\n`
}

if (import.meta.main) console.log(pythonTypes(JSON.parse(readFileSync(process.argv[2]!, "utf8"))))
