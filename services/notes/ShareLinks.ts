import { hash, randomBytes } from "node:crypto"
import type { Secrets } from "../storage/Secrets.ts"
import type { Share } from "./Share.ts"
import type { ListedShare } from "./ShareTable.ts"

const bytesOfToken = 16
const form = /^[\w-]{22}$/

/** Whether a text can be the token of a share at all: told without asking the database. */
export const isToken = (text: string): boolean => form.test(text)

export const hashOf = (token: string): string => hash("sha256", token, "hex")

/**
 * The links of shares. A token is 128 random bits. The database has its hash, by which it is found, and the token itself
 * sealed with a key that is not in the database, so that answers can show the link again, and a copy of the database
 * opens no share. Derived from the id by that key, it would end with the key; sealed, it is sealed anew.
 */
export const make = (publicUrl: string, secrets: Secrets["Service"]) => {
  const shown = ({ token, view_count, ...share }: ListedShare): Share => ({
    ...share,
    url: `${publicUrl}/s/${secrets.open("share-token", token)}`,
    view_count
  })
  return {
    shown,
    fresh: () => {
      const token = randomBytes(bytesOfToken).toString("base64url")
      return { token: secrets.seal("share-token", token), token_hash: hashOf(token) }
    }
  }
}
