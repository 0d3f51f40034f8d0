/** Device A attaches the files of the vault; device B gets them by sync, downloads and compares them. */
import type { Plan } from "./plan.ts"
import { oneLine, type Report } from "./report.ts"
import { type Device, syncAll } from "./sync.ts"
import type { VaultFile } from "./vault.ts"

export interface Attached {
  readonly id: string
  readonly noteId: string
  readonly file: VaultFile
}

/** The first note that mentions the file, otherwise the first note. */
const noteOf = ({ notes }: Plan, { name }: VaultFile): string =>
  (notes.find(({ source }) => source.body.includes(name)) ?? notes[0])?.id ?? ""

export async function uploadFiles(
  device: Device,
  files: readonly VaultFile[],
  plan: Plan,
  report: Report
): Promise<readonly Attached[]> {
  const attached: Attached[] = []
  for (const file of files) {
    const noteId = noteOf(plan, file)
    const id = await device.engine.attach(noteId, { filename: file.name, bytes: new Uint8Array(file.bytes) })
    attached.push({ id, noteId, file })
  }
  await syncAll(device, report)
  return attached
}

export async function compareFiles({ engine }: Device, attached: readonly Attached[], report: Report): Promise<void> {
  await engine.sync()
  for (const { file, id, noteId } of attached) {
    const name = `files: ${oneLine(file.path)}`
    const data = engine.get(id)
    const isSame =
      data?.["status"] === "ready" &&
      data["note_id"] === noteId &&
      data["filename"] === file.name &&
      data["size"] === file.bytes.length
    if (!report.check(isSame, `${name} was pulled as ${JSON.stringify(data)}`)) continue
    const bytes = await engine.bytes(id)
    report.check(file.bytes.equals(bytes), `${name}: other bytes were returned (${bytes.length})`)
  }
}
