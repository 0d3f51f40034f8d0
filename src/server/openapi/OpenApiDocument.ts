import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { exampleOrigin, formKeywords } from "../../../services/Fields.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { Api } from "../api/Api.ts"
import { Access, SignedIn } from "../api/Authorization.ts"
import { ReadOnly } from "../api/Conventions.ts"
import { OperationFacts } from "../api/Operation.ts"
import { oauthPaths, oauthTag } from "./OAuthPaths.ts"
import { oauthSchemas } from "./OAuthSchemas.ts"
import { errorCodeSchema, openPaths, openTag } from "./OpenPaths.ts"
import { complete, isResource, type Origin } from "./Operations.ts"
import { headers, parameters } from "./Parameters.ts"
import { problemSchemas, responsesOf } from "./Responses.ts"
import { discriminated } from "./Unions.ts"
import { webhooks, webhookSchemas } from "./OpenWebhooks.ts"

type Json = Record<string, any>

const basePath = "/v2"

const conventions = `Notes, notebooks, tags, sync for offline clients, and search, as JSON over HTTP.

Send \`Authorization: Bearer <token>\` with every request. Bodies are \`application/json\`. Times are RFC 3339 in UTC. Every response has the header \`Request-Id\`. Every error is \`application/problem+json\` (RFC 9457); its \`type\` is the URL of a page that explains the cause and the remedy.

Unknown body fields and unknown query parameters are ignored, unless the request has \`Prefer: handling=strict\`. Later versions may add members to responses. HEAD is supported wherever GET is. Responses of 1 KB and more are compressed for clients that accept \`gzip\` or \`br\`.`

/** Merges the keywords of checks into the schema, instead of a list of one schema in `allOf`. */
const plain = ({ allOf, not, ...schema }: Json): Json => {
  // Effect describes an object without known members by `not`.
  if (not !== undefined) return { type: "object", ...schema }
  const { enum: values, ...rest } = Object.assign({}, schema, ...(allOf ?? []))
  return values === undefined ? rest : values.length === 1 ? { ...rest, const: values[0] } : { ...rest, enum: values }
}

/**
 * Objects stay open: unknown members of requests are ignored, and responses may gain members (contract, rules 3 and 4). An
 * object without named members states this explicitly, because generators would treat it as always empty.
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
  // The bounds of safe integers in JavaScript are not limits of the member.
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

/** The description and examples of a value. A reference without its own has those of its type. */
const annotationsOf = (schema: Json, types: Json): Json => {
  const type = schema["$ref"] === undefined ? {} : plain(types[schema["$ref"].split("/").at(-1)])
  const { description = type["description"], examples = type["examples"] } = schema
  return { ...(description === undefined ? {} : { description }), ...(examples === undefined ? {} : { examples }) }
}

const bare = ({ description: _, examples: __, ...form }: Json): Json => form

/** A member with its description and examples at the top, not in one branch of a union with null. */
const memberOf = (member: Json, types: Json): Json => {
  const form = bare(described(member, types))
  const annotations = annotationsOf(plain(member), types)
  // Always null. With the type "null", openapi-fetch 0.17 would drop the member (openapi-ts/openapi-typescript#2717).
  if (form["type"] === "null") return { ...annotations, const: null }
  const branches: ReadonlyArray<Json> = form["anyOf"] ?? []
  const values = branches.filter((each) => each["type"] !== "null")
  return values.length === 1
    ? { ...annotationsOf(values[0]!, types), ...annotations, ...form, anyOf: branches.map(bare) }
    : { ...annotations, ...form }
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

/** The names of the schemas that a value refers to, directly or through other schemas. */
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
        // Idempotency keys belong to a credential, so operations without one ignore them.
        isReadOnly: Context.get(endpoint.annotations, ReadOnly) || group.identifier === "auth"
      })
    }
  })
  return origins
}

/** The first tags in the document; the others follow by name, and `closing` is the last. */
const leading = ["Notes", "Notebooks", "Tags", "Sync", "Search"]
const closing = "Authentication"

const inReadingOrder = (tags: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const named = (names: ReadonlyArray<string>) => names.flatMap((name) => tags.filter((tag) => tag["name"] === name))
  const others = tags.filter(({ name }) => !leading.includes(name) && name !== closing)
  return [...named(leading), ...others, ...named([closing])]
}

/** Schemas that clients need, though OpenAPI 3.1 has no place to refer to them: an event of a stream, and of a webhook. */
const unreferenced = ["StreamEvent", "WebhookEvent"]

/** The OpenAPI description of everything under `{base_url}` of a server, created from `Api`, and of OAuth. */
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
    ...oauthSchemas,
    ...webhookSchemas
  }
  // These values are checked one by one, or outside their schemas.
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
    // A resource without GET has no ETag to send back; only a 412 names one.
    const isConditional =
      method === "delete" ||
      conditional.some((each) => path === each || (each.endsWith("}") && path.startsWith(`${each}/`)))
    paths[path] ??= {}
    paths[path][method] = complete({ ...origin, isConditional }, withMembers(operation, raw), schemas)
  }
  Object.assign(paths, openPaths, oauthPaths)
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
    tags: [...inReadingOrder(made["tags"]), oauthTag, openTag],
    paths,
    webhooks: hooks,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "An access token (`sfa_…`, from a sign-in, valid for one hour) or an API key (`sfk_…`). Its rights are its scopes, and the role in the workspace of its user or of the creator of the key. Operations that refuse API keys say so."
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
