import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Creates a directory with its parents, for the user of this process only. `mkdirSync` with `recursive` never returns for
 * a path such as /proc/nope, for which the system reports an existing parent as missing.
 */
export const makeDirectory = (directory: string): void => {
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST" && statSync(directory).isDirectory()) return
    if (code !== "ENOENT" || existsSync(dirname(directory))) throw error
    makeDirectory(dirname(directory))
    mkdirSync(directory, { mode: 0o700 })
  }
}
