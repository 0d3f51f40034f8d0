/**
 * Where a client may be sent with an authorization code (OAuth 2.1, section 2.3; RFC 8252): HTTPS, the user's own machine,
 * or the private scheme of an app.
 */

/** Maximum characters of a redirect URI. */
export const uriLength = 2_000

/** Schemes that browsers run, or that lead elsewhere than to an app. */
const refusedSchemes: ReadonlySet<string> = new Set([
  "about:",
  "blob:",
  "chrome:",
  "content:",
  "data:",
  "file:",
  "filesystem:",
  "ftp:",
  "intent:",
  "javascript:",
  "mailto:",
  "resource:",
  "sms:",
  "tel:",
  "vbscript:",
  "view-source:",
  "ws:",
  "wss:"
])

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)

/** Whether the URI leads to a program on the user's machine, which any program there can pretend to be. */
export const isLocal = (uri: string): boolean => {
  const url = new URL(uri)
  return url.protocol !== "https:" || isLoopback(url)
}

/** Why a redirect URI is refused; undefined if it is not. */
export const refusalOf = (uri: string): string | undefined => {
  if (uri.length > uriLength) return `must be at most ${uriLength} characters`
  // URL parsers differ in these: they skip or replace them.
  if (/[\s\\\p{Cc}\p{Cs}"<>^`{|}]/u.test(uri) || !/^[a-z][a-z\d+.-]*:/i.test(uri) || !URL.canParse(uri)) {
    return "must be a URL such as https://app.example/callback"
  }
  const url = new URL(uri)
  if (uri.includes("#")) return "must not have a fragment"
  if (url.username !== "" || url.password !== "") return "must not contain a user name or a password"
  if (refusedSchemes.has(url.protocol)) return `must not have the scheme ${url.protocol}`
  if (url.protocol === "http:" && !isLoopback(url)) return "must begin with https://, unless it leads to localhost"
  if (/^https?:$/.test(url.protocol) && !/^https?:\/\/[^/?\\]/i.test(uri)) return "must have two slashes and a host"
  return undefined
}

/** A loopback URI without its port: a native app listens on any free one (RFC 8252, section 7.3). */
const withoutPort = (uri: string): string => {
  const url = new URL(uri)
  if (url.protocol !== "http:" || !isLoopback(url)) return uri
  return uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?[]+)):\d*/i, "$1")
}

/** The form in which a redirect URI is stored. */
export const stored = withoutPort

/** Whether a client that registered some URIs may be sent to another: the same text, but for the port of a loopback. */
export const isRegistered = (registered: ReadonlyArray<string>, uri: string): boolean => {
  const own = withoutPort(uri)
  return registered.some((each) => withoutPort(each) === own)
}

/** Adds parameters to a URI without changing its other bytes. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value)
  return `${uri}${uri.includes("?") ? "&" : "?"}${query}`
}

/** What a person recognizes of a URI: its host, or its scheme. */
export const placeOf = (uri: string): string => {
  const { host, protocol } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}
