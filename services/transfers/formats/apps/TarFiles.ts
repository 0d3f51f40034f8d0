import { createReadStream, createWriteStream } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { crc32 } from "node:zlib"
import { extract } from "tar-stream"
import { Damaged, type Limits, problem, type ProblemItem, Unreadable } from "../Item.ts"
import { type Entry, Unpacked } from "../zip/ArchiveDirectory.ts"
import type { Container } from "./Container.ts"

/** Reads tar archives, in which Joplin exports (`.jex`). Names of files are never used as paths to write to. */

const partsOf = (name: string): ReadonlyArray<string> | undefined => {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".")
  return name.startsWith("/") || parts.length === 0 || parts.includes("..") ? undefined : parts
}

/** Unpacks an archive into a folder for temporary files, each file under a number. */
export const unpackedTar = async (
  path: string,
  scratch: string,
  limits: Limits
): Promise<{ readonly files: Container; readonly problems: ReadonlyArray<ProblemItem> }> => {
  const unpacked = new Unpacked(limits)
  const problems: Array<ProblemItem> = []
  const entries: Array<Entry> = []
  const places = new Map<Entry, string>()
  const known = new Set<string>()
  try {
    const tar = extract()
    // Its failure ends the loop.
    createReadStream(path)
      .on("error", (error) => tar.destroy(error))
      .pipe(tar)
    for await (const file of tar) {
      const { mtime, name, size = 0, type } = file.header
      unpacked.entry()
      unpacked.add(size)
      const parts = partsOf(name)
      const key = parts?.join("/") ?? ""
      const isFile = type === "file" || type === "contiguous-file"
      if (!isFile || parts === undefined || known.has(key)) {
        if (type === "symlink" || type === "link") problems.push(problem(name, "symbolic_link", "It is a link"))
        else if (parts === undefined)
          problems.push(problem(name, "unsafe_path", "Its path does not lead to a place within the archive"))
        else if (isFile) problems.push(problem(name, "duplicate_path", "The archive has another file with this path"))
        file.resume()
        continue
      }
      known.add(key)
      const place = join(scratch, `file-${entries.length + 1}`)
      let crc = 0
      const summed = async function* () {
        for await (const chunk of file as AsyncIterable<Uint8Array>) {
          crc = crc32(chunk, crc)
          yield chunk
        }
      }
      await pipeline(Readable.from(summed()), createWriteStream(place, { flags: "wx", mode: 0o600 }))
      const entry = {
        path: key,
        key,
        size,
        modified: mtime?.toISOString(),
        place: { header: 0, packed: size, crc, isDeflated: false }
      }
      entries.push(entry)
      places.set(entry, place)
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error
    const isFault = error instanceof Error && "code" in error && "syscall" in error
    if (isFault) throw error
    const why = error instanceof Error ? error.message : String(error)
    if (entries.length === 0) throw new Unreadable("not_readable", `The archive cannot be read: ${why}`)
    problems.push(
      problem("", "truncated", `The archive is damaged or incomplete (${why}); the files before that are imported`)
    )
  }
  const placeOf = (entry: Entry): string => {
    const place = places.get(entry)
    if (place === undefined) throw new Error(`${entry.path} is not in the archive`)
    return place
  }
  const bytes = async (entry: Entry, most: number): Promise<Buffer> => {
    if (entry.size > most) throw new Damaged("too_large", `It has more than ${most} bytes`)
    return readFile(placeOf(entry))
  }
  return { files: { entries, stream: (entry) => createReadStream(placeOf(entry)), bytes }, problems }
}
