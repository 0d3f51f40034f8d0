import { Redacted } from "effect"
import { parseNetwork } from "../services/limits/Network.ts"

/** Parsers of environment variables: each returns undefined for a text that is not valid. */

export const whole = (min: number, max: number) => (text: string) =>
  /^[0-9]{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

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

/** A Redis URL, whose path is empty or the number of a database. */
export const redis = (text: string): Redacted.Redacted | undefined => {
  const address = server("redis:", "rediss:")(text)
  return address !== undefined && /^\/?\d*$/.test(new URL(text).pathname) ? address : undefined
}

/** A URL to which paths are added: without query and fragment, and without a password, which others would see. */
export const baseUrl = (text: string): string | undefined => {
  if (url("http:", "https:")(text) === undefined) return undefined
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
