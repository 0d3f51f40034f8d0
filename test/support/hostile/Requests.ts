import fc from "fast-check"
import { anything, type Json, kinds, reference, SchemaValues, text } from "./SchemaValues.ts"

/** A random request. Its ids are placeholders, `@@kind:draw@@`, which are replaced by existing ids when it is sent. */
export interface DrawnRequest {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  /** The credential to use, mostly that of the owner. */
  readonly caller: "owner" | "viewer" | "foreign" | "nobody" | "garbage"
  readonly body: string | undefined
}

const methods = ["get", "post", "put", "patch", "delete", "head", "options"]

const headerText = fc.oneof(
  fc.constantFrom(
    "*",
    `""`,
    `W/"x"`,
    `"@@nt:1@@:1"`,
    `"@@nt:2@@:2", "b"`,
    "sy_0123456789abcdef",
    "application/json",
    "text/plain",
    "gzip;q=0, *",
    "br",
    "handling=strict",
    "identity;q=0",
    "respond-async, handling=strict",
    "bytes=0-",
    "0",
    "-1",
    "a".repeat(130),
    "a".repeat(2_000)
  ),
  fc.string({ unit: "binary-ascii", maxLength: 40 }).map((each) => each.replaceAll(/[^\x20-\x7e]/g, "!").trim())
)

const headers = fc.dictionary(
  fc.constantFrom(
    "if-match",
    "if-none-match",
    "x-request-id",
    "device-id",
    "idempotency-key",
    "prefer",
    "accept",
    "accept-encoding",
    "last-event-id",
    "range",
    "origin",
    "workspace-id",
    "if-modified-since",
    "x-forwarded-for",
    "content-encoding",
    "access-control-request-method"
  ),
  headerText,
  { maxKeys: 2 }
)

const written = (value: unknown): string => (typeof value === "string" ? value : String(JSON.stringify(value)))

/** A value for a parameter: a useful one, one of its schema, or any text. */
const parameter = (values: SchemaValues, given: Json, kind: string): fc.Arbitrary<string> => {
  const { name, schema } = values.resolve(given)
  const known = fc.constantFrom(
    "1",
    "2",
    "25",
    "100",
    "0",
    "101",
    "title",
    "-updated_at",
    "name",
    "true",
    "false",
    `title = "a*"`,
    "tags:alpha AND pinned = true",
    "updated_at > 2026-01-01",
    "NOT archived:*"
  )
  const drawn = name === "id" || kinds[name] !== undefined ? reference(name === "id" ? kind : kinds[name]!) : known
  return fc.oneof(
    { weight: 6, arbitrary: drawn },
    {
      weight: 3,
      arbitrary: values
        .of(schema, name)
        .map((value) => (Array.isArray(value) ? value.map(written).join() : written(value)))
    },
    { weight: 1, arbitrary: text }
  )
}

const operation = (values: SchemaValues, path: string, method: string, item: Json): fc.Arbitrary<DrawnRequest> => {
  const segments = path.split("/").filter((part) => part !== "" && !part.startsWith("{"))
  const kind = kinds[segments.findLast((part) => kinds[part] !== undefined) ?? ""] ?? "nt"
  const parameters: ReadonlyArray<Json> = [...(item["parameters"] ?? []), ...(item[method]?.["parameters"] ?? [])].map(
    (each) => values.resolve(each)
  )
  const inPath = parameters.filter((each) => each["in"] === "path")
  const inQuery = parameters.filter((each) => each["in"] === "query")
  const schema = item[method]?.["requestBody"]?.["content"]?.["application/json"]?.["schema"]
  const whole = values.of(schema, "").map((value) => JSON.stringify(value))
  const broken = fc.oneof(
    anything.map((value) => JSON.stringify(value) ?? ""),
    text,
    fc.tuple(whole, fc.nat(60)).map(([json = "", at]) => json.slice(0, at))
  )
  const body = ["get", "head"].includes(method)
    ? fc.constant(undefined)
    : fc.oneof(
        { weight: schema === undefined ? 1 : 12, arbitrary: whole },
        { weight: 1, arbitrary: broken },
        { weight: schema === undefined ? 12 : 1, arbitrary: fc.constant(undefined) }
      )
  const querySome = fc.tuple(
    ...inQuery.map((each) =>
      fc.option(
        parameter(values, each, kind).map((value) => [each["name"] as string, value] as const),
        { nil: undefined, freq: 1 }
      )
    )
  )
  return fc.record({
    method: fc
      .oneof({ weight: 40, arbitrary: fc.constant(method) }, { weight: 1, arbitrary: fc.constantFrom(...methods) })
      .map((each) => each.toUpperCase()),
    path: fc
      .tuple(...inPath.map((each) => parameter(values, each, kind)))
      .map((drawn) =>
        inPath.reduce(
          (filled, each, index) =>
            filled.replace(`{${each["name"]}}`, () => encodeURIComponent(drawn[index]!.toWellFormed())),
          path
        )
      ),
    query: fc
      .tuple(querySome, fc.option(fc.tuple(text, text), { nil: undefined, freq: 1 }))
      .map(([some, extra]) => [...some, extra].filter((each) => each !== undefined)),
    headers,
    caller: fc.oneof(
      { weight: 20, arbitrary: fc.constant("owner" as const) },
      {
        weight: 4,
        arbitrary: fc.constantFrom("viewer" as const, "foreign" as const, "nobody" as const, "garbage" as const)
      }
    ),
    body
  })
}

/** Random requests to every route of an OpenAPI document: valid, nearly valid, and invalid. */
export const requestsOf = (document: Json): fc.Arbitrary<DrawnRequest> => {
  const values = new SchemaValues(document)
  return fc.oneof(
    ...Object.entries(document["paths"] as Record<string, Json>).flatMap(([path, item]) =>
      // Those of OAuth are at other addresses. The workspace is never deleted, because every response would then be 404.
      methods
        .filter(
          (method) =>
            item[method] !== undefined &&
            item[method].servers === undefined &&
            !(method === "delete" && path === "/workspaces/{id}")
        )
        .map((method) => operation(values, path, method, item))
    )
  )
}
