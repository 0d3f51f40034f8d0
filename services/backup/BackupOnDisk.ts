import { createReadStream, createWriteStream, statSync } from "node:fs"
import { rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import { syncDirectory } from "../files/SyncDirectory.ts"
import { BackupFailed } from "./BackupFailure.ts"
import type { BackupPlace, Upload } from "./BackupPlace.ts"

/** The name of a file until it is complete. */
const temporaryOf = (path: string): string => `${path}.part`

const uploadTo = (path: string): Upload => {
  const temporary = temporaryOf(path)
  let size = 0
  return {
    receive: async (content) => {
      // Replaces what a killed backup has left.
      const file = createWriteStream(temporary, { mode: 0o600, flush: true })
      await pipeline(content, file)
      size = file.bytesWritten
    },
    commit: async () => {
      await rename(temporary, path)
      await syncDirectory(dirname(path))
      return size
    },
    abandon: () => rm(temporary, { force: true })
  }
}

/** Reads a file, and nothing else: a backup is read more than once, and a pipe may have no writer. */
const readFile = (path: string): ReturnType<typeof createReadStream> => {
  if (!statSync(path).isFile()) throw new BackupFailed({ message: `${path} is not a file` })
  return createReadStream(path)
}

/** A backup in a file. */
export const backupOnDisk = (path: string): BackupPlace => ({
  name: path,
  size: async () => {
    try {
      return (await stat(path)).size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  },
  upload: () => uploadTo(path),
  read: () => readFile(path),
  remove: () => rm(path, { force: true }),
  clean: () => rm(temporaryOf(path), { force: true })
})
