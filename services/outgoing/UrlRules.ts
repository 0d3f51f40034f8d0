import { isIP } from "node:net"
import { type AllowList, hostOf } from "./AllowList.ts"
import { isPublic } from "./PublicAddress.ts"

/** Maximum characters of a URL. */
export const urlLength = 2048

/** Ports of other protocols, whose servers could misread a request (Fetch standard, "port blocking"). */
const badPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080
])

/** Names that lead nowhere, or into the network of the resolver (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`). */
const isLocalName = (host: string): boolean =>
  !host.includes(".") || /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/.test(host)

/**
 * Why a URL of a user is refused, judged without resolving its name; undefined when it is not. The address of the name
 * is checked for each connection.
 */
export const refusalOf = (text: string, allow: AllowList): string | undefined => {
  if (text.length > urlLength) return `must be at most ${urlLength} characters`
  // URL parsers differ: they skip white space, and take one slash or three for two.
  if (!/^https?:\/\/[^/?#\s\\]/i.test(text)) return "must be a URL such as https://example.com/hook"
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return "must be a URL such as https://example.com/hook"
  const url = new URL(text)
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return "must not contain a user name or a password"
  }
  const host = hostOf(url)
  if (host.endsWith(".")) return "must name a host without a trailing dot"
  if (badPorts.has(Number(url.port || "443")))
    return `must not name port ${url.port}, which belongs to another protocol`
  if (allow.hasHost(url)) return undefined
  if (url.protocol !== "https:") return "must begin with https://"
  if (isIP(host) !== 0) return isPublic(host) ? undefined : "must name a public address"
  if (isLocalName(host) && !allow.hasNetworks) return "must name a public host"
  return undefined
}
