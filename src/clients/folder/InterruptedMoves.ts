import { type FileAccess, isSameFile } from "./FileAccess.ts"
import type { FolderStore } from "./FolderStore.ts"
import { identityOf } from "./FolderScan.ts"

/** Leaves one name to each file whose move was interrupted: a second one would be the file of a new note. */
export const endMoves = async (access: FileAccess, store: FolderStore): Promise<void> => {
  for (const [id, { next, ...base }] of [...store.bases].filter(([, each]) => each.next !== undefined)) {
    const { path, ...named } = next!
    const [before, after] = [await access.stats(base.path), await access.stats(path)]
    // A name in another case is no second one on some systems.
    if (before !== undefined && after !== undefined && isSameFile(before, after) && after.nlink > 1)
      await access.removeName(path, after)
    const isMoved = before === undefined && after !== undefined && identityOf(after) === base.identity
    store.setBase(id, isMoved ? { ...base, path, note: { ...base.note, ...named } } : base)
  }
}
