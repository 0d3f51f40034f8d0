import type { EarlierNotes, OwnFile } from "../EarlierNotes.ts"
import { type FileItem, problem, type ProblemItem } from "../Item.ts"
import { hashOf } from "../UsedFiles.ts"
import type { ReadText } from "./NoteText.ts"

/** Files that were embedded in a text, for the comparison with those of its earlier note. */
export const embeddedIn = ({ files }: ReadText): ReadonlyArray<OwnFile> =>
  files.flatMap(({ filename, open, uses }) => uses.map(({ key }) => ({ key, filename, sha256: () => hashOf(open()) })))

/** Embedded files that the earlier note does not have yet. */
export const newFiles = (
  earlier: EarlierNotes,
  note: string,
  files: ReadonlyArray<FileItem>
): ReadonlyArray<FileItem> => {
  const note_id = earlier.updatedBy(note)
  if (note_id === undefined) return files
  return files.flatMap((file) => {
    const uses = file.uses.filter(({ key }) => !earlier.hasFile(key)).map((use) => ({ ...use, note_id }))
    return uses.length === 0 ? [] : [{ ...file, uses }]
  })
}

export const keysOf = (files: ReadonlyArray<FileItem>): ReadonlyArray<string> =>
  files.flatMap(({ uses }) => uses.map(({ key }) => key))

/** Reports files that a note uses and the import does not have. */
export const missingFiles = (file: string, paths: ReadonlyArray<string>): ProblemItem =>
  problem(
    file,
    "missing_file",
    `Files of it are missing from the archive: ${paths
      .slice(0, 10)
      .map((path) => JSON.stringify(path.slice(0, 200)))
      .join(", ")}${paths.length > 10 ? ", …" : ""}`
  )
