import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"

/** A file system in memory. */
const memory = "/dev/shm"
/** A run has about 2 GB at a time. */
const leastBytes = 6 * 1024 ** 3

const hasRoom = (): boolean => {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= leastBytes
}

/**
 * Places the temporary files of a run, with its databases, in memory where that has room for them. Each of hundreds of Apps
 * has a database of its own, whose files a busy disk takes ten times as long to create. `TMPDIR` names another place.
 */
export default () => {
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return undefined
  const folder = mkdtempSync(join(memory, "sheaf-"))
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
