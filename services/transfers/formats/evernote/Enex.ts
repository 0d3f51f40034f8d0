import { createReadStream, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { markedEncoding } from "../Decoding.ts"
import { type Limits, Unreadable } from "../Item.ts"
import type { EnexNote } from "./EnexNote.ts"
import { EnexParser, type Ending, notAnExport } from "./EnexParser.ts"

/** Reads an Evernote export as a stream: one note at a time, with the bytes of its files on disk. */

const chunk = 32 * 1024

const labelOf = (head: Buffer): string => {
  const marked = markedEncoding(head)
  if (marked !== undefined) return marked
  const [, said] = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head.toString("latin1")) ?? []
  try {
    return new TextDecoder(said ?? "utf-8").encoding
  } catch {
    // An unknown encoding: most of these files are UTF-8 nevertheless.
    return "utf-8"
  }
}

/** Whether a file contains a name. Also true for UTF-16, where the name cannot be found. */
export const mentions = async (path: string, name: string): Promise<boolean> => {
  let before = Buffer.alloc(0)
  for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const part = Buffer.concat([before, bytes])
    if (part.includes(name) || part.subarray(0, 4).includes(0)) return true
    before = part.subarray(-name.length)
  }
  return false
}

/** Yields the notes of an export in order. The files of a note are deleted when the next one is requested. */
export async function* enexNotes(
  path: string,
  scratch: string,
  limits: Limits
): AsyncGenerator<EnexNote, Ending, undefined> {
  const file = await open(path)
  const parser = new EnexParser(scratch, limits)
  let index = 0
  const given: Array<EnexNote> = parser.ready
  const drop = (note: EnexNote) => {
    for (const each of [...note.resources, ...(note.whole === undefined ? [] : [note.whole])])
      rmSync(each.path, { force: true })
  }
  try {
    const { size } = await file.stat()
    if (size === 0) throw new Unreadable("not_readable", "The file is empty")
    if (size > limits.packedBytes)
      throw new Unreadable("too_large", `The file has more than ${limits.packedBytes} bytes`)
    let decoder: InstanceType<typeof TextDecoder> | undefined
    const buffer = Buffer.alloc(chunk)
    while (true) {
      const { bytesRead } = await file.read(buffer, 0, chunk)
      const bytes = buffer.subarray(0, bytesRead)
      decoder ??= new TextDecoder(labelOf(bytes.subarray(0, 1_024)))
      parser.read += bytesRead
      parser.write(decoder.decode(bytes, { stream: bytesRead > 0 }), bytesRead === 0)
      while (given.length > 0) {
        const note = given[0]!
        yield { ...note, index: index++ }
        drop(given.shift()!)
      }
      if (bytesRead === 0) break
    }
    if (!parser.isExport) throw notAnExport()
    return parser.end()
  } finally {
    parser.end()
    for (const note of given) drop(note)
    await file.close()
  }
}
