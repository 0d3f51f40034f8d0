import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { namedIn } from "../Converted.ts"
import { Damaged, type Item, problem } from "../Item.ts"
import type { Items } from "../NoteMaking.ts"
import { Parts } from "../Parts.ts"
import { baseOf, junk } from "../Paths.ts"
import type { Reading } from "../ReadOptions.ts"
import { readEnex } from "./EnexReader.ts"

/** Reads a ZIP of Evernote exports, each of which is a notebook. */

/** An item of one of several files: its keys and its progress are those in the whole. */
const placed = (item: Item, prefix: string, index: number, count: number): Item => {
  if (item.type === "file") {
    return { ...item, uses: item.uses.map((use) => ({ ...use, key: prefix + use.key, note: prefix + use.note })) }
  }
  if (item.type === "problem") return item
  const progress = (index + item.progress) / count
  if (item.type !== "note") return { ...item, progress }
  return { ...item, key: prefix + item.key, files: item.files.map((key) => prefix + key), progress }
}

export async function* readEnexArchive(path: string, reading: Reading): Items {
  const scratch = await mkdtemp(join(reading.scratch, "enex-zip-"))
  const parts = new Parts(scratch, reading, { isPart: () => false })
  try {
    yield* parts.open(path)
    const entries = parts.entries.filter((entry) => !junk.test(entry.path))
    const exports = entries.filter((entry) => /\.enex$/i.test(entry.path))
    const others = entries.filter((entry) => !exports.includes(entry))
    if (others.length > 0) {
      yield problem("", "skipped", `Other files of the ZIP are left out: ${namedIn(others.map((each) => each.path))}`)
    }
    for (const [index, entry] of exports.entries()) {
      const file = join(scratch, "export.enex")
      const prefix = `${entry.key}//`
      const names = {
        note: (key: string) => reading.names.note(prefix + key),
        file: (key: string) => reading.names.file(prefix + key)
      }
      try {
        await pipeline(parts.stream(entry), createWriteStream(file, { mode: 0o600 }))
        const own = { ...reading, names, filename: baseOf(entry.path) }
        for await (const item of readEnex(file, own)) yield placed(item, prefix, index, exports.length)
      } catch (error) {
        if (!(error instanceof Damaged)) throw error
        yield problem(entry.path, error.code, error.message)
      }
    }
  } finally {
    await parts.close()
    await rm(scratch, { recursive: true, force: true })
  }
}
