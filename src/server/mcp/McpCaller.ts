import { Effect, Predicate, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RefusedCalls } from "../../../services/activity/RefusedCalls.ts"
import { BadRequest, Forbidden } from "../../../services/Errors.ts"
import { Credentials } from "../../../services/identity/Credentials.ts"
import { Principal, type PrincipalShape } from "../../../services/Principal.ts"
import { appScopes } from "../../../services/identity/Scopes.ts"
import { withProblems } from "../http/pipeline/ProblemsHttp.ts"
import { fault, maxValues } from "../http/pipeline/JsonBody.ts"
import * as RequestCaller from "../http/pipeline/RequestCaller.ts"
import { mediaType, notAcceptable, unsupported } from "../http/pipeline/RequestValidationHttp.ts"
import { typeWeights } from "../http/responses/Accept.ts"
import { LargeBodies } from "../http/server/LargeBodies.ts"
import { stateOf } from "../http/server/RequestState.ts"
import * as EarlierRevisions from "./EarlierRevisions.ts"
import { nameOf, nativeRequest } from "./EffectMcp.ts"
import { CallState } from "./ToolCalls.ts"
import type { ToolRights } from "./ToolRights.ts"

const wrongOrigin = new Forbidden({
  code: "forbidden",
  detail: "Scripts of other origins may not use this address"
})

const wrongQuery = new BadRequest({
  code: "invalid_parameter",
  detail: "The only parameter is mode=read",
  extra: { allowed_parameters: ["mode"] }
})

const json = "application/json"

/** The refusal of media types that a request does not send or accept. All responses are JSON. */
const wrongType = ({ headers }: HttpServerRequest.HttpServerRequest) => {
  if (typeWeights(headers["accept"] ?? "*/*")(json) === 0) return notAcceptable([json])
  return mediaType(headers["content-type"]) === json ? undefined : unsupported(`Send the body as ${json}`)
}

const bearer = /^Bearer +(\S+)$/i

/** Without the scopes to write: what `?mode=read` leaves of the rights of a caller. */
const readOnly = (caller: PrincipalShape): PrincipalShape => ({
  ...caller,
  scopes: new Set([...caller.scopes].filter((scope) => !scope.endsWith(":write")))
})

/** Whether the query is `mode=read`; the problem for any other one. */
const isReadMode = (url: string): boolean | BadRequest => {
  const mark = url.indexOf("?")
  const parameters = mark < 0 ? [] : [...new URLSearchParams(url.slice(mark))]
  const isKnown = parameters.length <= 1 && parameters.every(([name, value]) => name === "mode" && value === "read")
  return isKnown ? parameters.length === 1 : wrongQuery
}

/** Maximum characters of the id of a request, which its response repeats. */
const maxId = 200

const hasLongId = (value: unknown): boolean =>
  Predicate.hasProperty(value, "id") && typeof value.id === "string" && value.id.length > maxId

/** A response above the limit repeats a text of the request, such as its id. It is replaced. */
const limited = (response: HttpServerResponse.HttpServerResponse, most: number) =>
  response.body._tag === "Uint8Array" && response.body.contentLength > most
    ? EarlierRevisions.failure(null, -32600, `The response would exceed ${most} bytes`, 400)
    : response

/**
 * Names in WWW-Authenticate where a host gets access, and the scopes (RFC 9728, section 5.1; RFC 6750, section 3). Tools
 * without a scope are hidden, so that no other consent would help a caller who is refused otherwise.
 */
const challenged = (response: HttpServerResponse.HttpServerResponse, resourceUrl: string) => {
  if (response.status !== 401) return response
  const challenge = `${response.headers["www-authenticate"]}, resource_metadata="${resourceUrl}", scope="${appScopes.join(" ")}"`
  return HttpServerResponse.setHeader(response, "www-authenticate", challenge)
}

/**
 * The stations of a request to the MCP server: its origin, its caller with rate limits as everywhere, its revision, and
 * the tool that it calls, which log line and audit log name. A refused request gets a problem, as in the API.
 */
export const layer = (options: {
  readonly origin: string
  /** The address of the metadata of this resource. */
  readonly resourceUrl: string
  readonly name: string
  readonly version: string
  readonly instructions: string
  readonly rights: ToolRights
}) =>
  HttpRouter.middleware<{ provides: Principal }>()(
    Effect.gen(function* () {
      const callerOf = yield* RequestCaller.make
      const credentials = yield* Credentials
      const refusedCalls = yield* RefusedCalls
      const largeBodies = yield* LargeBodies

      /** The request in the native revision, or the response. The body is checked as one of the API. */
      const readNative = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const body = yield* Effect.orDie(request.arrayBuffer)
        const wrong = fault(body, maxValues)
        if (wrong !== undefined) return yield* wrong
        const sent = EarlierRevisions.parsed(Buffer.from(body).toString())
        const shortened = EarlierRevisions.withoutNullArguments(sent)
        const value = shortened ?? sent
        const native = shortened === undefined ? body : JSON.stringify(shortened)
        return hasLongId(value)
          ? EarlierRevisions.failure(null, -32600, `An id has at most ${maxId} characters`, 400)
          : (EarlierRevisions.read(options, request, value) ?? nativeRequest(request.url, request.headers, native))
      })

      const identified = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { authorization = "", origin } = request.headers
        if (origin !== undefined && origin !== options.origin) return yield* wrongOrigin
        const caller = yield* callerOf(
          Redacted.make(bearer.exec(authorization)?.[1] ?? ""),
          request,
          undefined,
          // Each tool has its rights.
          () => undefined,
          // The set is checked for tools that write.
          { isReadOnly: true }
        )
        const isRead = isReadMode(request.url)
        if (isRead instanceof BadRequest) return yield* isRead
        return isRead ? readOnly(caller) : caller
      })

      /** The caller with the tool that it calls. A call without the rights counts as refused; the server hides the tool. */
      const calling = (caller: PrincipalShape, { headers }: HttpServerRequest.HttpServerRequest): PrincipalShape => {
        if (headers["mcp-method"] !== "tools/call") return caller
        const tool = nameOf(headers["mcp-name"])
        if (tool === undefined || !options.rights.has(tool)) return caller
        const refused = options.rights.refusal(tool, caller)
        if (refused !== undefined) refusedCalls.count(caller, refused.code, tool)
        return { ...caller, tool }
      }

      const processed = Effect.fnUntraced(function* <E, R>(
        request: HttpServerRequest.HttpServerRequest,
        identity: PrincipalShape,
        served: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
      ) {
        const seen = yield* readNative(request)
        if (HttpServerResponse.isHttpServerResponse(seen)) return seen
        const caller = calling(identity, seen)
        const state = stateOf(request.source)
        state.tool = caller.tool
        return yield* served.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, seen),
          Effect.provideService(Principal, caller),
          Effect.provideService(CallState, state)
        )
      })

      const responded = Effect.fnUntraced(function* <E, R>(
        served: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
      ) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const identity = yield* identified(request)
        const refused = wrongType(request)
        if (refused !== undefined) return yield* refused
        const response = yield* largeBodies.within(identity.user_id, request, processed(request, identity, served))
        if (response.status < 400) credentials.used(identity)
        return limited(response, options.rights.maxBytes(stateOf(request.source).tool))
      })

      return (served) =>
        Effect.map(withProblems(responded(served)), (response) => challenged(response, options.resourceUrl))
    })
  ).layer
