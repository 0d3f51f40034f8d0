import { convert } from "./Convert.ts"
import { type Item, limits, problem, type ProblemItem, Unreadable } from "./Item.ts"
import type { Items } from "./NoteMaking.ts"
import type { Reading, ReadOptions } from "./ReadOptions.ts"
import { type Form, formNames, formOf } from "./recognition/Forms.ts"
import { recognized } from "./recognition/Recognition.ts"

/** The readers of formats of notes, each loaded on demand. */
const readers: Readonly<
  Record<Exclude<Form, "json">, (path: string, reading: Reading, isArchive: boolean) => Promise<Items>>
> = {
  markdown: async (path, reading, isArchive) =>
    isArchive
      ? (await import("./markdown/MarkdownReader.ts")).readMarkdownArchive(path, reading)
      : (await import("./markdown/MarkdownFileReader.ts")).readMarkdownFile(path, reading),
  html: (path, reading, isArchive) => readers.markdown(path, reading, isArchive),
  enex: async (path, reading, isArchive) =>
    isArchive
      ? (await import("./evernote/EnexArchive.ts")).readEnexArchive(path, reading)
      : (await import("./evernote/EnexReader.ts")).readEnex(path, reading),
  notion: async (path, reading) => (await import("./notion/NotionReader.ts")).readNotion(path, reading),
  keep: async (path, reading, isArchive) => (await import("./apps/Keep.ts")).readKeep(path, reading, isArchive),
  simplenote: async (path, reading, isArchive) =>
    (await import("./apps/Simplenote.ts")).readSimplenote(path, reading, isArchive),
  "standard-notes": async (path, reading, isArchive) =>
    (await import("./apps/StandardNotes.ts")).readStandardNotes(path, reading, isArchive),
  joplin: async (path, reading, isArchive) => (await import("./apps/Joplin.ts")).readJoplin(path, reading, isArchive)
}

async function* itemsOf<Own>(
  path: string,
  options: ReadOptions,
  readExport: (() => AsyncIterable<Own>) | undefined
): AsyncGenerator<Item | Own, void, undefined> {
  const { filename, source } = options
  const most = options.limits ?? limits
  const { found, isArchive } = await recognized(path, filename, most)
  if (typeof found === "object") {
    throw new Unreadable("invalid_file", `This is ${found.refused}, which is not imported. ${found.advice}`)
  }
  const form = formOf(source, found)
  if (source !== "auto" && source !== form && found !== undefined) {
    yield problem("", "other_source", `This is ${formNames[form]}, not ${formNames[source]}; it is imported as such`)
  }
  if (form === "json") {
    if (readExport === undefined) throw new Unreadable("not_readable", `This is ${formNames.json}`)
    yield* readExport()
    return
  }
  const reading = { limits, convert, timezone: "UTC", ...options, form }
  yield* await readers[form](path, reading, isArchive || /\.zip$/i.test(filename))
}

/**
 * Reads a user's file item by item: the next item is made when it is requested, and a consumer that ends early by
 * `return` leaves nothing open. The format is recognised by the content. Bad input is reported in items of type
 * `problem`; an error that is thrown is a fault of the disk or of this program. `readExport` reads a JSON export of this
 * service.
 *
 * A note comes before its files. Keys, and the ids that `names` makes from them, are the same each time, so an
 * interrupted import is resumed by reading the file again and leaving out items that are stored already.
 */
export async function* read<Own = never>(
  path: string,
  options: ReadOptions,
  readExport?: () => AsyncIterable<Own>
): AsyncGenerator<Item | Own, void, undefined> {
  try {
    yield* itemsOf(path, options, readExport)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const failed: ProblemItem = { type: "problem", file: "", code: error.code, message: error.message, isFatal: true }
    yield failed
  }
}
