import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { invalidFrom } from "../../../../services/Text.ts"
import { malformed } from "./ProblemsHttp.ts"

/** Decodes a value as the body of an endpoint. */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (value: unknown) => Effect.mapError(decode(value), ({ issue }) => invalidFrom(issue))
}

/** Reads the JSON body of an endpoint that accepts other types too. */
export const reader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = decoder(schema)
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const text = yield* Effect.orDie(request.text)
    const value = yield* Effect.try({
      try: (): unknown => (text === "" ? undefined : JSON.parse(text)),
      catch: () => malformed(text)
    })
    return yield* decode(value)
  })
}
