import { hash } from "node:crypto"
import type { RandomnessShape } from "../../Randomness.ts"
import type { Secrets } from "../../secrets/Secrets.ts"
import type { ListedShare, Share } from "./Share.ts"

const bytesOfToken = 16
/** Maximum number of cached tokens, of about 200 bytes each. */
const maxCached = 10_000
const tokenMember = ',"token":"'
const form = /^[\w-]{22}$/

/** Whether a text has the form of a token. Other texts need no query. */
export const isToken = (text: string): boolean => form.test(text)

export const hashOf = (token: string): string => hash("sha256", token, "hex")

/**
 * The links of shares. A token is 128 random bits. The database has its hash, to find it, and the token itself,
 * encrypted with a key that is not in the database: so responses can show the link again, and a copy of the database
 * opens no share. A token that is derived from the id and the key would change with the key; an encrypted one is
 * encrypted again.
 */
export const make = (publicUrl: string, secrets: Secrets["Service"], randomness: RandomnessShape) => {
  /** Recently decrypted tokens, by their encrypted form. */
  const known = new Map<string, string>()
  const keep = (sealed: string, token: string): string => {
    if (known.size >= maxCached) known.delete(known.keys().next().value!)
    known.set(sealed, token)
    return token
  }
  /** Returns null if no known key decrypts the token. The link is still valid, by the hash of the token. */
  const urlOf = (sealed: string): string | null => {
    const found = known.get(sealed)
    if (found !== undefined) return `${publicUrl}/s/${found}`
    const token = secrets.open("share-token", sealed)
    return token === undefined ? null : `${publicUrl}/s/${keep(sealed, token)}`
  }

  return {
    shown: ({ token, view_count, ...share }: ListedShare): Share => ({ ...share, view_count, url: urlOf(token) }),
    /** The same for JSON from the database, in which the token is the last member. */
    shownJson: (listed: string): string => {
      const place = listed.lastIndexOf(tokenMember)
      const sealed = listed.slice(place + tokenMember.length, -2)
      return `${listed.slice(0, place)},"url":${JSON.stringify(urlOf(sealed))}}`
    },
    fresh: () => {
      const token = randomness.bytes(bytesOfToken).toString("base64url")
      const sealed = secrets.seal("share-token", token)
      keep(sealed, token)
      return { token: sealed, token_hash: hashOf(token) }
    }
  }
}
