import { createReadStream } from "node:fs"
import type { Embedded } from "../Converted.ts"
import { contentTypeOf, typeOfName } from "../../../MediaTypes.ts"
import { cleaned } from "../Decoding.ts"
import type { Resource } from "./EnexNote.ts"
import type { FileItem } from "../Item.ts"
import { filenameOf } from "../ItemNames.ts"

/** Files of an Evernote note, as items of an import. */

const extensions: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/vnd.evernote.ink": "ink",
  "audio/amr": "amr",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "text/plain": "txt"
}

const nameOf = ({ content_type, filename }: Resource, index: number): string => {
  const name = cleaned(filename).trim()
  if (name !== "") return filenameOf(name)
  const ending = extensions[content_type.toLowerCase()]
  return `file ${index + 1}${ending === undefined ? "" : `.${ending}`}`
}

const typeOf = (said: string, filename: string): string => {
  const type = contentTypeOf(said)
  return type === undefined || type === "application/octet-stream" ? typeOfName(filename) : type
}

/** A file of a note; links get their address from its key. */
export interface NoteFile {
  readonly key: string
  readonly filename: string
  readonly content_type: string
  readonly size: number
  readonly md5: string
  readonly isDamaged?: boolean
  readonly open: () => AsyncIterable<Uint8Array>
}

export const onDisk = (note: string, resource: Resource, index: number): NoteFile => {
  const filename = nameOf(resource, index)
  return {
    key: `${note}/${index + 1}`,
    filename,
    content_type: typeOf(resource.content_type, filename),
    size: resource.size,
    md5: resource.md5,
    isDamaged: resource.isDamaged || resource.size === 0,
    open: () => createReadStream(resource.path)
  }
}

export const inText = (note: string, { base64, content_type, filename }: Embedded, index: number): NoteFile => {
  const bytes = Buffer.from(base64, "base64")
  const open = async function* () {
    yield bytes
  }
  const type = typeOf(content_type, filename)
  return {
    key: `${note}/data/${index + 1}`,
    filename: filenameOf(filename),
    content_type: type,
    size: bytes.length,
    md5: "",
    open
  }
}

/** A text that is attached to its note. */
export const ofText = (key: string, filename: string, content_type: string, text: string): NoteFile => {
  const bytes = Buffer.from(text)
  const open = async function* () {
    yield bytes
  }
  return { key, filename: filenameOf(filename), content_type, size: bytes.length, md5: "", open }
}

export const itemOf = (note: string, note_id: string | undefined, file: NoteFile): FileItem => ({
  type: "file",
  path: file.filename,
  uses: [{ key: file.key, note, ...(note_id === undefined ? {} : { note_id }) }],
  filename: file.filename,
  content_type: file.content_type,
  size: file.size,
  open: file.open
})
