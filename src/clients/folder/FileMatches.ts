import { folded } from "../../../services/transfers/formats/FileNames.ts"
import type { FoundFile, Scan } from "./FolderScan.ts"
import type { NoteContent } from "./FileText.ts"

/** The targets of links in a note, by those in its file that differ. */
export type LinkTargets = Readonly<Record<string, string>>

/** The state of a note and its file that both sides had: the common base of later changes. */
export interface Base {
  readonly path: string
  readonly identity: string
  readonly stat: string
  readonly hash: string
  readonly note: NoteContent
  /** The links that the file has otherwise. */
  readonly targets?: LinkTargets
  /** The name that the file is about to get, and why. A killed process may have left both names. */
  readonly next?: Pick<Base, "path"> & Pick<NoteContent, "notebook_id" | "title">
}

/** The same for a notebook and its folder. */
export interface FolderBase {
  readonly path: string
  readonly identity: string
  readonly name: string
  readonly parent_id: string | null
}

export interface Matches {
  /** The file of each note that has a base, by the id of the note. */
  readonly byNote: ReadonlyMap<string, FoundFile>
  /** Files of no such note, by their paths. */
  readonly others: ReadonlyMap<string, FoundFile>
}

/** Finds the files of notes: a file that was renamed, and one that an editor has replaced, are the files of their notes. */
export const matched = (bases: ReadonlyMap<string, Base>, { files }: Pick<Scan, "files">): Matches => {
  const byNote = new Map<string, FoundFile>()
  const others = new Map(files)
  const take = (id: string, file: FoundFile | undefined): void => {
    if (file === undefined || byNote.has(id) || !others.has(file.path)) return
    byNote.set(id, file)
    others.delete(file.path)
  }
  const rest = () => [...bases].filter(([id]) => !byNote.has(id))
  for (const [id, { identity, path }] of bases) {
    const file = files.get(path)
    if (file?.identity === identity) take(id, file)
  }
  // Two names of one file are no identity.
  const once = (key: (file: FoundFile) => string) => {
    const found = new Map<string, FoundFile | undefined>()
    for (const file of others.values()) found.set(key(file), found.has(key(file)) ? undefined : file)
    return found
  }
  const byIdentity = once(({ identity }) => identity)
  for (const [id, { identity }] of rest()) take(id, byIdentity.get(identity))
  for (const [id, { path }] of rest()) take(id, others.get(path))
  // A file that an editor has replaced under its name in another case.
  const byName = once(({ path }) => folded(path))
  for (const [id, { path }] of rest()) take(id, byName.get(folded(path)))
  const byHash = once(({ hash }) => hash)
  const missing = Map.groupBy(rest(), ([, { hash }]) => hash)
  for (const [hash, [one, ...more]] of missing) {
    if (more.length === 0 && one![1].note.body !== "") take(one![0], byHash.get(hash))
  }
  return { byNote, others }
}
