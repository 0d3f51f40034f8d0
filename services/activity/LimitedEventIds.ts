import { createCipheriv, createDecipheriv, hash } from "node:crypto"
import { digits, type WorkspaceId } from "../Ids.ts"
import type { Secrets } from "../secrets/Secrets.ts"
import { seqOfEvent } from "../writer/LogEntry.ts"

/** Bytes of a seq, of a block of AES, and of the half of one that is written as digits of base 62. */
const seqBytes = 6
const blockBytes = 16
const halfBytes = 8
const halfDigits = 11

const written = (block: Buffer): string =>
  [0, halfBytes]
    .map((at) => {
      let text = ""
      for (let rest = block.readBigUInt64BE(at); text.length < halfDigits; rest /= 62n) {
        text = digits[Number(rest % 62n)] + text
      }
      return text
    })
    .join("")

const numberIn = (text: string): bigint =>
  [...text].reduce((value, digit) => value * 62n + BigInt(digits.indexOf(digit)), 0n)

/** The block that was written; undefined if it is not the text of one. */
const blockIn = (text: string): Buffer | undefined => {
  const halves = [numberIn(text.slice(0, halfDigits)), numberIn(text.slice(halfDigits))]
  if (halves.some((half) => half >= 1n << 64n)) return undefined
  const block = Buffer.alloc(blockBytes)
  for (const [index, half] of halves.entries()) block.writeBigUInt64BE(half, index * halfBytes)
  return block
}

/**
 * The ids of events for callers that reach some notebooks only. An ordinary id contains the seq, which shows how much changes
 * in the rest of the workspace. Here the seq and a hash of the ordinary id are one block, encrypted for the workspace: an
 * event always has the same id, and the event of another history with its seq has another one.
 */
export class LimitedEventIds {
  readonly #secrets: Secrets["Service"]
  constructor(secrets: Secrets["Service"]) {
    this.#secrets = secrets
  }

  of(workspace_id: WorkspaceId, id: string): string {
    return this.#all(workspace_id, id)[0]!
  }

  /** The seqs that the event with a limited id can have: one for each secret key. */
  seqsOf(workspace_id: WorkspaceId, limited: string): ReadonlyArray<number> {
    const block = /^ev_[0-9A-Za-z]{22}$/.test(limited) ? blockIn(limited.slice(3)) : undefined
    if (block === undefined) return []
    return this.#keys(workspace_id).map((key) =>
      createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false).update(block).readUIntBE(0, seqBytes)
    )
  }

  /** Whether it is the limited id of an event, by any secret key. */
  isOf(workspace_id: WorkspaceId, limited: string, id: string): boolean {
    return this.#all(workspace_id, id).includes(limited)
  }

  #keys(workspace_id: WorkspaceId) {
    return this.#secrets.derivations("limited-id", Buffer.from(workspace_id))
  }

  #all(workspace_id: WorkspaceId, id: string): ReadonlyArray<string> {
    const block = Buffer.alloc(blockBytes)
    block.writeUIntBE(seqOfEvent(id), 0, seqBytes)
    hash("sha256", id, "buffer").copy(block, seqBytes)
    return this.#keys(workspace_id).map(
      (key) => `ev_${written(createCipheriv("aes-256-ecb", key, null).setAutoPadding(false).update(block))}`
    )
  }
}
