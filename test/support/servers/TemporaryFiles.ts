import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"

/** A file system in memory. */
const memory = "/dev/shm"
/** Free bytes that are required; a run uses about 2 GB at a time. */
const leastBytes = 6 * 1024 ** 3

const hasRoom = (): boolean => {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= leastBytes
}

/**
 * Puts the temporary files of a run, including its databases, into memory if there is room. Each of hundreds of Apps
 * has its own database, and a busy disk needs ten times as long to create its files. `TMPDIR` selects another place.
 */
export default () => {
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return undefined
  const folder = mkdtempSync(join(memory, "sheaf-"))
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
