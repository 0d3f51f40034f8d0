import { Clock, Effect } from "effect"
import { dispositionOf } from "../../Disposition.ts"
import { servedTypeFromBucket } from "../../MediaTypes.ts"
import type { PrincipalShape } from "../../Principal.ts"
import type { Blobs } from "../../files/Blobs.ts"
import { begunAt, goodFor, type SignedUrls } from "../../files/SignedUrls.ts"
import { type Attachment, type AttachmentRow, attachments, type AttachmentUpload } from "./Attachment.ts"

/** The members of an attachment that its address needs. */
type Addressed = Pick<AttachmentRow, "id" | "status" | "sha256" | "filename" | "content_type" | "created_at">

/** The user that an address is made for, and the workspace of the file. */
export type Addressee = Pick<PrincipalShape, "user_id" | "workspace_id">

const nowhere = {
  upload_url: null,
  upload_method: "PUT" as const,
  upload_headers: {},
  upload_expires_at: null
}

/** Adds to attachments the addresses of their bytes, on this server or in a bucket. */
export const make = (publicUrl: string, urls: SignedUrls["Service"], blobs: Blobs["Service"]) => {
  const pathOf = (purpose: "attachment" | "upload", workspace_id: string, id: string) =>
    `/files/${purpose === "attachment" ? "" : "uploads/"}${workspace_id}/${id}`

  /** Returns an address on this server that is valid from `at`. */
  const urlHere = ({ user_id, workspace_id }: Addressee, id: string, at: number): string => {
    const path = pathOf("attachment", workspace_id, id)
    return publicUrl + urls.sign({ purpose: "attachment", path, user_id }, at + goodFor)
  }

  /**
   * Returns an address on this server, also for a file in a bucket, that stays the same for five minutes. It costs some
   * microseconds, a signature for a bucket up to a millisecond: a page may have a thousand files.
   */
  const ownUrl = (to: Addressee, id: string, now: number): string => urlHere(to, id, begunAt(now, 0))

  /** Returns an address of the bytes that is valid from `at`. */
  const urlAt = (to: Addressee, row: Addressed, at: number): Effect.Effect<string> => {
    const key = { workspace_id: to.workspace_id, sha256: row.sha256! }
    if (blobs.direct === undefined) return Effect.succeed(urlHere(to, row.id, at))
    const { content_type, isInline } = servedTypeFromBucket(row.content_type)
    return blobs.direct.downloadUrl(key, {
      content_type,
      content_disposition: dispositionOf(row.filename, isInline),
      expires_in_seconds: goodFor / 1000,
      at: new Date(at)
    })
  }

  const stableUrl = (to: Addressee, row: Addressed, now: number) =>
    row.status === "ready" ? urlAt(to, row, begunAt(now, Date.parse(row.created_at))) : Effect.succeed(null)

  /** Returns the address for the upload of its bytes, valid from now. */
  const uploadOf = Effect.fnUntraced(function* ({ user_id, workspace_id }: Addressee, row: AttachmentRow, now: number) {
    if (row.status !== "pending") return nowhere
    const upload_expires_at = new Date(now + goodFor).toISOString()
    if (row.staging !== null && blobs.direct !== undefined) {
      const { headers, url } = yield* blobs.direct.uploadUrl({
        name: row.staging,
        size: row.size!,
        sha256: row.sha256!,
        content_type: row.content_type,
        expires_in_seconds: goodFor / 1000
      })
      return { upload_url: url, upload_method: "PUT" as const, upload_headers: headers, upload_expires_at }
    }
    const path = pathOf("upload", workspace_id, row.id)
    return {
      upload_url: publicUrl + urls.sign({ purpose: "upload", path, user_id }, now + goodFor),
      upload_method: "PUT" as const,
      upload_headers: { "content-type": row.content_type },
      upload_expires_at
    }
  })

  const shown = Effect.fnUntraced(function* (to: Addressee, row: AttachmentRow) {
    const now = yield* Clock.currentTimeMillis
    return { ...attachments.show(row), url: yield* stableUrl(to, row, now) } satisfies Attachment
  })

  const withUpload = Effect.fnUntraced(function* (to: Addressee, row: AttachmentRow) {
    const now = yield* Clock.currentTimeMillis
    return {
      ...(yield* shown(to, row)),
      ...(yield* uploadOf(to, row, now))
    } satisfies AttachmentUpload
  })

  return { urlAt, ownUrl, stableUrl, shown, withUpload }
}
