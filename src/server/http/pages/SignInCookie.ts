import type { HttpServerRequest } from "effect/http"

/**
 * The cookie with a sign-in that has begun. With https its name has the prefix by which browsers accept it from this host
 * only, so that no other host of the same domain can set it.
 */
const nameFor = (publicUrl: string): string => (publicUrl.startsWith("https:") ? "__Host-" : "") + "sheaf-sign-in"

/** Lax: the browser sends it when the provider leads back, and with no request of another site's page. */
const attributesFor = (publicUrl: string): string =>
  `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`

/** The header that sets the cookie for ten minutes, or ends it. */
export const setSignIn = (publicUrl: string, value: string | undefined): Readonly<Record<string, string>> => ({
  "set-cookie": `${nameFor(publicUrl)}=${value ?? ""}; Max-Age=${value === undefined ? 0 : 600}; ${attributesFor(publicUrl)}`
})

export const readSignIn = ({ headers }: HttpServerRequest.HttpServerRequest, publicUrl: string): string | undefined => {
  const start = `${nameFor(publicUrl)}=`
  const found = (headers["cookie"] ?? "").split(/; */).filter((pair) => pair.startsWith(start))
  // Two of them: one is not ours.
  return found.length === 1 ? found[0]!.slice(start.length) : undefined
}
