import fc from "fast-check"
import { devices, resources, segmentOf, syncedResources } from "../Resources.ts"

/** Id prefixes by the field, or the path segment, that takes the id. */
export const kinds: Readonly<Record<string, string>> = Object.fromEntries([
  ...resources.flatMap((resource) =>
    [segmentOf(resource), ...(resource.references ?? [])].map((field) => [field, resource.prefix])
  ),
  ["sync", devices.prefix],
  ["cursor", "cursor"]
])

export const reference = (kind: string): fc.Arbitrary<string> => fc.nat(999).map((draw) => `@@${kind}:${draw}@@`)

const hostile = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\ufeff",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  "-1",
  "1e400",
  "' OR 1=1 --",
  "%00",
  "%",
  "\\",
  `"`,
  "*",
  "(",
  "((((((((((((",
  "AND",
  "NOT NOT NOT",
  "title = ",
  "a:b",
  "x IN (",
  "-",
  "-updated_at",
  "updated_at,updated_at",
  "created_at",
  "title",
  "é\u0301",
  "🙂".repeat(60),
  "\u202e",
  "2026-02-30",
  "0000-00-00T00:00:00Z",
  "9999-12-31T23:59:60+23:59",
  "#12345",
  "${7*7}",
  "{{date}}",
  "../../etc/passwd",
  "http://169.254.169.254/",
  "<script>alert(1)</script>",
  "a".repeat(201),
  "日".repeat(5_000),
  "\u0958".repeat(30)
]

export const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom(...hostile) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("alpha", "beta", "gamma delta", "note", "tag", "word word", "true", "5", "1")
  }
)

const number = fc.oneof(
  fc.integer({ min: 0, max: 10 }),
  fc.constantFrom(-1, 0, 1, 100, 101, 500, 501, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300, 0.5, -0),
  fc.integer()
)

export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ maxDepth: 3, withNullPrototype: false, withBigInt: false }).filter((value) => value !== undefined),
  fc.jsonValue({ maxDepth: 5 }),
  text,
  number
)

export type Json = Readonly<Record<string, any>>

/** Random values of the document's schemas, in which any part is sometimes replaced by another value. */
export class SchemaValues {
  private readonly document: Json
  constructor(document: Json) {
    this.document = document
  }

  resolve(schema: Json): Json {
    const ref: string | undefined = schema["$ref"]
    return ref === undefined
      ? schema
      : this.resolve(
          ref
            .slice(2)
            .split("/")
            .reduce((at: any, part) => at[part.replaceAll("~1", "/")], this.document)
        )
  }

  of(schema: Json | undefined, field: string, depth = 0): fc.Arbitrary<unknown> {
    return fc.oneof({ weight: 12, arbitrary: this.valid(schema, field, depth) }, { weight: 1, arbitrary: anything })
  }

  private valid(given: Json | undefined, field: string, depth: number): fc.Arbitrary<unknown> {
    if (given === undefined || depth > 6) return anything
    const schema = this.resolve(given)
    const options: ReadonlyArray<Json> | undefined = schema["anyOf"] ?? schema["oneOf"]
    if (options !== undefined) return fc.oneof(...options.map((each) => this.valid(each, field, depth + 1)))
    if (schema["const"] !== undefined) return fc.constant(schema["const"])
    if (schema["enum"] !== undefined) return fc.constantFrom(...schema["enum"])
    if (Array.isArray(schema["type"])) {
      return fc.oneof(...schema["type"].map((type: string) => this.valid({ ...schema, type }, field, depth + 1)))
    }
    if (schema["allOf"] !== undefined && schema["type"] === undefined)
      return this.valid(schema["allOf"][0], field, depth + 1)
    const kind = kinds[field]
    switch (schema["type"]) {
      case "object":
        return this.object(schema, depth)
      case "array":
        return fc.array(field === "changes" ? this.entry() : this.of(schema["items"], field, depth + 1), {
          maxLength: 5
        })
      case "string":
        return kind === undefined
          ? text
          : fc.oneof({ weight: 5, arbitrary: reference(kind) }, { weight: 1, arbitrary: text })
      case "integer":
      case "number":
        return number
      case "boolean":
        return fc.boolean()
      case "null":
        return fc.constant(null)
      default:
        return anything
    }
  }

  private object(schema: Json, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>)
    const required: ReadonlyArray<string> = schema["required"] ?? []
    const members = properties.map(([name, each]) => {
      const value = this.of(each, name, depth + 1)
      return fc.option(
        value.map((value) => [name, value] as const),
        { nil: undefined, freq: required.includes(name) ? 20 : 1 }
      )
    })
    const extra = fc.option(
      fc.tuple(fc.oneof(text, fc.constantFrom("__proto__", "id", "status", "revision")), anything),
      { nil: undefined, freq: 1 }
    )
    return fc.tuple(...members, extra).map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== undefined)))
  }

  /** An entry of a push. The document leaves its data open, because the entry's type determines their schema. */
  private entry(): fc.Arbitrary<unknown> {
    const schemas = this.document["components"]?.["schemas"] ?? {}
    const of = (type: string, kind: string, data: Json | undefined) =>
      fc.record(
        {
          type: fc.oneof({ weight: 20, arbitrary: fc.constant<unknown>(type) }, { weight: 1, arbitrary: anything }),
          op: fc.constantFrom<unknown>("upsert", "upsert", "upsert", "delete", "none", null),
          id: fc.oneof<Array<fc.Arbitrary<unknown>>>(
            reference(kind),
            reference(kind),
            fc.constant(`${kind}_fuzzfuzzfuzzfuzz`),
            text
          ),
          revision: fc.oneof<Array<fc.Arbitrary<unknown>>>(fc.integer({ min: 0, max: 5 }), number, anything),
          mutation_id: fc.oneof(fc.nat(50).map(String), text),
          client_ref: text,
          data: this.of(data, "data", 2)
        },
        { requiredKeys: ["type", "op"] }
      )
    return fc.oneof(
      ...syncedResources.flatMap(({ name, prefix, synced }) =>
        ["Create", "Update"].map((form) => of(synced.type, prefix, schemas[`${name}${form}`]))
      ),
      anything
    )
  }
}
