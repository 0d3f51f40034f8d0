import { mkdtempSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"

/** A file system in memory. */
const memory = "/dev/shm"
/** A run needs at most half of it. */
const leastBytes = 6 * 1024 ** 3

const freeBytes = (): number => {
  const found = statfsSync(memory, { bigint: false })
  return found.bavail * found.bsize
}

const isThere = (): boolean => {
  try {
    return freeBytes() >= leastBytes
  } catch {
    return false
  }
}

/**
 * Databases and files of tests are in memory where the system has enough of it for them: each of hundreds of Apps has a
 * database of its own, and to write it takes a disk five times as long. `TMPDIR` names another place.
 */
export default () => {
  if (process.env["TMPDIR"] !== undefined || !isThere()) return undefined
  const folder = mkdtempSync(join(memory, "sheaf-"))
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
