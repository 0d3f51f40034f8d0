import { Clock, Effect } from "effect"
import type { Addressee } from "../../notes/attachments/AttachmentUrls.ts"
import { goodFor, type SignedUrls } from "../../files/SignedUrls.ts"
import type { Import, ListedImport } from "./Import.ts"

const nowhere = {
  upload_url: null,
  upload_method: "PUT" as const,
  upload_headers: {},
  upload_expires_at: null
}

/** Imports as in responses. Their files are sent to this server even if it uses a bucket, as their hash is unknown. */
export const make = (publicUrl: string, urls: SignedUrls["Service"]) => {
  const shown = ({ blob: _, permille, ...stored }: ListedImport): Import => ({ ...stored, progress: permille / 1000 })

  return {
    shown,

    /** Returns an import with the address to send its file to, valid from now. */
    withUpload: ({ user_id, workspace_id }: Addressee, listed: ListedImport): Effect.Effect<Import> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (listed.blob !== null || listed.status !== "queued") return { ...shown(listed), ...nowhere }
        const path = `/files/imports/${workspace_id}/${listed.id}`
        return {
          ...shown(listed),
          upload_url: publicUrl + urls.sign({ purpose: "import", path, user_id }, now + goodFor),
          upload_method: "PUT" as const,
          upload_headers: { "content-type": "application/octet-stream" },
          upload_expires_at: new Date(now + goodFor).toISOString()
        }
      })
  }
}
