import { Cause, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as Errors from "../../../../services/Errors.ts"
import { DiskSpace } from "../../../../services/files/DiskSpace.ts"
import { invalidFrom } from "../../../../services/Text.ts"
import { Problems } from "../../api/Authorization.ts"
import { adds } from "./DiskSpaceHttp.ts"
import { faultAt, locate } from "./JsonSyntax.ts"
import { problemOf } from "../responses/Problem.ts"

/** The error for a value that a schema refused: 422 for the body, with each field; 404 for the path; 400 for the rest. */
const fromSchema = (error: HttpApiError.HttpApiSchemaError): Errors.SheafError => {
  if (error.kind === "Params") return Errors.NotFound.of("resource")
  if (error.kind !== "Payload") {
    const { detail } = invalidFrom(error.cause.issue)
    return new Errors.BadRequest({ code: "invalid_parameter", detail })
  }
  return invalidFrom(error.cause.issue)
}

/** Whether the body is not JSON. */
const isNoJson = (error: unknown): boolean =>
  HttpApiError.HttpApiSchemaError.is(error) &&
  error.kind === "Payload" &&
  error.cause.issue._tag === "InvalidValue" &&
  error.cause.issue.annotations?.message === "Expected a valid JSON body"

/** The error for a malformed JSON body, with the position. */
export const malformed = (text: string): Errors.BadRequest => {
  const position = faultAt(text) ?? text.length
  const { column, line } = locate(text, position)
  return new Errors.BadRequest({
    code: "malformed_json",
    detail:
      position === text.length
        ? "The body ends before the end of its JSON"
        : `The body is not valid JSON at line ${line}, column ${column}`,
    extra: { position }
  })
}

/** The same for the body of the current request. */
const malformedHere = Effect.gen(function* () {
  const text = yield* Effect.orDie((yield* HttpServerRequest.HttpServerRequest).text)
  return yield* problemOf(malformed(text))
})

/** The response of an endpoint, or the problem for its failure. */
export const withProblems = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.matchCauseEffect(handler, {
    onSuccess: Effect.succeed,
    onFailure: (cause) => {
      const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
      if (Errors.isSheafError(failure)) return problemOf(failure)
      if (HttpApiError.HttpApiSchemaError.is(failure) && failure.kind !== "Body") {
        return isNoJson(failure) ? malformedHere : problemOf(fromSchema(failure))
      }
      return Effect.failCause(cause)
    }
  })

export const ProblemsHttp = Layer.effect(
  Problems,
  // On a full disk, requests that need space are refused before they reach the database.
  Effect.map(DiskSpace, ({ room }) =>
    Problems.of((handler, { endpoint }) => withProblems(adds(endpoint) ? Effect.andThen(room, handler) : handler))
  )
)
