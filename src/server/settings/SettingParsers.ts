import { Redacted } from "effect"
import { availableParallelism } from "node:os"
import { parseNetwork } from "../../../services/limits/Network.ts"
import { Wrong } from "./Variables.ts"

/** Parsers of environment variables: each returns undefined for a text that is not valid. */

export const whole = (min: number, max: number) => (text: string) =>
  /^[0-9]{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

/** A number of processes; `auto` leaves one processor to PostgreSQL and the parent. */
export const workers = (text: string): number | undefined =>
  text === "auto" ? Math.min(64, Math.max(1, availableParallelism() - 1)) : whole(1, 64)(text)

export const text = (pattern: RegExp) => (value: string) => (pattern.test(value) ? value : undefined)

/** The same, for a secret. */
export const secret = (pattern: RegExp) => (value: string) => (pattern.test(value) ? Redacted.make(value) : undefined)

export const oneOf =
  <const A extends ReadonlyArray<string>>(values: A) =>
  (text: string): A[number] | undefined =>
    values.find((value) => value === text.toLowerCase())

export const plainUrl = "an http or https URL without user, password, query and fragment"

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** A URL that all libraries parse alike: without whitespace, which some strip, and with percent-encoded UTF-8 only. */
export const url =
  (...protocols: ReadonlyArray<string>) =>
  (text: string): string | undefined =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) && !/[\s\p{Cc}]/u.test(text) && isDecodable(text)
      ? text
      : undefined

/** The same, with a host. */
export const server =
  (...protocols: ReadonlyArray<string>) =>
  (text: string): Redacted.Redacted | undefined =>
    url(...protocols)(text) !== undefined && new URL(text).hostname !== "" ? Redacted.make(text) : undefined

const truth = /^(true|false)$/
const count = /^[1-9]\d{0,8}$/
const word = /^[\w.:-]{1,255}$/

/** The options of nodemailer that the query of SMTP_URL may set. It would ignore others without a word. */
const smtpOptions: Readonly<Record<string, RegExp>> = {
  name: word,
  requireTLS: truth,
  ignoreTLS: truth,
  opportunisticTLS: truth,
  authMethod: word,
  localAddress: word,
  pool: truth,
  maxConnections: count,
  maxMessages: count,
  rateLimit: count,
  rateDelta: count,
  dnsTimeout: count,
  connectionTimeout: count,
  greetingTimeout: count,
  socketTimeout: count,
  "tls.rejectUnauthorized": truth,
  "tls.servername": word,
  "tls.minVersion": /^TLSv1(\.[1-3])?$/,
  "tls.maxVersion": /^TLSv1(\.[1-3])?$/,
  "tls.ciphers": /^[\w.:!+@=-]{1,1000}$/
}

/** A URL of a mail server. A part of a password that is not encoded can be in the query, so no message repeats it. */
export const smtp = (text: string): Redacted.Redacted | Wrong | undefined => {
  const address = server("smtp:", "smtps:")(text)
  if (address === undefined) return undefined
  const options = [...new URL(text).searchParams]
  if (options.some(([name]) => !Object.hasOwn(smtpOptions, name)))
    return new Wrong(`has an unknown option in its query: options are ${Object.keys(smtpOptions).join(", ")}`)
  const wrong = options.find(([name, value], index) => {
    const isRepeated = options.findIndex(([other]) => other === name) !== index
    return isRepeated || !smtpOptions[name]!.test(value)
  })
  return wrong === undefined ? address : new Wrong(`has the option ${wrong[0]} with a wrong value, or twice`)
}

/** A Redis URL, whose path is empty or the number of a database. */
export const redis = (text: string): Redacted.Redacted | undefined => {
  const address = server("redis:", "rediss:")(text)
  return address !== undefined && /^\/?\d*$/.test(new URL(text).pathname) ? address : undefined
}

/** An http or https URL, with any path and query. */
export const webUrl = url("http:", "https:")

/** A URL to which paths are added: without query and fragment, and without a password, which others would see. */
export const baseUrl = (text: string): string | undefined => {
  if (webUrl(text) === undefined) return undefined
  const { password, username } = new URL(text)
  return username === "" && password === "" && !/[?#]/.test(text) ? text : undefined
}

/** The URL to which `/v2`, `/docs` and other paths are added. */
export const publicUrlOf = (text: string): string | undefined =>
  baseUrl(text) !== undefined && !/\/v2\/*$/.test(new URL(text).pathname) ? text : undefined

/** A host in URL syntax: IPv6 in brackets, without the zone, which is valid on this machine only. */
export const hostOf = (host: string): string => (host.includes(":") ? `[${host.replace(/%.*$/, "")}]` : host)

const loopbacks: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** Whether a listener at this host is reached by other machines at addresses of its own. */
export const isWildcard = (host: string): boolean => Object.hasOwn(loopbacks, host)

/** The host in URL syntax by which this machine reaches a listener. */
export const reachableHost = (host: string): string => hostOf(loopbacks[host] ?? host)

export const isHost = (text: string): boolean =>
  /^[^\s/?#@\\[\]]+$/.test(text) && URL.canParse(`http://${hostOf(text)}`)

/** 32 bytes in base64 or base64url. */
export const parseKey = (text: string): Redacted.Redacted<Uint8Array> | undefined => {
  if (!/^[0-9A-Za-z+/_-]{43}=?$/.test(text.trim())) return undefined
  const bytes = new Uint8Array(Buffer.from(text.trim(), "base64"))
  return bytes.length === 32 ? Redacted.make(bytes) : undefined
}

/** Percent-encoded `name=value` pairs, the format of OpenTelemetry. */
export const parsePairs = (text: string): Redacted.Redacted<Readonly<Record<string, string>>> | undefined => {
  const pairs = text.split(",").map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair))
  try {
    const headers = pairs.map((pair) => [pair![1]!, decodeURIComponent(pair![2]!)] as const)
    // The characters of a header value (RFC 9110, section 5.5).
    return headers.every(([, value]) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      ? Redacted.make(Object.fromEntries(headers))
      : undefined
  } catch {
    return undefined
  }
}

export const parseList =
  (isItem: (item: string) => boolean) =>
  (text: string): ReadonlyArray<string> | undefined => {
    const items = text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
    return items.every(isItem) ? items : undefined
  }

/** A single address counts as a network. */
export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined

const units = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const

const minBackupEvery = 5 * units.minute
const maxBackupEvery = 366 * units.day

/** Milliseconds of a duration such as `1 day`. */
export const interval = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6}) ?(minute|hour|day|week)s?$/.exec(text.toLowerCase()) ?? []
  const millis = Number(count) * units[unit as keyof typeof units]
  return millis >= minBackupEvery && millis <= maxBackupEvery ? millis : undefined
}
