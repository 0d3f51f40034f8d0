import type { Client } from "./Client.ts"
import { unexpected } from "./ClientProblem.ts"
import type { Schemas } from "./Types.ts"
import { putBytes, type UploadOptions } from "./Upload.ts"

/** A file of notes, and what to do with them. */
export interface NewImport extends Pick<Schemas["ImportCreate"], "source" | "notebook_id" | "on_existing" | "preview"> {
  readonly filename: string
  readonly content: Blob | Uint8Array<ArrayBuffer>
}

/**
 * Creates an import, or the preview of one, and sends its file. Returns the import as the server has it then: it runs in the
 * background, and `getImport` has its progress.
 */
export const importFile = async (
  client: Client,
  { content, ...input }: NewImport,
  options: UploadOptions = {}
): Promise<Schemas["Import"]> => {
  const calling = { signal: options.signal }
  const created = await client.call<Schemas["Import"]>("createImport", input, calling)
  // Without its file, nothing is imported.
  if (input.preview && !created.preview) throw unexpected("The response is not a preview")
  await putBytes(client, created, content instanceof Blob ? content : new Blob([content]), options)
  return client.call("getImport", { id: created.id }, calling)
}
