import type { Reads } from "../../database/ReachedRows.ts"
import { Effect } from "effect"
import type { Readable } from "node:stream"
import type { NotFound, Unavailable } from "../../Errors.ts"
import { isAtLeast, type Plan } from "../../Principal.ts"
import { runSql } from "../../database/Database.ts"
import type { BlobMissing, Blobs, ByteRange, Source } from "../../files/Blobs.ts"
import { traced } from "../../Traced.ts"
import { systemActor } from "../../writer/Actor.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import { insufficient, roleIn } from "../../workspaces/RoleChecks.ts"
import { type AttachmentRow, attachments } from "./Attachment.ts"
import * as Edits from "./AttachmentEdits.ts"
import type * as AttachmentIntake from "./AttachmentIntake.ts"
import type * as AttachmentUrls from "./AttachmentUrls.ts"

/** An attachment whose bytes can be read. */
export interface AttachmentFile {
  readonly row: AttachmentRow
  readonly read: (range?: ByteRange) => Effect.Effect<Readable, NotFound | Unavailable>
}

interface Needs {
  readonly read: Reads
  readonly blobs: Blobs["Service"]
  readonly quotas: Quotas["Service"]
  /** Maximum bytes of a file. */
  readonly capOf: (plan: Plan) => number
  readonly intake: ReturnType<typeof AttachmentIntake.make>
  readonly shown: ReturnType<typeof AttachmentUrls.make>["shown"]
}

const addressedText = `SELECT ${attachments.selectList}, (
      SELECT plan FROM workspaces w WHERE w.workspace_id = a.workspace_id AND w.deleted_at IS NULL
    ) AS plan FROM attachments a WHERE workspace_id = $1 AND id = $2 AND NOT trashed`

/** Attachments by signed addresses, which need no other credential. */
export const make = ({ blobs, capOf, intake, quotas, read, shown }: Needs) => {
  const { keeping, taking, takingAgain } = intake

  /** Returns the attachment of a signed address; fails with 404 if it or its workspace was deleted. */
  const addressed = Effect.fnUntraced(function* (workspace_id: string, id: string) {
    const [row] = yield* runSql<AttachmentRow & { readonly plan: Plan | null }>(read, addressedText, [workspace_id, id])
    if (row === undefined || row.plan === null) return yield* Edits.missing
    return { row, plan: row.plan }
  })

  const receive = traced("Attachments.receive")(function* <R>(
    by: AttachmentUrls.Addressee,
    id: string,
    source: Effect.Effect<Source, never, R>
  ) {
    const { user_id, workspace_id } = by
    const { plan, row } = yield* addressed(workspace_id, id)
    if (row.status !== "pending") {
      if (row.size === null || row.sha256 === null) return yield* Edits.usedUp
      // The response to the first upload may have been lost.
      yield* takingAgain(workspace_id, { size: row.size, sha256: row.sha256 }, yield* source, Edits.usedUp)
      return yield* shown(by, row)
    }
    const actor = { ...systemActor, user_id }
    const ready = yield* taking(workspace_id, row, capOf(plan), yield* source, ({ name, staged }) =>
      keeping(
        workspace_id,
        actor,
        name,
        staged,
        [[attachments, id]],
        Effect.fnUntraced(function* (draft: Draft) {
          // The user may have lost the role during the upload.
          if (!isAtLeast((yield* roleIn(draft, user_id)) ?? "viewer", "editor")) return yield* insufficient("editor")
          return yield* Edits.makeReady(draft, quotas, id, staged)
        })
      )
    )
    return yield* shown(by, ready)
  })

  const file = traced("Attachments.file")(function* (workspace_id: string, id: string) {
    const { row } = yield* addressed(workspace_id, id)
    if (row.status !== "ready") return yield* Edits.missing
    const key = { workspace_id, sha256: row.sha256! }
    return {
      row,
      read: (range?: ByteRange) =>
        Effect.catchTag(blobs.read(key, range), "BlobMissing", (missing: BlobMissing) =>
          // A record is never without its bytes: they were removed from outside.
          Effect.andThen(
            Effect.annotateLogs(Effect.logError("the bytes of an attachment are missing"), { ...missing.key }),
            Edits.missing
          )
        )
    }
  })

  return { file, receive }
}
