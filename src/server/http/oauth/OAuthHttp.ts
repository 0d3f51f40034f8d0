import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest, type SheafError } from "../../../../services/Errors.ts"
import { Throttles } from "../../../../services/limits/Throttles.ts"
import { AppTokens } from "../../../../services/oauth/AppTokens.ts"
import { Authorizations } from "../../../../services/oauth/Authorizations.ts"
import { isDocument } from "../../../../services/oauth/ClientDocuments.ts"
import { Clients } from "../../../../services/oauth/Clients.ts"
import { OAuthError, refusal } from "../../../../services/oauth/OAuthError.ts"
import { withProblems } from "../pipeline/ProblemsHttp.ts"
import { prefixOf } from "../responses/HtmlPage.ts"
import { headOf } from "../responses/Problem.ts"
import * as Respond from "../responses/Respond.ts"
import { StaticResponse } from "../responses/StaticResponse.ts"
import { origin } from "../server/ClientAddress.ts"
import { documentsOf } from "./OAuthDocuments.ts"

const failure = (error: string, error_description: string, status: number, headers = {}) =>
  Respond.value({ error, error_description }, status, { ...Respond.unstored, ...headers })

/** Turns failures into those of the protocol (RFC 6749, section 5.2; RFC 7591, section 3.2.2). */
const failures = <E extends OAuthError | SheafError, R>(
  served: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.catch(served, (error: OAuthError | SheafError) => {
    if (error instanceof OAuthError) {
      return Effect.succeed(failure(error.code, error.description, error.code === "invalid_client" ? 401 : 400))
    }
    const { headers, status } = headOf(error)
    return Effect.succeed(
      failure(status === 503 ? "temporarily_unavailable" : error.code, error.detail, status, headers)
    )
  })

/** The form of a request (RFC 6749, appendix B). */
const form = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { "content-encoding": coding, "content-type": type = "" } = request.headers
  if (coding !== undefined || !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    return yield* refusal("invalid_request", "Send the form as application/x-www-form-urlencoded, without a coding")
  }
  return new URLSearchParams(yield* Effect.orDie(request.text))
})

/** Requests of programs and browsers by OAuth 2.1 (contract 4, Connected apps). No credential is needed. */
export const OAuthHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const authorizations = yield* Authorizations
      const clients = yield* Clients
      const tokens = yield* AppTokens
      const throttles = yield* Throttles

      for (const [path, document] of documentsOf(publicUrl)) {
        const headers = { "cache-control": "public, max-age=3600" }
        const { response } = new StaticResponse(JSON.stringify(document), { contentType: "application/json", headers })
        yield* router.add("GET", path, response)
      }

      // The errors of a request are shown, and not sent to the client: a client that registers itself could use this server to lead
      // browsers anywhere (RFC 9700, section 4.11).
      const authorize = Effect.gen(function* () {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const mark = url.indexOf("?")
        const query = mark < 0 ? "" : url.slice(mark)
        yield* throttles.authorization((yield* origin).ip)
        const parameters = new URLSearchParams(query)
        // A document is read for signed-in users alone, by the page: visitors must not make this server send requests.
        if (!isDocument(parameters.get("client_id") ?? "")) {
          yield* Effect.catchTag(authorizations.check(parameters), "OAuthError", ({ code, description }) =>
            Effect.fail(new BadRequest({ code: "invalid_parameter", detail: description, extra: { error: code } }))
          )
        }
        const location = `${prefixOf(publicUrl)}/console/settings/apps${query}`
        return HttpServerResponse.empty({ status: 303, headers: { ...Respond.unstored, location } })
      })
      yield* router.add("GET", "/oauth/authorize", withProblems(authorize))

      yield* router.add(
        "POST",
        "/oauth/token",
        failures(
          Effect.gen(function* () {
            return Respond.secret(yield* tokens.token(yield* form, yield* origin))
          })
        )
      )

      yield* router.add(
        "POST",
        "/oauth/revoke",
        failures(
          Effect.gen(function* () {
            yield* tokens.revoke(yield* form, yield* origin)
            return HttpServerResponse.empty({ status: 200, headers: Respond.unstored })
          })
        )
      )

      const register = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const metadata = yield* Effect.mapError(request.json, () =>
          refusal("invalid_client_metadata", "Send the metadata as JSON")
        )
        const client = yield* clients.register(metadata, (yield* origin).ip)
        return Respond.value(
          {
            client_id: client.id,
            client_id_issued_at: Math.floor(Date.parse(client.created_at) / 1000),
            client_name: client.name,
            // As they were sent: clients compare them.
            redirect_uris: (metadata as { readonly redirect_uris: ReadonlyArray<string> }).redirect_uris,
            token_endpoint_auth_method: "none",
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"]
          },
          201,
          Respond.unstored
        )
      })
      yield* router.add("POST", "/oauth/register", failures(register))
    })
  )
