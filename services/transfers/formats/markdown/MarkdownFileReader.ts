import { embeddedIn, keysOf, missingFiles, newFiles } from "./EmbeddedFiles.ts"
import { createReadStream } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { binaryFormat } from "../BinaryFormats.ts"
import { fragmentOf } from "../Converted.ts"
import { contentOf, bytesHash, EarlierNotes, sourceKey } from "../EarlierNotes.ts"
import { Damaged, Unreadable } from "../Item.ts"
import { filenameOf, stemOf } from "../ItemNames.ts"
import { type Items, noteOf } from "../NoteMaking.ts"
import { readText, type ReadText } from "./NoteText.ts"
import type { Reading } from "../ReadOptions.ts"

/** A single note, without other files. */
export async function* readMarkdownFile(path: string, reading: Reading): Items {
  const { filename, form, limits, names } = reading
  const key = filenameOf(filename)
  const { size } = await stat(path)
  if (size > limits.embeddingBytes)
    throw new Unreadable(
      "too_large",
      `The file has more than ${Math.floor(limits.embeddingBytes / 1024 ** 2)} MiB with the images in its text. ` +
        "Save the images as separate files and import all as a ZIP"
    )
  const format = form === "html" ? "html" : "markdown"
  let read: ReadText
  const bytes = await readFile(path)
  const binary = binaryFormat(bytes)
  if (binary !== undefined) throw new Unreadable("not_readable", `This is ${binary}, not Markdown`)
  try {
    read = await readText(bytes, { key, path: key }, reading, { format })
  } catch (error) {
    throw error instanceof Damaged ? new Unreadable(error.code, error.message) : error
  }
  const content = contentOf(bytesHash(bytes))
  const source = sourceKey("markdown", reading.isUnnamed === true ? content : key)
  const file = `${key}///${key}`
  const earlier = new EarlierNotes(names, reading.findEarlier, reading.onExisting)
  await earlier.decide([{ key, source }], async () => content)
  if (earlier.isSkipped(key)) {
    yield { type: "skipped", progress: 1 }
    return
  }
  const note_id = earlier.updatedBy(key)
  if (note_id !== undefined) {
    await earlier.reuse(key, [{ key: file, filename: key, sha256: async () => bytesHash(bytes) }, ...embeddedIn(read)])
    read = await readText(bytes, { key, path: key }, { ...reading, names: earlier }, { format })
  }
  const embedded = newFiles(earlier, key, read.files)
  yield* read.problems
  if (read.text.files !== undefined && read.text.files.length > 0) {
    yield missingFiles(
      key,
      read.text.files.map((each) => each.path)
    )
  }
  let isKept = read.text.keepsSource === true
  const { note, problems } = noteOf(
    {
      key,
      path: key,
      folders: [],
      title: read.text.title ?? stemOf(key),
      text: read.text,
      progress: 1,
      urlOf: (link) =>
        link.target.startsWith("#") ? fragmentOf(link.target.slice(link.target.lastIndexOf("#") + 1)) : undefined,
      files: () => [...(isKept ? [file] : []), ...keysOf(read.files)],
      source: (files) => earlier.sourceOf(key, source, content, files),
      keepWhole: () => {
        isKept = true
        return `attachment:${earlier.file(file)}`
      }
    },
    limits
  )
  yield* problems
  yield note
  yield* embedded
  if (isKept && !earlier.hasFile(file)) {
    yield {
      type: "file",
      path: key,
      uses: [{ key: file, note: key, ...(note_id === undefined ? {} : { note_id }) }],
      filename: key,
      size,
      open: () => createReadStream(path)
    }
  }
}
