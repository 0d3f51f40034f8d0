import { Context, Effect, Exit, Layer } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { Randomness } from "../../../../services/Randomness.ts"
import * as Errors from "../../../../services/Errors.ts"
import { Principal } from "../../../../services/Principal.ts"
import {
  type Attempt,
  type Claim,
  CurrentAttempt,
  IdempotencyKeys
} from "../../../../services/writer/IdempotencyKeys.ts"
import { DryRunnable, Idempotency, ReadOnly, ShownOnce } from "../../api/Conventions.ts"
import { Writer } from "../../../../services/writer/Writer.ts"
import { isDry, preferDryRun } from "./Prefer.ts"
import { withProblems } from "./ProblemsHttp.ts"
import { mediaType } from "./RequestValidationHttp.ts"
import * as Fingerprint from "./Fingerprint.ts"
import { problemOf, requestId } from "../responses/Problem.ts"
import { isForm } from "../server/Uploads.ts"

const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** Whether a response is not stored, because a repetition of the request may get another one (contract 2). */
const isTransient = (status: number): boolean => status >= 500 || [401, 403, 409, 429].includes(status)

interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const digest = (...parts: ReadonlyArray<string | Uint8Array>): string =>
  hash(
    "sha256",
    Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from(part as string), Buffer.from([0])]))),
    "base64url"
  )

/** Removes the password, so that a stored hash does not help to guess it. */
const withoutPassword = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("current_password" in value)) return value
  const { current_password: _, ...others } = value
  return others
}

/** A hash of the query and the body of a request. */
const fingerprintOf = (request: HttpServerRequest.HttpServerRequest, query: string, body: ArrayBuffer): string => {
  if (body.byteLength > 0 && mediaType(request.headers["content-type"]) === "application/json") {
    try {
      return Fingerprint.ofJson(query, withoutPassword(JSON.parse(Buffer.from(body).toString())))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return Fingerprint.ofBytes(query, new Uint8Array(body))
}

const replayed = HttpServerResponse.setHeader("idempotent-replayed", "true")

type Keyed = <E, R>(
  parts: ReadonlyArray<string>,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * For a form with a file, whose body only the handler reads: runs the rest of the request under its Idempotency-Key, if
 * any, once the content of the body is known (contract 2).
 */
export const UnderKey = Context.Reference<Keyed>("sheaf/http/pipeline/UnderKey", {
  defaultValue: () => (_, handler) => handler
})

export const IdempotencyHttp = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const keys = yield* IdempotencyKeys
    const randomness = yield* Randomness
    const { dryRun } = yield* Writer

    /** Runs the request under a claimed key to its end, also when the caller disconnects. */
    const carryOut = Effect.fnUntraced(function* <E, R>(
      attempt: Attempt,
      isShownOnce: boolean,
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) {
      const exit = yield* Effect.exit(Effect.provideService(withProblems(handler), CurrentAttempt, attempt))
      // A result is stored with its change. If storing it here fails, the response is sent nevertheless.
      if (Exit.isSuccess(exit) && !isTransient(exit.value.status)) {
        const { body, headers, status } = exit.value
        if (isShownOnce && status < 400) yield* Effect.ignore(keys.withhold(attempt))
        // A write has already stored its result.
        else if (body._tag === "Uint8Array" && (attempt.writes === 0 || status >= 400)) {
          const text = Buffer.from(body.body).toString()
          yield* Effect.ignore(
            keys.answer(attempt, { status, headers: { ...headers }, body: text } satisfies StoredResponse)
          )
        }
      } else {
        yield* Effect.ignore(keys.release(attempt))
      }
      return attempt.replayed ? Effect.map(exit, replayed) : exit
    }, Effect.flatten)

    const under = Effect.fnUntraced(function* <E, R>(
      key: string,
      request: HttpServerRequest.HttpServerRequest,
      isShownOnce: boolean,
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) {
      if (!visibleAscii.test(key)) {
        return yield* problemOf(
          new Errors.BadRequest({
            code: "invalid_header",
            detail: "Idempotency-Key must be 1 to 255 visible ASCII characters"
          })
        )
      }
      const { credential_id, workspace_id } = yield* Principal
      const [path = "", query = ""] = request.url.split("?", 2)
      const id = digest(credential_id, request.method, path, key)
      if (isForm(request)) {
        const keyed: Keyed = (parts, rest) =>
          Effect.uninterruptible(
            Effect.flatMap(keys.claim({ workspace_id, id, fingerprint: digest(query, ...parts) }), (claim) =>
              claimed(claim, request, isShownOnce, rest)
            )
          ) as typeof rest
        return yield* Effect.provideService(handler, UnderKey, keyed)
      }
      const body = yield* Effect.orDie(request.arrayBuffer)
      const fingerprint = fingerprintOf(request, query, body)
      // If the caller disconnected between the claim and the request, the key would stay claimed.
      return yield* Effect.uninterruptible(
        Effect.gen(function* () {
          const claim = yield* keys.claim({ workspace_id, id, fingerprint })
          if (claim._tag !== "OtherRequest") return yield* claimed(claim, request, isShownOnce, handler)
          // A key of an earlier version, which compared bytes: the same bytes are the same request.
          const ofBytes = Fingerprint.ofBytes(query, new Uint8Array(body))
          return yield* claimed(
            yield* keys.claim({ workspace_id, id, fingerprint: ofBytes }),
            request,
            isShownOnce,
            handler
          )
        })
      )
    })

    const claimed = Effect.fnUntraced(function* <E, R>(
      claim: Claim,
      request: HttpServerRequest.HttpServerRequest,
      isShownOnce: boolean,
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) {
      switch (claim._tag) {
        case "Claimed":
          return yield* carryOut(claim.attempt, isShownOnce, handler)
        case "Answered": {
          const { body, headers, status } = claim.answer as StoredResponse
          // A problem has the id of the current request.
          const text =
            headers["content-type"] === "application/problem+json"
              ? JSON.stringify({ ...JSON.parse(body), request_id: requestId(randomness, request) })
              : body
          return replayed(
            HttpServerResponse.text(text, {
              status,
              headers: Headers.remove(Headers.fromInput(headers), "content-length"),
              contentType: headers["content-type"]
            })
          )
        }
        case "OtherRequest":
          return yield* problemOf(
            new Errors.Invalid({
              code: "idempotency_key_reused",
              detail: "This Idempotency-Key was used for another request"
            })
          )
        case "Running":
          return yield* problemOf(
            new Errors.Conflict({
              code: "idempotency_in_progress",
              detail: "A request with this Idempotency-Key is still running",
              retry_after: 1
            })
          )
        case "Erased":
          return yield* problemOf(
            new Errors.Conflict({
              code: "invalid_state",
              detail:
                "The response to this Idempotency-Key is not stored: it had a secret, was too large, or its resource was erased"
            })
          )
      }
    })

    return Idempotency.of((handler, { endpoint: { annotations, method } }) => {
      const takesKey = method === "POST" && !Context.get(annotations, ReadOnly)
      const isDryRunnable = Context.get(annotations, DryRunnable)
      if (!takesKey && !isDryRunnable) return handler
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        // The request itself, later, has the key.
        if (isDryRunnable && isDry(request)) {
          preferDryRun(request)
          return dryRun(handler)
        }
        const key = request.headers["idempotency-key"]
        return key === undefined || !takesKey
          ? handler
          : under(key, request, Context.get(annotations, ShownOnce), handler)
      })
    })
  })
)
