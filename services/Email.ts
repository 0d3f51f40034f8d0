import { Schema, SchemaTransformation } from "effect"
import { domainToASCII } from "node:url"
import { checked, Text, trimmed } from "./Text.ts"

const longest = 254
const longestLocal = 64

/**
 * A part between the dots of a local part (RFC 5321 and RFC 6531): letters of any script, without invisible ones. Quoted
 * names and address literals are refused.
 */
const atom = /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u
/**
 * The characters of a host name. The runtime must not see others: it stops reading at `/`, `?` and `#`, decodes `%`, and
 * drops invisible characters, so that two addresses would have one key and only one of them would get the mail.
 */
const host = /^(?!.*(?!\p{Join_C})\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Nd}\p{Join_C}.\u3002\uff0e\uff61-]+$/u
/** A domain as Punycode. The last label must not be a number: that would be an IPv4 address in one of its many forms. */
const domain = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Decodes a text without the white space around it. */
export const trimming = (text: Schema.Codec<string>): Schema.Codec<string> =>
  text.pipe(Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: trimmed, encode: trimmed })))

/** Names that a program which forwards the address could take for an option, or decode to a line break. */
const suspicious = /^-|%0[ad]/i

const split = (email: string): readonly [string, string] => {
  const at = email.lastIndexOf("@")
  return [email.slice(0, at), email.slice(at + 1)]
}

export const isEmail = (email: string): boolean => {
  if (!email.includes("@") || Buffer.byteLength(email) > longest) return false
  const [name, at] = split(email)
  return (
    Buffer.byteLength(name) <= longestLocal &&
    !suspicious.test(name) &&
    name.split(".").every((each) => atom.test(each)) &&
    host.test(at) &&
    domain.test(domainToASCII(at))
  )
}

/**
 * Returns the key that all spellings of one address share: compatibility forms (NFKC), upper and lower case, and a domain
 * in its own script or as Punycode are the same. Addresses that only look alike (homoglyphs) are different.
 */
export const emailKey = (email: string): string => {
  const [name, at] = split(email.normalize("NFKC").toLowerCase())
  return `${name}@${domainToASCII(at)}`
}

/** Maximum number of characters of an address with white space around it. */
const longestWritten = 1_000

const isWrittenEmail = (text: string): boolean => text.length <= longestWritten && isEmail(trimmed(text))

/** An address, decoded without the white space around it. */
export const email = (about: Schema.Annotations.Bottom<string, readonly []> = {}) =>
  Text.check(checked("invalid_email", "must be an e-mail address", isWrittenEmail, { format: "idn-email" }))
    .annotate(about)
    .pipe(trimming)

/** Normalizes a part of an address that is searched for in keys. */
export const emailPart = (text: string): string =>
  text.includes("@") ? emailKey(text) : text.normalize("NFKC").toLowerCase()
