import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { open, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { abortable } from "./Abortable.ts"

/** The size of the reserve in bytes. PostgreSQL writes its log in files of 16 MiB. */
export const reserveBytes = 64 * 1024 * 1024
const pieceBytes = 1024 * 1024

/**
 * A file that reserves disk space for a full disk, which otherwise has no space even for the log of a deletion, and on
 * which PostgreSQL does not start.
 */
export const make = (directory: string) => {
  const path = join(directory, "reserve")

  const held = async (): Promise<boolean> => {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error
      return undefined
    })
    return found?.size === reserveBytes
  }

  const write = async (signal: AbortSignal): Promise<void> => {
    if (await held()) return
    const file = await open(path, "w", 0o600)
    try {
      // Random bytes, since a file system that compresses would store almost nothing for zeros.
      const piece = randomBytes(pieceBytes)
      for (let position = 0; position < reserveBytes; position += pieceBytes) {
        signal.throwIfAborted()
        await file.writev([piece], position)
      }
      await file.sync()
    } catch (error) {
      await file.truncate(0)
      throw error
    } finally {
      await file.close()
    }
  }

  return {
    /** Makes the file if it does not exist. A failure leaves it empty. */
    take: abortable(write, (error) => Effect.fail(error)),
    /** Removes the file, which frees its space. */
    give: Effect.tryPromise(() => rm(path, { force: true }))
  }
}
