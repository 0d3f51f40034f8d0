import { anchorOf, folded, type Reading, readingsOf } from "./LinkText.ts"

/** Which note a link means, among those that have its name (contract 5, "Links in a body"). */

/** A place in a note of the workspace. */
export interface LinkedNote {
  readonly id: string
  /** The id of the anchor on the page of the note; empty for its beginning. */
  readonly anchor: string
}

/** A note with the name of a link, as its title or as an alias. */
export interface Namesake {
  readonly id: string
  readonly title: string
  readonly notebook_id: string
  readonly created_at: string
}

interface Notebook {
  readonly parent_id: string | null
  readonly name: string
}

type Tree = ReadonlyMap<string, Notebook>

const idTarget = /^(nt_[0-9A-Za-z_-]{16,40})(?:#(.*))?$/s

/** The place to which a target leads by an id; undefined if it names a note. */
export const placeById = (target: string): LinkedNote | undefined => {
  const [, id, place = ""] = idTarget.exec(target) ?? []
  return id === undefined ? undefined : { id, anchor: place === "" ? "" : anchorOf(place) }
}

/** Whether the path of a notebook ends with these folders. */
const isWithin = (tree: Tree, notebook_id: string, folders: ReadonlyArray<string>) => {
  let notebook = tree.get(notebook_id)
  for (const folder of folders.toReversed()) {
    if (notebook === undefined || folded(notebook.name) !== folded(folder)) return false
    notebook = notebook.parent_id === null ? undefined : tree.get(notebook.parent_id)
  }
  return true
}

/** The names of folders that `..` leaves, from the notebook of the note with the link. */
const fromNotebook = (tree: Tree, notebook_id: string, folders: ReadonlyArray<string>) => {
  const up = folders.findLastIndex((name) => name === "..") + 1
  if (up === 0) return folders
  const path: Array<string> = []
  for (
    let at = tree.get(notebook_id);
    at !== undefined;
    at = at.parent_id === null ? undefined : tree.get(at.parent_id)
  ) {
    path.unshift(at.name)
  }
  return [...path.slice(0, Math.max(0, path.length - up)), ...folders.slice(up)]
}

const best = (
  { folders, title }: Reading,
  namesakes: ReadonlyArray<Namesake>,
  tree: Tree,
  notebook_id: string
): Namesake | undefined => {
  const path = fromNotebook(tree, notebook_id, folders)
  const rank = (note: Namesake) =>
    (note.notebook_id === notebook_id ? 0 : 4) +
    (note.title === title ? 0 : folded(note.title) === folded(title) ? 1 : 2)
  return namesakes
    .filter((note) => path.length === 0 || isWithin(tree, note.notebook_id, path))
    .toSorted(
      (one, other) =>
        rank(one) - rank(other) ||
        (one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0) ||
        (one.id < other.id ? -1 : 1)
    )[0]
}

/**
 * The place to which a target leads by a name, from a note in a notebook. If several notes have the name, it is the one in
 * this notebook, then the one in the same case, then one whose title it is, then the oldest. `named` returns the notes with
 * a folded name.
 */
export const placeByName = (
  target: string,
  named: (key: string) => ReadonlyArray<Namesake>,
  tree: Tree,
  notebook_id: string
): LinkedNote | undefined => {
  for (const reading of readingsOf(target)) {
    const note = best(reading, named(folded(reading.title)), tree, notebook_id)
    if (note !== undefined) return { id: note.id, anchor: reading.place === "" ? "" : anchorOf(reading.place) }
  }
  return undefined
}
