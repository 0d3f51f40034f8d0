import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"

/** A file system in memory. */
const memory = "/dev/shm"
/** Free bytes that are required; a run uses about 2 GB at a time. */
const leastBytes = 6 * 1024 ** 3

const hasRoom = (): boolean => {
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= leastBytes
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

/** Removes what runs that were killed have left: it takes memory until the machine starts again. */
const removeLeftovers = (): void => {
  for (const name of readdirSync(memory)) {
    const [, pid] = /^sheaf-(\d+)-\w{6}$/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(memory, name), { recursive: true, force: true })
  }
}

/**
 * Puts the temporary files of a run, including its databases, into memory if there is room. Each of hundreds of Apps
 * has its own database, and a busy disk needs ten times as long to create its files. `TMPDIR` selects another place.
 */
export default () => {
  if (process.env["TMPDIR"] !== undefined || !existsSync(memory)) return undefined
  removeLeftovers()
  if (!hasRoom()) return undefined
  const folder = mkdtempSync(join(memory, `sheaf-${process.pid}-`))
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
