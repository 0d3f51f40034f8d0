import { Effect } from "effect"
import { type Condition, Invalid } from "../../Errors.ts"
import type { WorkspaceId } from "../../Ids.ts"
import { systemActor } from "../../writer/Actor.ts"
import type { Blobs } from "../../files/Blobs.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import { type AttachmentCreate, type AttachmentRow, attachments, type StoredAttachment } from "./Attachment.ts"
import * as Edits from "./AttachmentEdits.ts"
import type * as AttachmentIntake from "./AttachmentIntake.ts"

/** Maximum number of bytes that a bucket accepts in one PUT. */
const maxPutBytes = 5 * 1024 ** 3

/** Files that clients upload directly to a bucket. */
export const make = (
  blobs: Blobs["Service"],
  quotas: Quotas["Service"],
  keeping: ReturnType<typeof AttachmentIntake.make>["keeping"]
) => {
  /** Whether the client uploads directly to a bucket: the signature of the address needs the size and the hash. */
  const isDirect = ({ sha256, size }: AttachmentCreate): boolean =>
    blobs.direct !== undefined &&
    sha256 !== undefined &&
    sha256 !== null &&
    size !== undefined &&
    size !== null &&
    size <= maxPutBytes

  /** Makes an attachment ready if its bytes are in the bucket; otherwise returns the row unchanged. */
  const settle = Effect.fnUntraced(function* (
    workspace_id: WorkspaceId,
    row: AttachmentRow,
    condition?: Condition<StoredAttachment>
  ) {
    const name = row.staging
    if (row.status !== "pending" || name === null || blobs.direct === undefined) return row
    const staged = { size: row.size!, sha256: row.sha256! }
    switch (yield* blobs.direct.staged(name, staged)) {
      case "ok":
        return yield* keeping(
          workspace_id,
          { ...systemActor, user_id: row.author_id },
          name,
          staged,
          [[attachments, row.id]],
          (draft) =>
            Effect.flatMap(Edits.expected(draft, row.id, condition), () =>
              Edits.makeReady(draft, quotas, row.id, staged)
            )
        ).pipe(Effect.tap(() => Effect.ignore(blobs.discard(name))))
      case "missing":
        return row
      case "wrong_size":
        return yield* Invalid.field("size", "mismatch", "is not the size of the uploaded file", "size_mismatch")
      case "wrong_hash":
        return yield* Invalid.field("sha256", "mismatch", "is not the hash of the uploaded file", "checksum_mismatch")
    }
  })

  return { isDirect, settle }
}
