/** Device A uploads the files of the vault to signed addresses; device B gets them by sync, downloads and compares them. */
import { createHash } from "node:crypto"
import type { Client } from "./client.ts"
import type { Plan } from "./plan.ts"
import { oneLine, type Report } from "./report.ts"
import { pullAll } from "./sync.ts"
import type { VaultFile } from "./vault.ts"

interface Attachment {
  readonly id: string
  readonly status: string
  readonly url: string | null
}

interface Upload extends Attachment {
  readonly upload_url: string | null
  readonly upload_headers: Readonly<Record<string, string>>
}

export interface Attached {
  readonly id: string
  readonly noteId: string
  readonly file: VaultFile
  readonly sha256: string
}

/** The first note that mentions the file, otherwise the first note. */
const noteOf = ({ notes }: Plan, { name }: VaultFile): string =>
  (notes.find(({ source }) => source.body.includes(name)) ?? notes[0])?.id ?? ""

export async function uploadFiles(
  client: Client,
  files: readonly VaultFile[],
  plan: Plan,
  report: Report
): Promise<readonly Attached[]> {
  const attached: Attached[] = []
  for (const file of files) {
    const noteId = noteOf(plan, file)
    const sha256 = createHash("sha256").update(file.bytes).digest("hex")
    const { id, upload_headers, upload_url } = await client.post<Upload>("/attachments/uploads", {
      note_id: noteId,
      filename: file.name,
      size: file.bytes.length,
      sha256
    })
    // null: the workspace has these bytes already.
    if (upload_url !== null) await client.putFile(upload_url, upload_headers, file.bytes)
    // If the bytes went to a bucket, this request makes the server verify them.
    const { status } = await client.get<Attachment>(`/attachments/${id}`)
    report.check(status === "ready", `files: ${oneLine(file.path)} is ${status}, not ready`)
    attached.push({ id, noteId, file, sha256 })
  }
  return attached
}

export async function compareFiles(
  client: Client,
  attached: readonly Attached[],
  cursor: string,
  report: Report
): Promise<void> {
  const { records } = await pullAll(client, report, cursor)
  for (const { file, id, noteId, sha256 } of attached) {
    const name = `files: ${oneLine(file.path)}`
    const data = records.get(id)?.data
    const isSame =
      data?.["status"] === "ready" &&
      data["note_id"] === noteId &&
      data["filename"] === file.name &&
      data["size"] === file.bytes.length &&
      data["sha256"] === sha256
    if (!report.check(isSame, `${name} was pulled as ${JSON.stringify(data)}`)) continue
    const { url } = await client.get<Attachment>(`/attachments/${id}/download`)
    const bytes = url === null ? undefined : await client.getFile(url)
    report.check(bytes?.equals(file.bytes) === true, `${name}: other bytes were returned (${bytes?.length})`)
  }
}
