import { domainToASCII } from "node:url"
import { checked, Text } from "./Text.ts"

const longest = 254
const longestLocal = 64

/** Atoms of RFC 5321 and RFC 6531 with dots between: letters of any script. Quoted names and address literals are refused. */
const local = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const domain = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const split = (email: string): readonly [string, string] => {
  const at = email.lastIndexOf("@")
  return [email.slice(0, at), email.slice(at + 1)]
}

export const isEmail = (email: string): boolean => {
  if (!email.includes("@") || Buffer.byteLength(email) > longest) return false
  const [name, host] = split(email)
  return Buffer.byteLength(name) <= longestLocal && local.test(name) && domain.test(domainToASCII(host))
}

/**
 * What two spellings of one address have in common: compatibility forms (NFKC), upper and lower case, and a domain in
 * its own script or as Punycode are the same. Letters that only look alike (homoglyphs) are different addresses.
 */
export const emailKey = (email: string): string => {
  const [name, host] = split(email.normalize("NFKC").toLowerCase())
  return `${name}@${domainToASCII(host)}`
}

export const Email = Text.check(
  checked("invalid_email", "must be an e-mail address", isEmail, { format: "idn-email" })
)

/** What of an address is looked for, as a part of a key. */
export const emailPart = (text: string): string => text.includes("@") ? emailKey(text) : text.normalize("NFKC").toLowerCase()
