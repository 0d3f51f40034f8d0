import { Cause, Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as Errors from "../../services/Errors.ts"
import * as Ids from "../../services/Ids.ts"
import { Credentials } from "../../services/identity/Credentials.ts"
import { Principal, type PrincipalShape, type Role } from "../../services/Principal.ts"
import { invalidFrom } from "../../services/Text.ts"
import { Access, type AccessRule, Authorization, Problems } from "../api/Authorization.ts"
import { problemOf } from "./Problem.ts"

const rank: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2, owner: 3 }

const missing = new Errors.Unauthorized({
  code: "authentication_required",
  detail: "Send an access token or API key: Authorization: Bearer <token>"
})

export const AuthorizationHttp = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const credentials = yield* Credentials

    const authorize = Effect.fnUntraced(function*(credential: Redacted.Redacted, { role, scopes }: AccessRule) {
      if (Redacted.value(credential) === "") return yield* missing
      const known = yield* credentials.authenticate(credential)
      if (!scopes.some((scope) => known.scopes.has(scope))) {
        return yield* new Errors.Forbidden({
          code: "insufficient_scope",
          detail: `One of these scopes is needed: ${scopes.join(", ")}`,
          extra: { required_scopes: scopes }
        })
      }
      if (rank[known.role] < rank[role]) {
        return yield* new Errors.Forbidden({
          code: "insufficient_role",
          detail: `At least the role ${role} is needed`
        })
      }
      const request = yield* HttpServerRequest.HttpServerRequest
      const wanted = request.headers["workspace-id"]
      if (wanted !== undefined && wanted !== known.workspace_id) {
        return yield* new Errors.Forbidden({
          code: "workspace_mismatch",
          detail: "An API key acts in the workspace in which it was made"
        })
      }
      const device_id = request.headers["device-id"] ?? null
      if (device_id !== null && !Ids.isClientMade("sy", device_id)) {
        return yield* new Errors.BadRequest({
          code: "invalid_header",
          detail: "Device-Id must be sy_ and 16 to 40 of [0-9A-Za-z_-]"
        })
      }
      const principal: PrincipalShape = {
        ...known,
        device_id,
        ip: Option.getOrNull(request.remoteAddress)
      }
      return principal
    })

    return Authorization.of({
      bearer: (handler, { credential, endpoint }) => {
        const access = Context.getOption(endpoint.annotations, Access)
        if (Option.isNone(access)) return Effect.die(new Error(`${endpoint.identifier} declares no right`))
        return Effect.flatMap(authorize(credential, access.value), (principal) =>
          Effect.map(Effect.provideService(handler, Principal, principal), (response) => {
            if (response.status < 400) credentials.used(principal.workspace_id, principal.credential_id)
            return response
          }))
      }
    })
  })
)

const isSheafError = (error: unknown): error is Errors.SheafError =>
  Errors.all.some((constructor) => error instanceof constructor)

/** What a schema refused: the body 422 with each field, an id in the path 404, anything else of the request 400. */
const fromSchema = (error: HttpApiError.HttpApiSchemaError): Errors.SheafError => {
  if (error.kind === "Params") return Errors.NotFound.of("resource")
  if (error.kind !== "Payload") {
    const { detail } = invalidFrom(error.cause.issue)
    return new Errors.BadRequest({ code: "invalid_parameter", detail })
  }
  const { issue } = error.cause
  if (issue._tag === "InvalidValue" && issue.annotations?.message === "Expected a valid JSON body") {
    return new Errors.BadRequest({ code: "malformed_json", detail: "The body is not valid JSON" })
  }
  return invalidFrom(issue)
}

/** The answer of an endpoint: its own, or the problem that its failure is. */
export const answered = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.matchCauseEffect(handler, {
    onSuccess: Effect.succeed,
    onFailure: (cause) => {
      const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
      if (isSheafError(failure)) return problemOf(failure)
      if (HttpApiError.HttpApiSchemaError.is(failure) && failure.kind !== "Body") return problemOf(fromSchema(failure))
      return Effect.failCause(cause)
    }
  })

export const ProblemsHttp = Layer.succeed(Problems, answered)
