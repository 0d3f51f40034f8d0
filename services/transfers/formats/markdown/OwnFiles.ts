import type { Archive } from "../zip/Archive.ts"
import { textOf } from "../Decoding.ts"
import { attachmentsFolder } from "../FileNames.ts"
import { Damaged } from "../Item.ts"
import { noteEnding } from "../../../markdown/LinkText.ts"
import { junk } from "../Paths.ts"
import { isOwn } from "./MarkdownText.ts"
import { mayBeNote } from "./NotePaths.ts"
import type { Reading } from "../ReadOptions.ts"
import { isPack } from "./TextBundle.ts"

/** The folder may be in one or two others if an export was unpacked and packed again. Exports have no hidden files. */
const place = new RegExp(String.raw`^((?:[^/]+/){0,2})${attachmentsFolder}/[^./][^/]*$`)

/**
 * The files in the attachments folder of a Markdown export of this service that their names alone would make notes,
 * archives or files of a system. Empty for any other archive: a note with the front matter of an export marks one.
 */
export const ownFilesOf = async (archive: Archive, reading: Reading): Promise<ReadonlySet<string>> => {
  const { limits } = reading
  const isMisleading = (path: string) => mayBeNote(path) || isPack(path) || junk.test(path)
  const isOwnNote = async (entry: Archive["entries"][number]): Promise<boolean> => {
    if (entry.size > limits.embeddingBytes) return false
    try {
      return isOwn((await textOf(await archive.bytes(entry, limits.embeddingBytes))).text, reading)
    } catch (error) {
      // The import reports it when it reads the note.
      if (!(error instanceof Damaged)) throw error
      return false
    }
  }
  const placed = archive.entries.flatMap((entry) => {
    const root = place.exec(entry.path)?.[1]
    return root === undefined ? [] : [{ entry, root }]
  })
  const root = placed.reduce(
    (least, each) => (each.root.length < least.length ? each.root : least),
    placed[0]?.root ?? ""
  )
  const files = placed.filter((each) => each.root === root && isMisleading(each.entry.path)).map(({ entry }) => entry)
  const others = archive.entries.filter(({ path }) => !junk.test(path) && place.exec(path)?.[1] !== root)
  if (files.length === 0 || !others.every(({ path }) => path.startsWith(root))) return new Set()
  let isExport = false
  for (const entry of others) {
    isExport = noteEnding.test(entry.path) && (await isOwnNote(entry))
    if (isExport) break
  }
  const own = new Set<string>()
  for (const entry of isExport ? files : []) {
    // Below the top, a notebook may have the name of the folder.
    if (root === "" || !mayBeNote(entry.path) || !(await isOwnNote(entry))) own.add(entry.path)
  }
  return own
}
