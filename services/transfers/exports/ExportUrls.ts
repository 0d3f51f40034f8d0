import { Clock, Effect } from "effect"
import { dispositionOf } from "../../Disposition.ts"
import type { Addressee } from "../../notes/attachments/AttachmentUrls.ts"
import type { Blobs } from "../../files/Blobs.ts"
import { begunAt, goodFor, type SignedUrls } from "../../files/SignedUrls.ts"
import type { Export, ListedExport } from "./Export.ts"
import { keptFor } from "./ExportEdits.ts"

export const zipType = "application/zip"

/** The name of the file of an export when it is downloaded. */
export const filenameOf = ({ created_at, format }: Pick<Export, "created_at" | "format">): string =>
  `sheaf-${format}-${created_at.slice(0, 10)}.zip`

/** Exports as in responses, with the address of their file on this server or in a bucket. */
export const make = (publicUrl: string, urls: SignedUrls["Service"], blobs: Blobs["Service"]) => {
  const urlOf = Effect.fnUntraced(function* ({ user_id, workspace_id }: Addressee, listed: ListedExport) {
    if (listed.blob === null || listed.expires_at === null) return null
    const at = begunAt(yield* Clock.currentTimeMillis, Date.parse(listed.expires_at) - keptFor)
    if (blobs.direct === undefined) {
      const path = `/files/exports/${workspace_id}/${listed.id}`
      return publicUrl + urls.sign({ purpose: "export", path, user_id }, at + goodFor)
    }
    return yield* blobs.direct.downloadUrl(
      { workspace_id, sha256: listed.blob },
      {
        content_type: zipType,
        content_disposition: dispositionOf(filenameOf(listed), false),
        expires_in_seconds: goodFor / 1000,
        at: new Date(at)
      }
    )
  })

  return {
    shown: Effect.fnUntraced(function* (to: Addressee, listed: ListedExport) {
      const { blob: _, permille, ...stored } = listed
      const download_url = yield* urlOf(to, listed)
      return { ...stored, progress: permille / 1000, download_url } satisfies Export
    })
  }
}
