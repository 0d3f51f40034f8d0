import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { durableRename } from "./DurableRename.ts"

/** Writes a file that only its owner can read, atomically. After its return the file survives a crash of the machine. */
export const writePrivate = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  const handle = openSync(temporary, "w", 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  durableRename(temporary, file)
}
