import { Effect } from "effect"
import { appScopes } from "../identity/Scopes.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"

/** The parameters of a request, each given once (RFC 6749, section 3.1). */
export const single = Effect.fnUntraced(function* (
  form: URLSearchParams,
  name: string
): Effect.fn.Return<string | undefined, OAuthError> {
  const [first, ...more] = form.getAll(name)
  if (more.length > 0) return yield* refusal("invalid_request", `${name} is given more than once`)
  // An empty parameter counts as absent.
  return first === "" ? undefined : first
})

/** Like `single`, for a parameter that must be there. */
export const required = Effect.fnUntraced(function* (
  form: URLSearchParams,
  name: string
): Effect.fn.Return<string, OAuthError> {
  return (yield* single(form, name)) ?? (yield* refusal("invalid_request", `${name} is missing`))
})

/** Returns the scopes that are asked for and that an app can have, in the order of the server; all if none are asked for. */
export const scopesOf = Effect.fnUntraced(function* (
  form: URLSearchParams
): Effect.fn.Return<ReadonlyArray<string>, OAuthError> {
  const asked = (yield* single(form, "scope"))?.split(" ")
  // Hosts also ask for scopes of other servers, such as offline_access.
  const known = appScopes.filter((scope) => asked?.includes(scope) ?? true)
  return known.length > 0 ? known : yield* refusal("invalid_scope", `The scopes are: ${appScopes.join(" ")}`)
})

/**
 * Refuses a resource (RFC 8707) that is not this server. Hosts name its origin, with or without a slash, or the address of
 * its MCP server. A token is valid for the whole server, so the one that was named is not stored.
 */
export const checkResource = Effect.fnUntraced(function* (
  form: URLSearchParams,
  publicUrl: string
): Effect.fn.Return<void, OAuthError> {
  for (const resource of form.getAll("resource")) {
    const [url, own] = [URL.parse(resource), new URL(publicUrl)]
    const path = url?.pathname.replace(/\/$/, "")
    const prefix = own.pathname.replace(/\/$/, "")
    if (url?.origin !== own.origin || (path !== prefix && path !== `${prefix}/mcp`) || url.search + url.hash !== "") {
      return yield* refusal("invalid_target", `The resource is ${publicUrl}/mcp`)
    }
  }
})
