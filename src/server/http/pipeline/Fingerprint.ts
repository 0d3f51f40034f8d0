import { createHash, type Hash } from "node:crypto"

const addText = (made: Hash, text: string): void => {
  // UTF-16, because all lone surrogates are the same in UTF-8.
  made.update(`"${text.length}:`).update(text, "utf16le")
}

const add = (made: Hash, value: unknown): void => {
  if (typeof value === "string") return addText(made, value)
  if (typeof value !== "object" || value === null) {
    // Unlike JSON.stringify, this distinguishes infinite numbers from null. -0 equals 0.
    made.update(`${value},`)
    return
  }
  if (Array.isArray(value)) {
    made.update(`[${value.length},`)
    for (const item of value) add(made, item)
    return
  }
  const members = value as Readonly<Record<string, unknown>>
  const names = Object.keys(members).sort()
  made.update(`{${names.length},`)
  for (const name of names) {
    addText(made, name)
    add(made, members[name])
  }
}

/**
 * A hash of the query and the JSON value of a request: the same for bodies that are equal as JSON (contract 2,
 * Idempotency-Key), whatever their white space, escapes, number formats and order of members. The last of several members
 * with the same name counts, as in the parser.
 */
export const ofJson = (query: string, value: unknown): string => {
  const made = createHash("sha256").update("json\0").update(query).update("\0")
  add(made, value)
  return made.digest("base64url")
}

/** A hash of the query and the bytes of a request without JSON. */
export const ofBytes = (query: string, body: Uint8Array): string =>
  createHash("sha256").update(query).update("\0").update(body).update("\0").digest("base64url")
