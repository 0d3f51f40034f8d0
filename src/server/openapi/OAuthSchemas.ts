import { exampleOrigin } from "../../../services/Fields.ts"
import { appScopes } from "../../../services/identity/Scopes.ts"
import { oauthCodes } from "../../../services/oauth/OAuthError.ts"
import { resourceDocument, serverDocument } from "../http/oauth/OAuthDocuments.ts"

type Json = Readonly<Record<string, any>>

/** The bodies of OAuth, which are not JSON of the API. */

export const text = (description: string, example: string, more: Json = {}): Json => ({
  type: "string",
  description,
  examples: [example],
  ...more
})

const object = (description: string, properties: Json, optional: ReadonlyArray<string> = []): Json => ({
  type: "object",
  description,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties
})

/** The schema of a document that has always the same members. */
const documentSchema = <Document extends object>(
  description: string,
  document: Document,
  members: Readonly<Record<keyof Document, string>>
): Json =>
  object(
    description,
    Object.fromEntries(
      Object.entries(document).map(([name, value]) => [
        name,
        {
          ...(Array.isArray(value) ? { type: "array", items: { type: "string" } } : { type: typeof value }),
          description: members[name as keyof Document],
          examples: [value]
        }
      ])
    )
  )

export const clientId = text("The id of the client, or the URL of its metadata document.", "oc_01kq3mZ8vT4sWx7Yb2Nc5E")
export const redirectUri = text("One of the redirect URIs of the client.", "https://example.com/callback")
export const resource = text("`PUBLIC_URL`, or the address of `/mcp` (RFC 8707).", `${exampleOrigin}/mcp`)
export const scope = text("Scopes, separated by spaces.", appScopes.slice(0, 2).join(" "))
const refreshToken = text("The refresh token.", "sfr_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G")
const clientName = text("The name that users see.", "My app")
const redirectUris = {
  type: "array",
  items: { type: "string" },
  description: "One to twenty redirect URIs.",
  examples: [["https://example.com/callback"]]
}
const onlyOf = (description: string, ...values: ReadonlyArray<string>): Json => ({
  type: "array",
  items: { type: "string" },
  description,
  examples: [values]
})
const clientMembers = {
  token_endpoint_auth_method: { const: "none", description: "Clients have no secret." },
  grant_types: onlyOf("With `authorization_code`.", "authorization_code", "refresh_token"),
  response_types: onlyOf("With `code`.", "code")
}

export const oauthSchemas: Json = {
  OAuthError: object("An error of OAuth (RFC 6749, section 5.2).", {
    error: text(
      `The code: ${oauthCodes.map((code) => `\`${code}\``).join(", ")}, \`temporarily_unavailable\`, or the code of a problem.`,
      "invalid_grant"
    ),
    error_description: text("The error, for the developer of the client.", "code_verifier is missing")
  }),
  OAuthCodeGrant: object(
    "An authorization code, within five minutes.",
    {
      grant_type: { const: "authorization_code", description: "For a code." },
      client_id: clientId,
      code: text("The code that the browser has brought.", "sfo_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"),
      code_verifier: text("The verifier of PKCE.", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
      redirect_uri: redirectUri,
      resource
    },
    ["redirect_uri", "resource"]
  ),
  OAuthRefreshGrant: object(
    "A refresh token, which is used once.",
    {
      grant_type: { const: "refresh_token", description: "For a refresh token." },
      client_id: clientId,
      refresh_token: refreshToken,
      resource
    },
    ["resource"]
  ),
  OAuthTokenRequest: {
    anyOf: [{ $ref: "#/components/schemas/OAuthCodeGrant" }, { $ref: "#/components/schemas/OAuthRefreshGrant" }]
  },
  OAuthTokens: object("The tokens of an app.", {
    access_token: text(
      "The token for the header Authorization. Valid for one hour.",
      "sfa_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"
    ),
    token_type: { const: "Bearer", description: "Always `Bearer`." },
    expires_in: {
      type: "integer",
      minimum: 0,
      description: "Seconds until the access token expires.",
      examples: [3600]
    },
    refresh_token: refreshToken,
    scope
  }),
  OAuthRevocation: object(
    "A token to end.",
    {
      token: text("An access token or a refresh token.", "sfr_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"),
      client_id: clientId,
      token_type_hint: text("Accepted and ignored.", "refresh_token")
    },
    ["client_id", "token_type_hint"]
  ),
  OAuthClientMetadata: object(
    "What a client says about itself (RFC 7591, section 2). Other members are ignored.",
    { client_name: clientName, redirect_uris: redirectUris, ...clientMembers },
    ["client_name", ...Object.keys(clientMembers)]
  ),
  OAuthClient: object("A registered client.", {
    client_id: clientId,
    client_id_issued_at: {
      type: "integer",
      minimum: 0,
      description: "When it was registered first, in Unix seconds.",
      examples: [1_772_366_400]
    },
    client_name: clientName,
    redirect_uris: redirectUris,
    ...clientMembers
  }),
  OAuthServerMetadata: documentSchema(
    "The metadata of the authorization server (RFC 8414).",
    serverDocument(exampleOrigin),
    {
      issuer: "The issuer, which is `PUBLIC_URL`.",
      authorization_endpoint: "Where browsers go.",
      token_endpoint: "Where codes and refresh tokens are exchanged.",
      registration_endpoint: "Where clients are registered (RFC 7591).",
      revocation_endpoint: "Where tokens are ended (RFC 7009).",
      scopes_supported: "The scopes that an app can have.",
      response_types_supported: "The response types.",
      response_modes_supported: "The response modes.",
      grant_types_supported: "The grant types.",
      token_endpoint_auth_methods_supported: "How clients authenticate: they do not.",
      revocation_endpoint_auth_methods_supported: "The same for revocation.",
      code_challenge_methods_supported: "The methods of PKCE.",
      client_id_metadata_document_supported: "A client may be known by the URL of its document.",
      authorization_response_iss_parameter_supported: "Responses in the browser have `iss` (RFC 9207).",
      service_documentation: "The guide."
    }
  ),
  OAuthResourceMetadata: documentSchema(
    "The metadata of a protected resource (RFC 9728).",
    resourceDocument(exampleOrigin, ""),
    {
      resource: "The resource.",
      authorization_servers: "The authorization server.",
      scopes_supported: "The scopes that an app can have.",
      bearer_methods_supported: "Where the access token is sent.",
      resource_name: "The name of the resource.",
      resource_documentation: "The guide."
    }
  )
}
