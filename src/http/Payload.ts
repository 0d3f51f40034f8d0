import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { atOnce, Budget } from "../../services/budgets/Budget.ts"
import { invalidFrom } from "../../services/Text.ts"
import { malformed } from "./ProblemsHttp.ts"
import { stateOf } from "./RequestState.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Remembers the value of a body, for the handler that asks for it. */
export const keep = (request: Request, value: unknown): void => {
  stateOf(request.source).body = { value }
}

const valueOf = Effect.fnUntraced(function* (request: Request) {
  const kept = stateOf(request.source).body
  if (kept !== undefined) return kept.value
  const text = yield* Effect.orDie(request.text)
  return yield* Effect.try({
    try: (): unknown => (text === "" ? undefined : JSON.parse(text)),
    catch: () => atOnce(malformed(text, new Budget()))
  })
})

/** Decodes a value as the body of an endpoint. */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (value: unknown) => Effect.mapError(decode(value), ({ issue }) => invalidFrom(issue))
}

/** Reads the body of an endpoint that is annotated as extensive. */
export const reader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = decoder(schema)
  return (request: Request) => Effect.flatMap(valueOf(request), decode)
}
