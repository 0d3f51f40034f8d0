import { exampleOrigin } from "../../../services/Fields.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { exampleOf } from "./Examples.ts"
import { clientId, oauthSchemas, redirectUri, resource, scope, text } from "./OAuthSchemas.ts"
import { headersOf } from "./Parameters.ts"
import { failuresOf } from "./Responses.ts"

type Json = Readonly<Record<string, any>>

/** The operations of OAuth, which are below PUBLIC_URL and not below `{base_url}`, and not part of `Api`. */
export const oauthTag = {
  name: "OAuth",
  description:
    "What programs send to get access by OAuth 2.1. These paths are below the address of the server, without `/v2`, and need no credential: clients are public, and prove their requests by PKCE."
}

const requestId = { $ref: "#/components/parameters/RequestId" }

const schemaOf = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const bodyOf = (type: string, name: string): Json => {
  const schema = schemaOf(name)
  return { required: true, content: { [type]: { schema, example: exampleOf(schema, oauthSchemas) } } }
}

const success = (description: string, name: string, ...headers: ReadonlyArray<string>): Json => {
  const { content } = bodyOf("application/json", name)
  return { description, headers: headersOf("Request-Id", ...headers), content }
}

/** The codes of problems, which responses from before the endpoint have. */
const codes: ReadonlyArray<ProblemCode> = ["invalid_header", "internal_error", "service_unavailable", "overloaded"]

const errorForm = { "application/json": { schema: schemaOf("OAuthError") } }
const problemForm = { "application/problem+json": { schema: schemaOf("Problem") } }

/** The failures of an endpoint for programs: errors of OAuth, and problems from before the endpoint. */
const failures: Json = {
  400: {
    description: "The request is refused.",
    headers: headersOf("Request-Id"),
    content: { ...errorForm, ...problemForm }
  },
  404: { description: "The workspace of the app has gone.", headers: headersOf("Request-Id"), content: errorForm },
  ...failuresOf(["payload_too_large", "internal_error"]),
  429: {
    description: "Too many requests in a period.",
    headers: headersOf("Request-Id", "Retry-After"),
    content: errorForm
  },
  503: {
    description: "The server cannot handle the request now.",
    headers: headersOf("Request-Id", "Retry-After"),
    content: { ...errorForm, ...problemForm }
  }
}

const operation = (id: string, summary: string, description: string, more: Json): Json => ({
  operationId: id,
  tags: [oauthTag.name],
  summary,
  description,
  servers: [{ url: exampleOrigin }],
  "x-problem-codes": codes,
  security: [],
  parameters: [requestId],
  ...more
})

/** An operation for programs. */
const post = (id: string, summary: string, description: string, body: Json, responses: Json): Json => ({
  post: operation(id, summary, description, {
    "x-problem-codes": ["payload_too_large", ...codes],
    requestBody: body,
    responses: { ...responses, ...failures }
  })
})

const documentOf = (id: string, summary: string, description: string, name: string): Json => ({
  get: operation(id, summary, description, {
    parameters: [{ $ref: "#/components/parameters/IfNoneMatch" }, requestId],
    responses: {
      200: success("The document.", name, "ETag"),
      304: { $ref: "#/components/responses/NotModified" },
      ...failuresOf(codes)
    }
  })
})

const query = (name: string, required: boolean, { description, examples, ...schema }: Json): Json => ({
  name,
  in: "query",
  required,
  description,
  schema,
  ...(examples === undefined ? {} : { example: examples[0] })
})

const form = "application/x-www-form-urlencoded"
const challenge = text("The challenge of PKCE.", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", {
  pattern: "^[\\w-]{43}$"
})
const authorizeCodes: ReadonlyArray<ProblemCode> = ["invalid_parameter", "rate_limited", ...codes]

export const oauthPaths: Json = {
  "/.well-known/oauth-authorization-server": documentOf(
    "getAuthorizationServer",
    "Get the authorization server",
    "The addresses and abilities of the authorization server (RFC 8414). With a path in `PUBLIC_URL`, the document is also below it.",
    "OAuthServerMetadata"
  ),
  "/.well-known/oauth-protected-resource": documentOf(
    "getProtectedResource",
    "Get the protected resource",
    "Names the authorization server of the API (RFC 9728); `/.well-known/oauth-protected-resource/mcp` that of the MCP server.",
    "OAuthResourceMetadata"
  ),
  "/oauth/authorize": {
    get: operation(
      "authorizeApp",
      "Ask a user for access",
      "For browsers: leads to the console, where the user allows or refuses the request. Then the browser goes to the redirect URI with `code`, `state` and `iss`. The errors of a request are shown, and not sent to the client.",
      {
        "x-problem-codes": authorizeCodes,
        parameters: [
          query("response_type", true, { type: "string", const: "code", description: "Always `code`." }),
          query("client_id", true, clientId),
          query("redirect_uri", true, redirectUri),
          query("code_challenge", true, challenge),
          query("code_challenge_method", true, { type: "string", const: "S256", description: "Always `S256`." }),
          query("state", false, text("Comes back to the client.", "xyz")),
          query("scope", false, scope),
          query("resource", false, resource),
          requestId
        ],
        responses: {
          303: { description: "The console.", headers: headersOf("Request-Id", "Location") },
          ...failuresOf(authorizeCodes)
        }
      }
    )
  },
  "/oauth/token": post(
    "exchangeToken",
    "Exchange a code or a refresh token",
    "Returns an access token and the next refresh token.",
    bodyOf(form, "OAuthTokenRequest"),
    { 200: success("The tokens.", "OAuthTokens") }
  ),
  "/oauth/revoke": post(
    "revokeToken",
    "End a token",
    "Ends the app that a token belongs to (RFC 7009). An unknown token is no error.",
    bodyOf(form, "OAuthRevocation"),
    { 200: { description: "The token has ended.", headers: headersOf("Request-Id") } }
  ),
  "/oauth/register": post(
    "registerClient",
    "Register a client",
    "Registers a public client (RFC 7591), at most 20 an hour from one network. The same metadata have the same id.",
    bodyOf("application/json", "OAuthClientMetadata"),
    { 201: success("The client.", "OAuthClient") }
  )
}
