import type { SourceFile } from "./ExportRows.ts"
import type { Output } from "./ExportSource.ts"
import { FileFault } from "../PortStream.ts"

/** A file whose bytes are not in the export, with the reason. */
interface MissingFile extends SourceFile {
  readonly reason: FileFault["fault"]
}

async function* after(first: IteratorResult<Uint8Array>, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value
}

/**
 * Writes files, each path once. A file whose bytes are missing or damaged is omitted and returned, so that the others
 * are still exported. If its first bytes were already written, they stay in the ZIP without a directory entry.
 */
export const writeFiles = async (
  files: AsyncIterable<ReadonlyArray<SourceFile>>,
  { file, leftOut, zip }: Output,
  pathOf: (file: SourceFile) => string
): Promise<{ readonly count: number; readonly missing: ReadonlyArray<MissingFile> }> => {
  const outcomes = new Map<string, FileFault["fault"] | undefined>()
  const missing: Array<MissingFile> = []
  let count = 0

  const write = async (path: string, { created_at, sha256, size }: SourceFile) => {
    const bytes = file(sha256)[Symbol.asyncIterator]()
    try {
      await zip.addStream(path, created_at, after(await bytes.next(), bytes), size)
      count++
      return undefined
    } catch (error) {
      if (error instanceof FileFault) return error.fault
      throw error
    }
  }

  for await (const page of files) {
    for (const each of page) {
      const path = pathOf(each)
      if (!outcomes.has(path)) outcomes.set(path, await write(path, each))
      const reason = outcomes.get(path)
      if (reason !== undefined) missing.push({ ...each, reason })
    }
  }
  if (missing.length > 0) leftOut(missing.length)
  return { count, missing }
}
