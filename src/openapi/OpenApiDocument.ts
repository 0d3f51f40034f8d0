import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { exampleOrigin, formKeywords } from "../../services/Fields.ts"
import type { ProblemCode } from "../../services/ProblemCodes.ts"
import { Api } from "../api/Api.ts"
import { Access, SignedIn } from "../api/Authorization.ts"
import { ReadOnly } from "../api/Idempotency.ts"
import { OperationFacts } from "../api/Operation.ts"
import { errorCodeSchema, openPaths, openTag } from "./OpenPaths.ts"
import { complete, isResource, type Origin } from "./Operations.ts"
import { headers, parameters } from "./Parameters.ts"
import { problemSchemas, responsesOf } from "./Responses.ts"
import { discriminated } from "./Unions.ts"
import { webhooks, webhookSchemas } from "./OpenWebhooks.ts"

type Json = Record<string, any>

const basePath = "/v2"

const conventions = `Notes, notebooks, tags, sync for offline clients, and search, as JSON over HTTP.

Send \`Authorization: Bearer <token>\` with every request. Bodies are \`application/json\`. Times are RFC 3339 in UTC. Every response has the header \`Request-Id\`. Every error is \`application/problem+json\` (RFC 9457); its \`type\` is an address that explains the cause and the remedy.

Unknown body fields and unknown query parameters are ignored, unless the request carries \`Prefer: handling=strict\`. Responses may have further members in later versions. HEAD is supported wherever GET is. Responses of 1 KB and more are compressed for clients that accept \`gzip\` or \`br\`.`

/** What a check says of a value's form stands beside its type, and not in a list of one. */
const plain = ({ allOf, not, ...schema }: Json): Json => {
  // Effect's words for an object without known members.
  if (not !== undefined) return { type: "object", ...schema }
  const { enum: values, ...rest } = Object.assign({}, schema, ...(allOf ?? []))
  return values === undefined ? rest : values.length === 1 ? { ...rest, const: values[0] } : { ...rest, enum: values }
}

/**
 * Objects stay open: unknown members of requests are ignored, and answers may gain some (contract, rules 3 and 4). Of an
 * object that names no member this is said too: else generators take it for one that has none.
 */
const described = (schema: Json, types: Json): Json => {
  const { additionalProperties, properties, ...rest } = plain(schema)
  const inner: Json = {}
  for (const [key, value] of Object.entries(rest)) {
    inner[key] =
      key === "anyOf" || key === "oneOf"
        ? value.map((each: Json) => described(each, types))
        : key === "items"
          ? described(value, types)
          : value
  }
  // The bounds of whole numbers that JavaScript can count with say nothing of the member.
  if (inner["minimum"] === Number.MIN_SAFE_INTEGER) delete inner["minimum"]
  if (inner["maximum"] === Number.MAX_SAFE_INTEGER) delete inner["maximum"]
  if (additionalProperties !== undefined && additionalProperties !== false)
    inner["additionalProperties"] = additionalProperties
  else if (inner["type"] === "object" && properties === undefined) inner["additionalProperties"] = true
  if (properties !== undefined) {
    inner["properties"] = Object.fromEntries(
      Object.entries<Json>(properties).map(([name, member]) => [name, memberOf(member, types)])
    )
  }
  return inner
}

/** What is said of a value: a reference repeats what its type says, unless it says something else of this place. */
const saidOf = (schema: Json, types: Json): Json => {
  const type = schema["$ref"] === undefined ? {} : plain(types[schema["$ref"].split("/").at(-1)])
  const { description = type["description"], examples = type["examples"] } = schema
  return { ...(description === undefined ? {} : { description }), ...(examples === undefined ? {} : { examples }) }
}

const bare = ({ description: _, examples: __, ...form }: Json): Json => form

/** A member, with what is said of it in one place: not of one branch where the other is null. */
const memberOf = (member: Json, types: Json): Json => {
  const form = bare(described(member, types))
  const said = saidOf(plain(member), types)
  // Always null. As a type of its own openapi-fetch 0.17 would drop the member (openapi-ts/openapi-typescript#2717).
  if (form["type"] === "null") return { ...said, const: null }
  const branches: ReadonlyArray<Json> = form["anyOf"] ?? []
  const values = branches.filter((each) => each["type"] !== "null")
  return values.length === 1
    ? { ...saidOf(values[0]!, types), ...said, ...form, anyOf: branches.map(bare) }
    : { ...said, ...form }
}

/** An operation with its schemas described. */
const withMembers = (value: unknown, types: Json): any => {
  if (Array.isArray(value)) return value.map((each) => withMembers(each, types))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "schema" ? described(each, types) : withMembers(each, types)
    ])
  )
}

/** The schemas that the document refers to, one through the other. */
const reached = (from: unknown, schemas: Json): ReadonlySet<string> => {
  const found = new Set<string>()
  const look = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name!)) continue
      found.add(name!)
      look(schemas[name!])
    }
  }
  look(from)
  return found
}

const originsOf = (): ReadonlyMap<string, Omit<Origin, "isConditional">> => {
  const origins = new Map<string, Omit<Origin, "isConditional">>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const path = endpoint.path
        .replace(basePath, "")
        .replace(/\/$/, "")
        .replaceAll(/:(\w+)/g, "{$1}")
      const method = endpoint.method.toLowerCase()
      origins.set(`${method} ${path}`, {
        path,
        method,
        group: group.identifier,
        endpoint: endpoint.identifier,
        access: Option.getOrUndefined(Context.getOption(endpoint.annotations, Access)),
        isSignedIn: Context.get(endpoint.annotations, SignedIn),
        facts: Context.getOrElse(endpoint.annotations, OperationFacts, () => ({})),
        // A key belongs to a credential: before there is one, none is heeded.
        isReadOnly: Context.get(endpoint.annotations, ReadOnly) || group.identifier === "auth"
      })
    }
  })
  return origins
}

/** What readers look for first; the others follow by name, and last what goes before any credential. */
const leading = ["Notes", "Notebooks", "Tags", "Sync", "Search"]
const closing = "Authentication"

const inReadingOrder = (tags: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const named = (names: ReadonlyArray<string>) => names.flatMap((name) => tags.filter((tag) => tag["name"] === name))
  const others = tags.filter(({ name }) => !leading.includes(name) && name !== closing)
  return [...named(leading), ...others, ...named([closing])]
}

/** What nothing in OpenAPI 3.1 can refer to, and programs ask for: an event of a stream, and one of any webhook. */
const unreferenced = ["StreamEvent", "WebhookEvent"]

/** The OpenAPI description of everything under `{base_url}` of a server, made from the contract. */
export const openApiDocument = (publicUrl: string): Json =>
  // Examples have addresses of the server, too.
  JSON.parse(JSON.stringify(documentOf()).replaceAll(exampleOrigin, publicUrl))

/** The description of a server at `exampleOrigin`. */
const documentOf = (): Json => {
  const made: Json = OpenApi.fromApi(Api, { includeAnnotationKey: (key) => formKeywords.includes(key) })
  const raw: Json = made["components"].schemas
  const schemas: Json = {
    ...Object.fromEntries(Object.entries<Json>(raw).map(([name, schema]) => [name, described(schema, raw)])),
    ...problemSchemas,
    ErrorCode: errorCodeSchema,
    ...webhookSchemas
  }
  // What stands in these is decided entry by entry, or by another layer than their schemas.
  schemas["PushRequest"].properties.changes.items = { $ref: "#/components/schemas/PushEntry" }
  schemas["PullRequest"].properties.types.items = { $ref: "#/components/schemas/SyncType" }
  const { description } = schemas["PushResultRejected"].properties.error
  schemas["PushResultRejected"].properties.error = { $ref: "#/components/schemas/Problem", description }
  const paths: Json = {}
  const origins = originsOf()
  const operations = Object.entries<Json>(made["paths"]).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ path: path.replace(basePath, ""), method, operation }))
  )
  const conditional = operations
    .filter(
      ({ method, operation }) =>
        method === "get" && isResource(operation["responses"]["200"]?.content?.["application/json"]?.schema, schemas)
    )
    .map(({ path }) => path)
  for (const { method, operation, path } of operations) {
    const origin = origins.get(`${method} ${path}`)!
    // What is shown in lists only has no ETag to send back, and still one that a 412 names.
    const isConditional =
      method === "delete" ||
      conditional.some((each) => path === each || (each.endsWith("}") && path.startsWith(`${each}/`)))
    paths[path] ??= {}
    paths[path][method] = complete({ ...origin, isConditional }, withMembers(operation, raw), schemas)
  }
  Object.assign(paths, openPaths)
  const codes = new Set<ProblemCode>(
    Object.values(paths).flatMap((item: Json) => Object.values<Json>(item).flatMap((each) => each["x-problem-codes"]))
  )
  const inUse = Object.entries(parameters).filter(([name]) =>
    JSON.stringify(paths).includes(`"#/components/parameters/${name}"`)
  )
  const components = { parameters: Object.fromEntries(inUse), headers, responses: responsesOf([...codes]) }
  const hooks = webhooks(schemas)
  const kept = reached(
    [paths, components, hooks, unreferenced.map((name) => ({ $ref: `#/components/schemas/${name}` }))],
    schemas
  )
  return {
    openapi: "3.1.0",
    info: { ...made["info"], description: conventions },
    servers: [{ url: exampleOrigin + basePath }],
    security: [{ bearer: [] }],
    tags: [...inReadingOrder(made["tags"]), openTag],
    paths,
    webhooks: hooks,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "An access token (`sfa_…`, from signing in, valid for one hour) or an API key (`sfk_…`). Its scopes, and the role of its user or of the creator of the key in the workspace, decide what it may do. Operations that are not open to API keys say so."
        }
      },
      schemas: Object.fromEntries(
        Object.entries(schemas)
          .filter(([name]) => kept.has(name))
          .map(([name, schema]) => [name, discriminated(schema, schemas)] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1))
      ),
      ...components
    }
  }
}
