import { Effect } from "effect"
import { type Condition, Conflict, Expired, Invalid, Unavailable } from "../../Errors.ts"
import type { Staged } from "../../files/Blobs.ts"
import { blobs, released, taken, unusedFor } from "../../files/BlobTable.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { OwnId } from "../../records/SyncAdapter.ts"
import * as Records from "../../records/Records.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import {
  type AttachmentCreate,
  type AttachmentRow,
  attachments,
  type AttachmentUpdate,
  StoredAttachment
} from "./Attachment.ts"
import * as NotePart from "../NotePart.ts"
import { typeOfName } from "../../MediaTypes.ts"

/**
 * Operations on attachments in a draft. The row of a blob counts the records that use it, and changes in the same
 * commit as they do. A blob is removed only while no record uses it.
 */

const weight = 500
export const records = Records.of({ type: "attachment", table: attachments, weigh: () => weight })

/** A blob that is unused since before this time may be collected before the draft is stored. */
const collectableBefore = (now: number): string => new Date(now - unusedFor / 2).toISOString()

const tooLate = new Unavailable({
  code: "service_unavailable",
  detail: "Storing the file took too long",
  retry_after: 1
})

const noteRecords = NotePart.of<AttachmentRow, StoredAttachment>({
  records,
  deletedEvent: "attachment.deleted",
  restoredEvent: ({ blob }) => (blob === null ? "attachment.created" : "attachment.ready"),
  release: (draft, row) => release(draft, row),
  exported: { data: StoredAttachment, condition: "x.status = 'ready'", texts: [] }
})
const { live } = noteRecords
export const { expected } = noteRecords
export const { missing } = records

const noteOf = Effect.fnUntracedEager(function* (draft: Draft, note_id: string) {
  if (!(yield* NotePart.isLive(draft, note_id))) return yield* NotePart.namesNoNote
  yield* noteRecords.checkCapacity(draft, note_id)
})

/**
 * Counts one more use of a blob. Its row was written before its bytes were kept. If the row is gone, or may be
 * collected, the process was suspended for longer than collection waits, and the bytes may be gone too.
 */
const take = Effect.fnUntracedEager(function* (draft: Draft, quotas: Quotas["Service"], content: Staged) {
  const blob = yield* draft.get(blobs, content.sha256)
  if (blob === undefined || (blob.unused_since !== null && blob.unused_since < collectableBefore(draft.millis))) {
    return yield* tooLate
  }
  yield* quotas.take(draft, "file_bytes", content.size)
  draft.put(blobs, taken(blob, content))
})

/** Counts one use less. A pending direct upload has reserved room for its bytes. */
const release = Effect.fnUntracedEager(function* (draft: Draft, { blob, size, staging }: AttachmentRow) {
  if (staging !== null) draft.count("file_bytes", -size!)
  if (blob === null) return
  const row = (yield* draft.get(blobs, blob))!
  draft.count("file_bytes", -row.size)
  draft.put(blobs, released(row, draft.now))
})

/** Fails unless the bytes have the size and the hash that the client stated. */
export const checkContent = (stated: Pick<AttachmentRow, "size" | "sha256">, { sha256, size }: Staged) =>
  stated.size !== null && stated.size !== size
    ? Effect.fail(
        Invalid.field("size", "mismatch", `is ${stated.size}, but ${size} bytes were received`, "size_mismatch")
      )
    : stated.sha256 !== null && stated.sha256 !== sha256
      ? Effect.fail(Invalid.field("sha256", "mismatch", "is not the hash of the received bytes", "checksum_mismatch"))
      : Effect.void

const appendReady = (draft: Draft, row: AttachmentRow) =>
  draft.append({
    type: "attachment.ready",
    resource: "attachment",
    resource_id: row.id,
    data: attachments.dataOf(row)
  })

interface Creation {
  /** The name under which its client uploads the bytes directly to a bucket. */
  readonly staging?: string | undefined
  /** Its bytes, if they are kept already. */
  readonly kept?: Staged | undefined
  /** When it was created, if it is imported. */
  readonly created_at?: string | undefined
}

/**
 * Creates an attachment: pending, or ready if the workspace has its bytes already. A limited caller always sends them: bytes
 * of other notebooks do not exist for it.
 */
export const create = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  input: AttachmentCreate,
  creation: Creation = {},
  own: OwnId = { id: draft.newId("at"), revision: 1 }
) {
  yield* noteOf(draft, input.note_id)
  return yield* insert(draft, quotas, input, creation, own)
})

const insert = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  input: AttachmentCreate,
  { created_at = draft.now, kept, staging }: Creation,
  own: OwnId
) {
  yield* quotas.take(draft, "attachments", 1)
  const stated = { size: input.size ?? null, sha256: input.sha256 ?? null }
  const known =
    stated.sha256 === null || draft.actor.reach !== undefined ? undefined : yield* draft.get(blobs, stated.sha256)
  // A blob without uses may be removed at this moment.
  const content = kept ?? (known !== undefined && known.refs > 0 ? known : undefined)
  if (content !== undefined) {
    yield* checkContent(stated, content)
    yield* take(draft, quotas, content)
  }
  // The client may upload past Sheaf from now on, so room for the bytes is reserved.
  if (content === undefined && staging !== undefined) yield* quotas.take(draft, "file_bytes", stated.size!)
  const row: AttachmentRow = {
    ...own,
    note_id: input.note_id,
    filename: input.filename,
    content_type: input.content_type ?? typeOfName(input.filename),
    size: content?.size ?? stated.size,
    sha256: content?.sha256 ?? stated.sha256,
    status: content === undefined ? "pending" : "ready",
    created_at,
    author_id: draft.actor.user_id,
    blob: content?.sha256 ?? null,
    staging: content === undefined ? (staging ?? null) : null,
    trashed: false
  }
  records.put(draft, row, "attachment.created")
  if (content !== undefined) appendReady(draft, row)
  return row
})

export const usedUp = new Expired({
  code: "upload_expired",
  detail: "This address was used already: the attachment has its bytes"
})

/** Whether the attachment has these bytes already: the same upload again changes nothing. */
const isSame = ({ sha256, size, status }: AttachmentRow, content: Staged): boolean =>
  status === "ready" && size === content.size && sha256 === content.sha256

/** Makes an attachment ready after its bytes were kept. */
export const makeReady = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  id: string,
  content: Staged
) {
  const before = yield* live(draft, id)
  if (before.status !== "pending") return isSame(before, content) ? before : yield* usedUp
  yield* checkContent(before, content)
  if (before.staging !== null) draft.count("file_bytes", -before.size!)
  yield* take(draft, quotas, content)
  const row: AttachmentRow = {
    ...before,
    size: content.size,
    sha256: content.sha256,
    status: "ready",
    blob: content.sha256,
    staging: null,
    revision: draft.revisionAfter(before.revision)
  }
  records.put(draft, row, "attachment.ready")
  return row
})

/** Changes only the given fields. */
export const update = Effect.fnUntracedEager(function* (
  draft: Draft,
  id: string,
  { content_type, filename, note_id }: AttachmentUpdate,
  condition?: Condition<StoredAttachment>
) {
  const before = yield* expected(draft, id, condition)
  const wanted = {
    note_id: note_id ?? before.note_id,
    filename: filename ?? before.filename,
    content_type: content_type ?? before.content_type
  }
  if (
    wanted.note_id === before.note_id &&
    wanted.filename === before.filename &&
    wanted.content_type === before.content_type
  ) {
    return before
  }
  if (wanted.note_id !== before.note_id) yield* noteOf(draft, wanted.note_id)
  const row = { ...before, ...wanted, revision: draft.revisionAfter(before.revision) }
  records.put(draft, row, "attachment.updated")
  return row
})

export const remove = Effect.fnUntracedEager(function* (
  draft: Draft,
  id: string,
  condition?: Condition<StoredAttachment>
) {
  const row = yield* expected(draft, id, condition)
  yield* noteRecords.remove(draft, row)
  return row
})

/** Removes an attachment if it has been pending since before `before`. */
export const expire = Effect.fnUntracedEager(function* (draft: Draft, id: string, before: string) {
  const row = yield* draft.get(attachments, id)
  if (row === undefined || row.status !== "pending" || row.created_at >= before) return
  yield* noteRecords.remove(draft, row)
})

/** The error for an attachment whose bytes have not arrived. */
export const notReady = new Conflict({
  code: "attachment_not_ready",
  detail: "The bytes of the attachment have not arrived yet"
})

/** Returns the attachments that the copy of a note gets: the same bytes under new ids. */
export const copies = Effect.fnUntracedEager(function* (draft: Draft, note_id: string) {
  const rows = yield* draft.having(attachments, "note_id", note_id)
  return rows.filter(({ blob, trashed }) => blob !== null && !trashed).map((row) => ({ row, id: draft.newId("at") }))
})

export const addCopies = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  note_id: string,
  made: ReadonlyArray<{ readonly row: AttachmentRow; readonly id: string }>
) {
  for (const { id, row } of made) {
    const { content_type, filename } = row
    const kept = { sha256: row.sha256!, size: row.size! }
    // The limit per note is not checked: the copy has no more attachments than its original.
    yield* insert(draft, quotas, { note_id, filename, content_type }, { kept }, { id, revision: 1 })
  }
})

/** Returns the text of a note with its attachment links changed to the copies. */
export const relinked = (
  body: string,
  made: ReadonlyArray<{ readonly row: AttachmentRow; readonly id: string }>
): string => {
  if (made.length === 0) return body
  const copyOf = new Map(made.map(({ id, row }) => [row.id, id]))
  return body.replaceAll(/attachment:(at_[0-9A-Za-z_-]+)/g, (link, id: string) => {
    const copy = copyOf.get(id)
    return copy === undefined ? link : `attachment:${copy}`
  })
}

export const attachmentsOfNote = noteRecords.part

export const { pushed } = noteRecords
