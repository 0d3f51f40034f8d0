import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { BadRequest } from "../Errors.ts"
import { Secrets, signatureLength } from "../secrets/Secrets.ts"
import { type SyncType, syncTypes } from "../Resources.ts"
import { hashLength, type ReachedSet } from "./SyncReach.ts"

/** A position in the changes of a workspace (contract 6): opaque, signed, and bound to the workspace and to `types`. */
export interface Cursor {
  readonly epoch: string
  /** The client has received all changes up to this one. */
  readonly seq: number
  /**
   * The head when a pull without a cursor began: the client never had records that were deleted by then. 0 for a cursor
   * after that first part of a pull.
   */
  readonly floor: number
  readonly types: ReadonlySet<SyncType> | undefined
  readonly issued_at: number
  /**
   * When the client last had everything: it may have missed later deletions. The cursor is valid until tombstones from
   * that time are deleted, even if it was issued again meanwhile.
   */
  readonly as_of: number
  /** Whether it is valid as long as tombstones are kept, not for 24 hours. */
  readonly resync: boolean
  /** The part for a credential or a client that reaches some notebooks only. */
  readonly within?: CursorWithin | undefined
}

export interface CursorWithin {
  readonly reached: ReachedSet
  /** The place of the last record that was returned at `seq`, or `allAt`: records can move with their note. */
  readonly after: string
}

/** Larger than any place: all records at a seq were returned. */
export const allAt = "~"

/** Milliseconds for which a cursor is valid (contract 6). */
export const cursorLife = 24 * 3600_000
/** Milliseconds for which a resync cursor is valid, and tombstones are kept (contract 6). */
export const tombstoneLife = 90 * 24 * 3600_000

const length = 34
/** Cursors of earlier versions have no `as_of`. */
const shortLength = 28
const epochLength = 8
/** Digits of a seq, and maximum characters of a place: a type and an id. */
const seqLength = 16
const placeLength = 44
/** The first character of a cursor for some notebooks. */
const sealedMark = "~"

const maskOf = (types: ReadonlySet<SyncType> | undefined): number => {
  if (types === undefined) return 0
  let mask = 0
  for (const [index, type] of syncTypes.entries()) if (types.has(type)) mask |= 1 << index
  return mask
}

const typesOf = (mask: number): ReadonlySet<SyncType> | undefined =>
  mask === 0 ? undefined : new Set(syncTypes.filter((_, index) => (mask & (1 << index)) !== 0))

/** Encodes and decodes cursors of one installation. */
export class Cursors {
  readonly #secrets: Secrets["Service"]
  constructor(secrets: Secrets["Service"]) {
    this.#secrets = secrets
  }

  encode(workspace_id: WorkspaceId, cursor: Cursor): string {
    const { within } = cursor
    if (within === undefined) return this.#signed(workspace_id, cursor)
    // Encrypted, and of one length: the seq would say how much changes in the rest of the workspace.
    const { after, reached } = within
    const bound = reached.hash + String(reached.seq).padStart(seqLength, "0") + after.padEnd(placeLength)
    return sealedMark + this.#secrets.seal("limited-cursor", bound + this.#signed(workspace_id, cursor))
  }

  #signed(workspace_id: WorkspaceId, cursor: Cursor): string {
    const data = Buffer.alloc(length)
    data.writeUIntBE(cursor.issued_at, 0, 6)
    data.writeUIntBE(cursor.seq, 6, 6)
    data.writeUIntBE(cursor.floor, 12, 6)
    data.write(cursor.epoch, 18, epochLength, "latin1")
    data.writeUInt8(maskOf(cursor.types), 26)
    data.writeUInt8(cursor.resync ? 1 : 0, 27)
    data.writeUIntBE(cursor.as_of, 28, 6)
    return Buffer.concat([data, this.#secrets.sign("sync-cursor", bound(workspace_id, data))]).toString("base64url")
  }

  /** Returns the cursor, also an expired one; fails with 400 if it is malformed or of another workspace. */
  decode(workspace_id: WorkspaceId, text: string): Effect.Effect<Cursor, BadRequest> {
    if (!text.startsWith(sealedMark)) return this.#verified(workspace_id, text)
    const opened = text.length < 400 ? (this.#secrets.open("limited-cursor", text.slice(1)) ?? "") : ""
    const seqEnd = hashLength + seqLength
    const end = seqEnd + placeLength
    const reached = { hash: opened.slice(0, hashLength), seq: Number(opened.slice(hashLength, seqEnd)) }
    const within = { reached, after: opened.slice(seqEnd, end).trimEnd() }
    return Effect.map(this.#verified(workspace_id, opened.slice(end)), (cursor) => ({ ...cursor, within }))
  }

  #verified(workspace_id: WorkspaceId, text: string): Effect.Effect<Cursor, BadRequest> {
    const bytes = text.length < 200 ? Buffer.from(text, "base64url") : Buffer.alloc(0)
    const data = bytes.subarray(0, Math.max(0, bytes.length - signatureLength))
    if (
      (data.length !== length && data.length !== shortLength) ||
      !this.#secrets.verify("sync-cursor", bound(workspace_id, data), bytes.subarray(data.length))
    ) {
      return Effect.fail(
        new BadRequest({
          code: "invalid_cursor",
          detail: "cursor was not issued by this server for this workspace"
        })
      )
    }
    const issued_at = data.readUIntBE(0, 6)
    return Effect.succeed({
      issued_at,
      as_of: data.length === length ? data.readUIntBE(28, 6) : issued_at,
      seq: data.readUIntBE(6, 6),
      floor: data.readUIntBE(12, 6),
      epoch: data.toString("latin1", 18, 18 + epochLength),
      types: typesOf(data.readUInt8(26)),
      resync: data.readUInt8(27) === 1
    })
  }
}

const bound = (workspace_id: WorkspaceId, data: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(workspace_id), data])
