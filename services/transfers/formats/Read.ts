import { isArchive } from "./zip/Archive.ts"
import { convert } from "./Convert.ts"
import { type Item, limits, type ProblemItem, Unreadable } from "./Item.ts"
import type { Items } from "./NoteMaking.ts"
import type { Reading, ReadOptions } from "./Options.ts"

/** Each source has a program of its own, which is read in when it is needed. */
const itemsOf = async (path: string, reading: Reading): Promise<Items> => {
  if (reading.source === "enex") return (await import("./evernote/EnexReader.ts")).readEnex(path, reading)
  if (reading.source === "notion") return (await import("./notion/NotionReader.ts")).readNotion(path, reading)
  const { readMarkdownArchive, readMarkdownFile } = await import("./markdown/MarkdownReader.ts")
  const isZip = (await isArchive(path)) || /\.zip$/i.test(reading.filename)
  return isZip ? readMarkdownArchive(path, reading) : readMarkdownFile(path, reading)
}

/**
 * Reads a file that somebody brings along, item by item: the next one is made when it is asked for, and whoever ends early
 * by `return` leaves nothing open. Bad input is told by items of type `problem`; what is thrown is a fault of the disk or
 * of this program.
 *
 * A note comes before its files. Keys, and so the ids that `names` makes of them, are the same at every reading, so that
 * a reading that was cut short is resumed by another one that leaves out what is there already.
 */
export async function* read(path: string, options: ReadOptions): AsyncGenerator<Item, void, undefined> {
  try {
    yield* await itemsOf(path, { limits, convert, ...options })
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const failed: ProblemItem = { type: "problem", file: "", code: error.code, message: error.message, isFatal: true }
    yield failed
  }
}
