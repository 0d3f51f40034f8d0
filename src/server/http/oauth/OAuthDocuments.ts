import { appScopes } from "../../../../services/identity/Scopes.ts"

/** Where programs find how to get access, made from PUBLIC_URL alone: a header must not lead them elsewhere. */

/** The metadata of the authorization server (RFC 8414, RFC 9207, RFC 7591, Client ID Metadata Document). */
export const serverDocument = (publicUrl: string) => ({
  issuer: publicUrl,
  authorization_endpoint: `${publicUrl}/oauth/authorize`,
  token_endpoint: `${publicUrl}/oauth/token`,
  registration_endpoint: `${publicUrl}/oauth/register`,
  revocation_endpoint: `${publicUrl}/oauth/revoke`,
  scopes_supported: appScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${publicUrl}/docs/guides/mcp`
})

/** The metadata of a protected resource (RFC 9728). */
export const resourceDocument = (publicUrl: string, path: "" | "/mcp") => ({
  resource: `${publicUrl}${path}`,
  authorization_servers: [publicUrl],
  scopes_supported: appScopes,
  bearer_methods_supported: ["header"],
  resource_name: "Sheaf",
  resource_documentation: `${publicUrl}/docs${path === "" ? "" : "/guides/mcp"}`
})

const wellKnown = "/.well-known/oauth-protected-resource"

/** The address of the metadata of `/mcp`, for the header WWW-Authenticate. */
export const mcpResourceUrl = (publicUrl: string): string => {
  const { origin, pathname } = new URL(publicUrl)
  return `${origin}${wellKnown}${pathname.replace(/\/$/, "")}/mcp`
}

/** The documents by their paths: with a path in PUBLIC_URL, it follows the well-known one. */
export const documentsOf = (publicUrl: string): ReadonlyMap<`/${string}`, object> => {
  const path = new URL(publicUrl).pathname.replace(/\/$/, "")
  return new Map<`/${string}`, object>([
    ["/.well-known/oauth-authorization-server", serverDocument(publicUrl)],
    [`/.well-known/oauth-authorization-server${path}`, serverDocument(publicUrl)],
    [wellKnown, resourceDocument(publicUrl, "")],
    [`${wellKnown}${path}`, resourceDocument(publicUrl, "")],
    [`${wellKnown}/mcp`, resourceDocument(publicUrl, "/mcp")],
    [`${wellKnown}${path}/mcp`, resourceDocument(publicUrl, "/mcp")]
  ])
}
