import type { SheafClient } from "../../client/SheafClient.ts"
import { upload, type UploadOptions } from "../../client/Upload.ts"

/** The Markdown that shows an image, or links to another file. */
export const attachmentLink = (id: string, { name, type }: Pick<File, "name" | "type">): string =>
  `${type.startsWith("image/") ? "!" : ""}[${name.replaceAll(/[[\]\\]/g, "\\$&")}](attachment:${id})`

/** Uploads a file to a note, and returns the Markdown that shows it. */
export const uploadedLink = async (
  client: SheafClient,
  note_id: string,
  file: File,
  options?: UploadOptions
): Promise<string> => {
  const content_type = file.type === "" ? {} : { content_type: file.type }
  const { id } = await upload(client, { note_id, filename: file.name, content: file, ...content_type }, options)
  return attachmentLink(id, file)
}
