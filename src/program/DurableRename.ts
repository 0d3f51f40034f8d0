import { closeSync, fsyncSync, openSync, renameSync } from "node:fs"
import { dirname } from "node:path"

/** Renames a file or a directory, so that its new name survives a crash of the machine. */
export const durableRename = (from: string, to: string): void => {
  renameSync(from, to)
  const directory = openSync(dirname(to), "r")
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
