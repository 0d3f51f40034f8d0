import { open } from "node:fs/promises"

/** Makes the creations, renames and removals in a directory survive a crash of the machine. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
