import { hash } from "node:crypto"
import type { AuditEntry } from "../AuditEntry.ts"

/** The end of a chain: the number and the hash of its last line. */
export interface ChainEnd {
  readonly n: number
  readonly hash: string
}

/** What the first line of a chain follows. */
export const genesis: ChainEnd = { n: 0, hash: "0".repeat(64) }

export interface AuditLine extends ChainEnd {
  readonly prev: string
  /** The id of the entry. */
  readonly id: string
  readonly text: string
}

/** The last member of a line: the SHA-256 of all bytes before it. */
const member = `,"hash":"`
const hashOf = (before: string): string => hash("sha256", before, "hex")

/** Makes the line of an entry, which follows the end of the chain. */
export const lineAfter = (end: ChainEnd, entry: AuditEntry & { readonly workspace_id: string }): AuditLine => {
  const n = end.n + 1
  const before = JSON.stringify({ n, prev: end.hash, ...entry }).slice(0, -1)
  const made = hashOf(before)
  return { n, prev: end.hash, hash: made, id: entry.id, text: `${before}${member}${made}"}` }
}

/** Reads a line; undefined if it is none. `isIntact`: whether its hash is that of its bytes. */
export const parseLine = (text: string): (AuditLine & { readonly isIntact: boolean }) | undefined => {
  try {
    const { hash, id, n, prev } = JSON.parse(text) as Partial<AuditLine>
    if (typeof n !== "number" || typeof hash !== "string" || typeof prev !== "string" || typeof id !== "string") {
      return undefined
    }
    return { n, hash, prev, id, text, isIntact: hashOf(text.slice(0, text.lastIndexOf(member))) === hash }
  } catch {
    return undefined
  }
}
