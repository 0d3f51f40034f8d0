import { dirname } from "node:path/posix"
import { folderOf } from "../../../services/transfers/formats/Paths.ts"
import { type FileAccess, isSameFile } from "./FileAccess.ts"
import { joined } from "./FolderNames.ts"

/** The trash of a folder, which note apps use too. */
export const trashFolder = ".trash"

/** Moves a file into the trash of its folder, or gives it a second name there. Returns false if it did neither. */
export const putAside = async (
  access: FileAccess,
  changedFolders: Set<string>,
  path: string,
  put: "move" | "link"
): Promise<boolean> => {
  const target = joined(trashFolder, path)
  await access.makeFolder(dirname(target))
  const file = await access.stats(path)
  for (let number = 1; ; number++) {
    const to = number === 1 ? target : target.replace(/(\.\w+)?$/, ` (${number})$1`)
    const there = await access.stats(to)
    // A killed process has given it this name.
    const isThere = there !== undefined && file !== undefined && isSameFile(there, file)
    if (there !== undefined && !isThere) continue
    changedFolders.add(folderOf(path)).add(dirname(to))
    if (!isThere) return access[put](path, to)
    if (put === "move") await access.removeName(path, there)
    return true
  }
}
