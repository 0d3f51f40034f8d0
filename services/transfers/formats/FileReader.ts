import { isArchive } from "./zip/Archive.ts"
import { convert } from "./Convert.ts"
import { type Item, limits, type ProblemItem, Unreadable } from "./Item.ts"
import type { Items } from "./NoteMaking.ts"
import type { Reading, ReadOptions } from "./ReadOptions.ts"

/** Loads the reader of a source on demand. */
const itemsOf = async (path: string, reading: Reading): Promise<Items> => {
  if (reading.source === "enex") return (await import("./evernote/EnexReader.ts")).readEnex(path, reading)
  if (reading.source === "notion") return (await import("./notion/NotionReader.ts")).readNotion(path, reading)
  const isZip = (await isArchive(path)) || /\.zip$/i.test(reading.filename)
  return isZip
    ? (await import("./markdown/MarkdownReader.ts")).readMarkdownArchive(path, reading)
    : (await import("./markdown/MarkdownFileReader.ts")).readMarkdownFile(path, reading)
}

/**
 * Reads a user's file item by item: the next item is made when it is requested, and a consumer that ends early by
 * `return` leaves nothing open. Bad input is reported in items of type `problem`; an error that is thrown is a fault of
 * the disk or of this program.
 *
 * A note comes before its files. Keys, and the ids that `names` makes from them, are the same each time, so an
 * interrupted import is resumed by reading the file again and leaving out items that are stored already.
 */
export async function* read(path: string, options: ReadOptions): AsyncGenerator<Item, void, undefined> {
  try {
    yield* await itemsOf(path, { limits, convert, timezone: "UTC", ...options })
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const failed: ProblemItem = { type: "problem", file: "", code: error.code, message: error.message, isFatal: true }
    yield failed
  }
}
