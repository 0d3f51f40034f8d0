import { dirname } from "node:path/posix"
import { folderOf } from "../../../services/transfers/formats/Paths.ts"
import type { FileAccess } from "./FileAccess.ts"
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
  for (let number = 1; ; number++) {
    const to = number === 1 ? target : target.replace(/(\.\w+)?$/, ` (${number})$1`)
    if ((await access.stats(to)) !== undefined) continue
    changedFolders.add(folderOf(path)).add(dirname(to))
    return access[put](path, to)
  }
}
