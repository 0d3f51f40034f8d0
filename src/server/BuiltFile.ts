import { readFile } from "node:fs/promises"

/** Reads a file that the build has made next to the bundle; undefined if there is no such file. */
export const builtFile = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(new URL(`./${path}`, import.meta.url))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
