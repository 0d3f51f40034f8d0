import { exampleId } from "../../../services/Fields.ts"
import * as Ids from "../../../services/Ids.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { type EffectRule, maxNeeds } from "../../../services/admin/OperatorEffect.ts"
import type { AccessRule } from "../api/Authorization.ts"
import { type Facts, passwordRequired } from "../api/Operation.ts"
import { exampleOf } from "./Examples.ts"
import { fieldsParameter } from "./ListParameters.ts"
import { componentOf, headersOf, kindIn, pathParameter, rateLimitHeaders } from "./Parameters.ts"
import { failuresOf } from "./Responses.ts"

type Json = Record<string, any>

/** Facts about an endpoint that Effect's OpenAPI operation does not contain. */
export interface Origin {
  readonly path: string
  readonly method: string
  readonly group: string
  readonly endpoint: string
  readonly access: AccessRule | undefined
  /** Whether it needs a session; API keys are refused. */
  readonly isSignedIn: boolean
  readonly facts: Facts
  readonly isReadOnly: boolean
  /** Whether responses with the resource of the path have an ETag. */
  readonly isConditional: boolean
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The operation id of an endpoint without its own, such as `listNotes` and `getNote`. */
const idFrom = ({ endpoint, group }: Origin): string =>
  endpoint + capital(endpoint === "list" ? group : group.replace(/s$/, ""))

/** An event stream has neither ETag nor example. */
const jsonOf = (response: Json): Json | undefined => response["content"]?.["application/json"]

/** A resource is a component with an id or a version: its responses have an ETag (contract 2). */
export const isResource = (schema: Json | undefined, schemas: Json): boolean => {
  const name: string | undefined = schema?.["$ref"]?.split("/").at(-1)
  return (
    name !== undefined &&
    name !== "Deleted" &&
    name !== "DeletedVersion" &&
    name !== "LoggedOut" &&
    ["id", "version"].some((member) => schemas[name].properties?.[member] !== undefined)
  )
}

const isPage = (schema: Json | undefined, schemas: Json): boolean =>
  schema?.["$ref"] !== undefined && schemas[schema["$ref"].split("/").at(-1)].properties?.data?.type === "array"

/** Whether it can change records of a workspace. */
const acceptsChangeSets = ({ access, isReadOnly, method }: Origin) =>
  method !== "get" && !isReadOnly && access?.scopes.some((scope) => /^(notes|files):write$/.test(scope)) === true

/** Idempotency-Key is honoured on every POST that can change something. */
const acceptsIdempotencyKeys = ({ isReadOnly, method }: Origin) => method === "post" && !isReadOnly

interface Shape {
  /** The names of its parameters. */
  readonly names: ReadonlyArray<string>
  readonly hasBody: boolean
  /** Whether the response is a page, so that page parameters have an effect. */
  readonly isList: boolean
}

const codesOf = (origin: Origin, { hasBody, isList, names }: Shape): ReadonlyArray<ProblemCode> => {
  const { access, facts, isConditional, method, path } = origin
  const needs = maxNeeds(access?.effect ?? "none")
  const when = (is: boolean, ...codes: ReadonlyArray<ProblemCode>) => (is ? codes : [])
  return [
    ...new Set<ProblemCode>([
      "invalid_parameter",
      "invalid_header",
      ...when(isList && names.includes("limit"), "invalid_limit"),
      ...when(isList && names.includes("sort"), "invalid_sort"),
      ...when(isList && names.includes("filter"), "invalid_filter"),
      ...when(isList && names.includes("cursor"), "invalid_cursor", "cursor_mismatch"),
      ...when(
        hasBody,
        "malformed_json",
        "payload_too_large",
        "unsupported_media_type",
        "validation_failed",
        "unknown_field"
      ),
      ...when(
        access !== undefined,
        "authentication_required",
        "invalid_token",
        "token_expired",
        "insufficient_scope",
        "workspace_mismatch",
        "account_suspended"
      ),
      ...when(access !== undefined && access.isOfAccount === undefined, "two_factors_required"),
      ...when(access !== undefined && access.role !== "viewer", "insufficient_role"),
      // Workspace-Id may name a workspace of which the caller is not a member.
      ...when(access !== undefined || path.includes("{"), "not_found"),
      ...when(acceptsIdempotencyKeys(origin), "idempotency_in_progress", "idempotency_key_reused", "invalid_state"),
      ...when(acceptsChangeSets(origin), "invalid_state"),
      ...when(isConditional && method !== "get", "precondition_failed"),
      "not_acceptable",
      "rate_limited",
      ...(facts.codes ?? []),
      ...when(needs.recentSignIn, ...passwordRequired.codes),
      ...when(needs.keys === "lasting", "forbidden"),
      // The memory for large bodies of one user is limited.
      ...when(hasBody && access !== undefined, "overloaded"),
      "internal_error",
      "service_unavailable",
      "overloaded"
    ])
  ]
}

const parametersOf = (origin: Origin, made: ReadonlyArray<Json>, returnsResource: boolean): Array<Json> => {
  const { access, facts, isConditional, method, path } = origin
  const query = (name: string): Json => {
    const own = facts.parameters?.[name]
    if (own !== undefined) {
      const { description, ...schema } = own
      // In the URL a list is one text, with commas.
      const style = schema["type"] === "array" ? { style: "form", explode: false } : {}
      return { name, in: "query", required: false, description, ...style, schema }
    }
    if (name === "sort" || name === "filter") return fieldsParameter(name, facts[name])
    const component = componentOf(name, "query")
    return component === undefined
      ? { ...made.find((each) => each["name"] === name)! }
      : { $ref: `#/components/parameters/${component}` }
  }
  const headers = [
    ...(isConditional && method !== "get" ? ["IfMatch"] : []),
    ...(returnsResource && method === "get" ? ["IfNoneMatch"] : []),
    ...(acceptsIdempotencyKeys(origin) ? ["IdempotencyKey"] : []),
    ...(path === "/sync/stream" ? ["LastEventId"] : []),
    "Prefer",
    ...(access === undefined ? [] : ["WorkspaceId", "DeviceId"]),
    ...(acceptsChangeSets(origin) ? ["ChangeSet"] : []),
    "RequestId"
  ]
  return [
    ...made.filter((each) => each["in"] === "path").map((each) => ({ ...pathParameter(path, each["name"]) })),
    ...made.filter((each) => each["in"] === "query").map((each) => query(each["name"])),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))
  ]
}

const bodyOf = (body: Json, schemas: Json): Json => {
  const [[type, media]] = Object.entries<Json>(body["content"]) as [[string, Json]]
  const branches: ReadonlyArray<Json> = media["schema"].anyOf ?? []
  const isOptional = branches.some((each) => each["type"] === "null")
  const schema = isOptional ? branches.find((each) => each["type"] !== "null")! : media["schema"]
  return { required: !isOptional, content: { [type]: { schema, example: exampleOf(schema, schemas) } } }
}

/**
 * A stream of events: the schema of their data, and that of a whole event, for which OpenAPI 3.1 has no keyword (3.2 has
 * `itemSchema`).
 */
const eventsOf = ({ events }: Facts): Json | undefined =>
  events === undefined
    ? undefined
    : {
        "text/event-stream": {
          schema: { $ref: `#/components/schemas/${events.data}` },
          "x-itemSchema": { $ref: `#/components/schemas/${events.item}` }
        }
      }

/** An example of a response. After a deletion it has an id of the deleted kind. */
const tokensOf = ({ facts, path }: Origin, schema: Json, schemas: Json): unknown => {
  const example: any = exampleOf(schema, schemas, facts.shows)
  if (facts.example !== undefined) return { ...example, ...facts.example }
  if (schema["$ref"] !== "#/components/schemas/Deleted") return example
  const kind = facts.deletes ?? kindIn(path, "id")
  if (!Ids.isKind(kind)) throw new Error(`${path} does not name the kind that it deletes`)
  return Object.assign({}, example, { id: exampleId(Ids.prefixes[kind]) })
}

const successOf = (origin: Origin, status: string, response: Json, schemas: Json): Json => {
  const media = jsonOf(response)
  const isList = isPage(media?.["schema"], schemas)
  const names = [
    "Request-Id",
    "Preference-Applied",
    ...(isResource(media?.["schema"], schemas) ? ["ETag", ...(status === "201" ? ["Location"] : [])] : []),
    ...(isList && origin.facts.sort !== undefined ? ["Link", "Deprecation"] : []),
    ...(acceptsIdempotencyKeys(origin) ? ["Idempotent-Replayed"] : []),
    ...(origin.access === undefined ? [] : rateLimitHeaders)
  ]
  return {
    description: status === "201" ? "Success." : isList ? "A page of the list." : "Success.",
    headers: headersOf(...names),
    content:
      media === undefined
        ? (eventsOf(origin.facts) ?? response["content"])
        : { "application/json": { ...media, example: tokensOf(origin, media["schema"], schemas) } }
  }
}

/** The credential that the effect of an operation needs (contract 11). */
const effectText = (rule: EffectRule): ReadonlyArray<string> => {
  const { keys, recentSignIn } = maxNeeds(rule)
  if (!recentSignIn) return []
  const members = typeof rule === "string" ? [] : Object.keys(rule).map((name) => `\`${name}\``)
  return [
    ...(members.length === 0 ? [] : [`The following applies to requests with ${members.join(" or ")}.`]),
    passwordRequired.ofSessions,
    keys === "none"
      ? "API keys are refused."
      : "An API key that expires, or whose secret was replaced, is refused (403 `forbidden`)."
  ]
}

const rightOf = ({ effect = "none", role, scopes }: AccessRule, isSignedIn: boolean): string => {
  const named = scopes.map((scope) => `\`${scope}\``)
  return [
    `Needs ${named.length === 1 ? "the scope" : "one of the scopes"} ${named.join(", ")}, and at least the role ${role}.`,
    ...(isSignedIn ? ["Needs an access token; API keys are refused."] : []),
    ...effectText(effect)
  ].join(" ")
}

/** The complete operation: Effect's, made of its schemas, with the facts of its endpoint. */
export const complete = (origin: Origin, made: Json, schemas: Json): Json => {
  const { access, isSignedIn } = origin
  const responses = Object.entries<Json>(made["responses"]).filter(([status]) => Number(status) < 400)
  const returnsResource = responses.some(([, response]) => isResource(jsonOf(response)?.["schema"], schemas))
  const parameters = parametersOf(origin, made["parameters"], returnsResource)
  const body = made["requestBody"]
  const names = made["parameters"].map((each: Json) => each["name"])
  const isList = responses.some(([, response]) => isPage(jsonOf(response)?.["schema"], schemas))
  const codes = codesOf(origin, { names, hasBody: body !== undefined, isList })
  return {
    operationId: made["operationId"].includes(".") ? idFrom(origin) : made["operationId"],
    tags: made["tags"],
    summary: made["summary"],
    description: [made["description"], ...(access === undefined ? [] : [rightOf(access, isSignedIn)])].join("\n\n"),
    ...(access === undefined ? {} : { "x-required-scopes": access.scopes, "x-required-role": access.role }),
    "x-problem-codes": codes,
    security: made["security"],
    parameters,
    ...(body === undefined ? {} : { requestBody: bodyOf(body, schemas) }),
    responses: {
      ...Object.fromEntries(
        responses.map(([status, response]) => [status, successOf(origin, status, response, schemas)])
      ),
      ...(returnsResource && origin.method === "get" ? { 304: { $ref: "#/components/responses/NotModified" } } : {}),
      ...failuresOf(codes)
    }
  }
}
