import { Context, Effect, Layer, Schema, SchemaAST } from "effect"
import { Headers, HttpMethod, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { BadRequest, Invalid } from "../../../../services/Errors.ts"
import { Principal } from "../../../../services/Principal.ts"
import { issueAt, maxIssues } from "../../../../services/Text.ts"
import { Conventions, DryRunnable, Extensive, Previewable, ReadOnly, ResponseType } from "../../api/Conventions.ts"
import { typeWeights } from "../responses/Accept.ts"
import { fault, maxPushValues, maxValues } from "./JsonBody.ts"
import { unknownFields } from "./KnownFields.ts"
import { LargeBodies, small } from "../server/LargeBodies.ts"
import { nearest } from "../../settings/NearName.ts"
import { isDry, isStrict, preferStrictly } from "./Prefer.ts"
import { problem } from "../responses/Problem.ts"

type Request = HttpServerRequest.HttpServerRequest

type Query = HttpServerRequest.ParsedSearchParams["Service"]

/** The parsed query, which the router adds to the context of each request. */
const queryOf = (context: Context.Context<never>): Query =>
  Context.getUnsafe(context, HttpServerRequest.ParsedSearchParams)

const json = "application/json"

/** The media types of an endpoint's successful response. A client that accepts problems accepts JSON too. */
const typesOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const type = Context.get(endpoint.annotations, ResponseType)
  return type === json ? [json, "application/problem+json"] : [type]
}

export const notAcceptable = (types: ReadonlyArray<string>) =>
  problem({
    status: 406,
    code: "not_acceptable",
    detail: `The response is available as ${types[0]}`,
    members: { acceptable: types }
  })

export const unsupported = (detail: string, headers?: Readonly<Record<string, string>>) =>
  problem({ status: 415, code: "unsupported_media_type", detail, ...(headers === undefined ? {} : { headers }) })

const isAcceptable = (types: ReadonlyArray<string>, accept: string): boolean => {
  const weight = typeWeights(accept)
  return types.some((type) => weight(type) > 0)
}

/** The media type without its parameters. A body without Content-Type is treated as JSON. */
export const mediaType = (contentType: string | undefined): string =>
  contentType === undefined || contentType === json ? json : contentType.split(";", 1)[0]!.trim().toLowerCase()

/** Whether a request has no bytes: then the headers that describe them, which many clients always send, do not matter. */
const isEmpty = ({ headers }: Request): boolean =>
  headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0"

/** The request without these headers. */
const undescribed = (request: Request): Request =>
  request.modify({ headers: Headers.removeMany(request.headers, ["content-type", "content-encoding"]) })

const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i

const isUtf8Charset = (type: string | undefined): boolean => {
  const name = type === undefined ? undefined : charset.exec(type)?.[1]
  return name === undefined || /^utf-?8$/i.test(name)
}

/** The schemas of known fields: the payload, and the members of the response, ignored on input (contract, rule 2). */
const fieldsOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<SchemaAST.AST> =>
  [...(endpoint.payload.get(json)?.schemas ?? []), ...endpoint.success]
    .filter(Schema.isSchema)
    .map(({ ast }) => SchemaAST.toEncoded(ast))

const parametersOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const ast = endpoint.query === undefined ? undefined : SchemaAST.toEncoded(endpoint.query.ast)
  return ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The endpoint reports the malformed JSON.
    return undefined
  }
}

/** Maximum number of parameter names that are logged per route. */
const maxReported = 1_000

/** Logs unknown parameters whose name is similar to a known one, each once per route, without their values. */
const warnAboutUnknown = (endpoint: HttpApiEndpoint.Top, parameters: ReadonlyArray<string>) => {
  const reported = new Set<string>()
  return (names: ReadonlyArray<string>) =>
    Effect.forEach(
      names,
      (name) => {
        const meant = reported.has(name) || reported.size >= maxReported ? undefined : nearest(name, parameters)
        if (meant === undefined) return Effect.void
        reported.add(name)
        return Effect.annotateLogs(
          Effect.logWarning("an unknown query parameter was ignored; a known one has a similar name"),
          { method: endpoint.method, route: endpoint.path, parameter: name, near: meant }
        )
      },
      { discard: true }
    )
}

/** The error of a query with a malformed encoding or a repeated parameter, before its values are read (contract 3). */
const wrongQuery = (url: string, query: Query, parameters: ReadonlyArray<string>): BadRequest | undefined => {
  const refuse = (name: string, what: string) =>
    new BadRequest({ code: "invalid_parameter", detail: `${name.slice(0, 50)} ${what}` })
  for (const name in query) {
    if (Array.isArray(query[name]) && parameters.includes(name)) return refuse(name, "is repeated: send it once")
  }
  const mark = url.indexOf("?")
  if (mark < 0 || !url.includes("%", mark)) return undefined
  const undecodable = url
    .slice(mark + 1)
    .split("&")
    .find((pair) => decoded(pair) === undefined)
  if (undecodable === undefined) return undefined
  const name = undecodable.split("=", 1)[0]!
  return refuse(decoded(name) ?? name, "has a percent sign without two hexadecimal digits, or bytes that are not UTF-8")
}

/** Decodes percent-encoding; undefined if it is malformed or not UTF-8 (RFC 3986, section 2.1). */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** The error that lists the unknown query parameters of a request. */
const unknownParameters = (query: Query, parameters: ReadonlyArray<string>): BadRequest | undefined => {
  const unknown = Object.keys(query).filter((name) => !parameters.includes(name))
  return unknown.length === 0
    ? undefined
    : new BadRequest({
        code: "invalid_parameter",
        detail: `Unknown parameters: ${unknown
          .map((name) => {
            const meant = nearest(name, parameters)
            return meant === undefined ? name : `${name} (was ${meant} meant?)`
          })
          .join(", ")}`,
        extra: { allowed_parameters: parameters }
      })
}

/** The error that lists the unknown fields of a body. */
const unknownBodyFields = (fields: ReadonlyArray<SchemaAST.AST>, value: unknown): Invalid | undefined => {
  const paths = unknownFields(fields, value, maxIssues)
  if (paths.length === 0) return undefined
  const errors = paths.map((path) => issueAt(path, "unknown_field", "is not a known field"))
  return new Invalid({
    code: "unknown_field",
    detail: `Unknown fields: ${errors.map(({ field }) => field).join(", ")}`,
    errors
  })
}

const noDryRun = (hasPreview: boolean) =>
  new BadRequest({
    code: "invalid_header",
    detail: `This operation has no dry run: nothing was done. Send it without Prefer: dry-run${hasPreview ? ", and with preview as true to find out what it would do" : ""}`
  })

export const RequestValidationHttp = Layer.effect(
  Conventions,
  Effect.map(LargeBodies, (largeBodies) => (handler, { endpoint }) => {
    const types = typesOf(endpoint)
    const returnsJson = types.includes(json)
    const bodyTypes = [...endpoint.payload.keys()].join(" or ")
    const takesBody = HttpMethod.hasBody(endpoint.method) && endpoint.payload.size > 0
    const parameters = parametersOf(endpoint)
    const fields = fieldsOf(endpoint)
    const near = warnAboutUnknown(endpoint, parameters)
    const most = Context.get(endpoint.annotations, Extensive) ? maxPushValues : maxValues

    const checked = Effect.fnUntraced(function* (
      request: Request,
      query: Query,
      isRead: boolean,
      handled: typeof handler
    ) {
      if (isRead) {
        const body = yield* Effect.orDie(request.arrayBuffer)
        if (body.byteLength > small) yield* largeBodies.turn
        const wrong = fault(body, most)
        if (wrong !== undefined) return yield* wrong
      }
      if (isStrict(request)) {
        preferStrictly(request)
        const unknown =
          unknownParameters(query, parameters) ??
          (isRead ? unknownBodyFields(fields, parsed(yield* Effect.orDie(request.text))) : undefined)
        if (unknown !== undefined) return yield* unknown
      }
      return yield* handled
    })

    const { annotations, method } = endpoint
    const hasNoDryRun =
      method !== "GET" && !Context.get(annotations, ReadOnly) && !Context.get(annotations, DryRunnable)

    return Effect.withFiber((fiber) => {
      const sent = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const isUndescribed = takesBody && endpoint.payload.has(json) && isEmpty(sent)
      const request = isUndescribed ? undescribed(sent) : sent
      if (isUndescribed) fiber.setContext(Context.add(fiber.context, HttpServerRequest.HttpServerRequest, request))
      const { accept, prefer } = request.headers
      if (prefer !== undefined && hasNoDryRun && isDry(request))
        return Effect.fail(noDryRun(Context.get(annotations, Previewable)))
      const isPlain = accept === undefined || accept === "*/*" || (returnsJson && accept === json)
      if (!isPlain && !isAcceptable(types, accept)) return notAcceptable(types)
      const type = mediaType(request.headers["content-type"])
      const isRead = type === json && endpoint.payload.get(json)?.encoding._tag === "Json"
      if (takesBody) {
        if (!endpoint.payload.has(type)) return unsupported(`Send the body as ${bodyTypes}`)
        if (isRead && !isUtf8Charset(request.headers["content-type"])) return unsupported("Send JSON in UTF-8")
        const coding = request.headers["content-encoding"]
        if (coding !== undefined && coding.toLowerCase() !== "identity") {
          return unsupported("Send the body without a content coding", { "accept-encoding": "identity" })
        }
      }
      const query = queryOf(fiber.context)
      const wrong = wrongQuery(request.url, query, parameters)
      if (wrong !== undefined) return Effect.fail(wrong)
      let unknown: Array<string> | undefined
      for (const name in query) if (!parameters.includes(name)) (unknown ??= []).push(name)
      const handled = unknown === undefined ? handler : Effect.andThen(near(unknown), handler)
      if (!isRead && prefer === undefined) return handled
      const response = checked(request, query, isRead, handled)
      if (!isRead) return response
      return largeBodies.within(Context.getOrUndefined(fiber.context, Principal)?.user_id ?? "", request, response)
    })
  })
)
