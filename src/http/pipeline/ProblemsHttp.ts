import { Cause, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as Errors from "../../../services/Errors.ts"
import { DiskSpace } from "../../../services/files/DiskSpace.ts"
import { invalidFrom } from "../../../services/Text.ts"
import { Problems } from "../../api/Authorization.ts"
import { adds } from "./DiskSpaceHttp.ts"
import { faultAt, locate } from "./JsonSyntax.ts"
import { problemOf } from "../responses/Problem.ts"

const isSheafError = (error: unknown): error is Errors.SheafError =>
  Errors.all.some((constructor) => error instanceof constructor)

/** What a schema refused: the body 422 with each field, an id in the path 404, anything else of the request 400. */
const fromSchema = (error: HttpApiError.HttpApiSchemaError): Errors.SheafError => {
  if (error.kind === "Params") return Errors.NotFound.of("resource")
  if (error.kind !== "Payload") {
    const { detail } = invalidFrom(error.cause.issue)
    return new Errors.BadRequest({ code: "invalid_parameter", detail })
  }
  return invalidFrom(error.cause.issue)
}

/** Whether what the endpoint was sent is no JSON. */
const isNoJson = (error: unknown): boolean =>
  HttpApiError.HttpApiSchemaError.is(error) &&
  error.kind === "Payload" &&
  error.cause.issue._tag === "InvalidValue" &&
  error.cause.issue.annotations?.message === "Expected a valid JSON body"

/** Says where a text stops being JSON. */
export const malformed = (text: string): Errors.BadRequest => {
  const position = faultAt(text) ?? text.length
  const { column, line } = locate(text, position)
  return new Errors.BadRequest({
    code: "malformed_json",
    detail:
      position === text.length
        ? "The body ends before its JSON does"
        : `The body is not valid JSON from line ${line}, column ${column} on`,
    extra: { position }
  })
}

/** Of a body, which the request still holds. */
const malformedHere = Effect.gen(function* () {
  const text = yield* Effect.orDie((yield* HttpServerRequest.HttpServerRequest).text)
  return yield* problemOf(malformed(text))
})

/** The answer of an endpoint: its own, or the problem that its failure is. */
export const answered = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.matchCauseEffect(handler, {
    onSuccess: Effect.succeed,
    onFailure: (cause) => {
      const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
      if (isSheafError(failure)) return problemOf(failure)
      if (HttpApiError.HttpApiSchemaError.is(failure) && failure.kind !== "Body") {
        return isNoJson(failure) ? malformedHere : problemOf(fromSchema(failure))
      }
      return Effect.failCause(cause)
    }
  })

export const ProblemsHttp = Layer.effect(
  Problems,
  // What adds is refused on a full disk before anything reaches the database.
  Effect.map(DiskSpace, ({ room }) =>
    Problems.of((handler, { endpoint }) => answered(adds(endpoint) ? Effect.andThen(room, handler) : handler))
  )
)
