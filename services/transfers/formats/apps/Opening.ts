import { createReadStream } from "node:fs"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Damaged } from "../Item.ts"
import { filenameOf } from "../ItemNames.ts"
import type { Items } from "../NoteMaking.ts"
import { Parts } from "../Parts.ts"
import type { Reading } from "../ReadOptions.ts"
import type { Container } from "./Container.ts"
import { unpackedTar } from "./TarFiles.ts"

const single = async (path: string, filename: string): Promise<Container> => {
  const { size } = await stat(path)
  const name = filenameOf(filename)
  const place = { header: 0, packed: size, crc: 0, isDeflated: false }
  return {
    entries: [{ path: name, key: name, size, modified: undefined, place }],
    stream: () => createReadStream(path),
    bytes: async (_, most) => {
      if (size > most) throw new Damaged("too_large", `It has more than ${most} bytes`)
      return readFile(path)
    }
  }
}

/** Opens the file of an export, and reads items from its files. Nothing stays open or on disk. */
export async function* within(
  path: string,
  reading: Reading,
  isArchive: boolean,
  read: (files: Container) => Items
): Items {
  const scratch = await mkdtemp(join(reading.scratch, "app-"))
  const parts = new Parts(scratch, reading, { isPart: () => false })
  try {
    if (isArchive) {
      yield* parts.open(path)
      yield* read({
        entries: parts.entries,
        stream: (entry) => parts.stream(entry),
        bytes: (entry, most) => parts.bytes(entry, most)
      })
    } else if (reading.form === "joplin") {
      const { files, problems } = await unpackedTar(path, scratch, reading.limits)
      yield* problems
      yield* read(files)
    } else yield* read(await single(path, reading.filename))
  } finally {
    await parts.close()
    await rm(scratch, { recursive: true, force: true })
  }
}
