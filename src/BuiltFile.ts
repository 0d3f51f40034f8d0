import { readFile } from "node:fs/promises"

/**
 * Reads a file that the build has made next to the bundle; undefined if there is no such file. This file is as far from
 * the root as the bundle, so that `../CHANGELOG.md` is the same file from both.
 */
export const builtFile = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(new URL(`./${path}`, import.meta.url))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
