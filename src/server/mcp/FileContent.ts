import { Effect } from "effect"
import { isUtf8 } from "node:buffer"
import type { AttachmentFile } from "../../../services/notes/attachments/AddressedAttachments.ts"
import { unavailable } from "../../../services/files/Blobs.ts"
import { textOf } from "../../../services/transfers/formats/Decoding.ts"

/** Maximum bytes of a file that is read as text. */
export const maxText = 1_048_576
/** Maximum bytes of an image in a result: some hosts refuse results above 1 MB, and base64 makes a third more of it. */
export const maxImage = 700_000

/** Images that models read, by their first bytes: hosts refuse bytes that are not of the named type. */
const images: ReadonlyArray<readonly [mimeType: string, begin: RegExp]> = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/]
]

const imageTypeOf = (bytes: Uint8Array): string | undefined => {
  const begin = Buffer.from(bytes.subarray(0, 16)).toString("latin1")
  return images.find(([, expected]) => expected.test(begin))?.[0]
}

/** A file as tools return it: other files only by their address. */
export type FileContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly bytes: Uint8Array; readonly mimeType: string }
  | { readonly kind: "other" }

const bytesOf = ({ read }: AttachmentFile) =>
  Effect.acquireUseRelease(
    read(),
    (stream) =>
      Effect.tryPromise({
        try: async (signal) => Buffer.concat((await stream.toArray({ signal })) as ReadonlyArray<Uint8Array>),
        catch: () => unavailable
      }),
    (stream) => Effect.sync(() => stream.destroy())
  )

/** Reads a file that a response can contain, and decides by its bytes what it is. */
export const contentOf = Effect.fnUntraced(function* (file: AttachmentFile) {
  const { content_type, size } = file.row
  const other: FileContent = { kind: "other" }
  if (size === null || size > maxText) return other
  const bytes = yield* bytesOf(file)
  const mimeType = imageTypeOf(bytes)
  if (mimeType !== undefined) {
    const image: FileContent = { kind: "image", bytes, mimeType }
    return size <= maxImage ? image : other
  }
  if (!content_type.startsWith("text/") && (!isUtf8(bytes) || bytes.includes(0))) return other
  const text: FileContent = { kind: "text", text: (yield* Effect.promise(() => textOf(bytes))).text }
  return text
})
