import { open } from "node:fs/promises"
import { Archive, isArchive } from "../zip/Archive.ts"
import { Unpacked } from "../zip/ArchiveDirectory.ts"
import { Damaged, type Limits } from "../Item.ts"
import { archiveForm } from "./ArchiveForms.ts"
import type { Found } from "./Forms.ts"
import { headBytes, textForm } from "./TextForms.ts"

/** Recognises what a user's file is by its content, whatever its name and its source say. */

/** The place of the mark of a tar archive, in which Joplin exports. */
const tarMark = 257

const ofArchive = async (path: string, limits: Limits): Promise<Found> => {
  let archive: Archive
  try {
    archive = await Archive.open(path, limits, new Unpacked(limits))
  } catch (error) {
    // Its reader reports it.
    if (!(error instanceof Damaged)) throw error
    return undefined
  }
  try {
    return await archiveForm(archive)
  } finally {
    await archive.close()
  }
}

/** Returns the form of a file; undefined if nothing marks it. `isArchive`: it is a ZIP. */
export const recognized = async (
  path: string,
  filename: string,
  limits: Limits
): Promise<{ readonly found: Found; readonly isArchive: boolean }> => {
  if (await isArchive(path)) return { found: await ofArchive(path, limits), isArchive: true }
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(size, headBytes)),
      0,
      Math.min(size, headBytes),
      0
    )
    const head = buffer.subarray(0, bytesRead)
    if (head.subarray(tarMark, tarMark + 5).toString("latin1") === "ustar") return { found: "joplin", isArchive: false }
    return { found: await textForm(head, size, filename, () => file.readFile()), isArchive: false }
  } finally {
    await file.close()
  }
}
