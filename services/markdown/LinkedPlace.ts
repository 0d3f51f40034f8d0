import { anchorOf, folded, type Reading, readingsOf } from "./LinkText.ts"

/** Which note a link means, among those that have its name (contract 5, "Links in a body"). */

/** A place in a note of the workspace. */
export interface LinkedNote {
  readonly id: string
  /** The id of the anchor on the page of the note; empty for its beginning. */
  readonly anchor: string
}

/**
 * How a note has the name of a link: as its title, as an alias in its front matter, or as a title that it had in the last
 * 90 days.
 */
export type NameKind = "title" | "alias" | "former"

/** A note with the name of a link. */
export interface Namesake {
  readonly id: string
  readonly kind: NameKind
  /** The title, or the alias without regard to case. */
  readonly name: string
  /** Its notebook; for a former title, the one in which it had that title. */
  readonly notebook_id: string
  /** Until when it has a former title. */
  readonly until?: string
}

/** The note of a link, or the notes that it may mean equally. `until`: when that ends by itself. */
export type Found = (
  | (LinkedNote & { readonly by: "id" | NameKind })
  | { readonly candidates: ReadonlyArray<string> }
) & { readonly until?: string }

interface Notebook {
  readonly parent_id: string | null
  readonly name: string
}

export type Tree = ReadonlyMap<string, Notebook>

const idTarget = /^(nt_[0-9A-Za-z_-]{16,40})(?:#(.*))?$/s

/** The place to which a target leads by an id; undefined if it names a note. */
export const placeById = (target: string): LinkedNote | undefined => {
  const [, id, place = ""] = idTarget.exec(target) ?? []
  return id === undefined ? undefined : { id, anchor: place === "" ? "" : anchorOf(place) }
}

/** The names of a notebook and of those around it, the outermost first. */
export const pathOf = (tree: Tree, notebook_id: string): ReadonlyArray<string> => {
  const path: Array<string> = []
  for (
    let at = tree.get(notebook_id);
    at !== undefined;
    at = at.parent_id === null ? undefined : tree.get(at.parent_id)
  ) {
    path.unshift(at.name)
  }
  return path
}

const isEqual = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((name, index) => folded(name) === folded(other[index]!))

const only = (notes: ReadonlyArray<Namesake>): Namesake | undefined => {
  const [first] = notes
  return first !== undefined && notes.every(({ id }) => id === first.id) ? first : undefined
}

/**
 * The one note that a reading means; several if it may mean each of them. A note is preferred whose whole path is that of
 * the link, then one whose title is written like the link. Only `..` depends on the notebook of the link.
 */
const meant = (
  { folders, title }: Reading,
  namesakes: ReadonlyArray<Namesake>,
  tree: Tree,
  notebook_id: string
): ReadonlyArray<Namesake> => {
  const up = folders.findLastIndex((name) => name === "..") + 1
  const from = up === 0 ? [] : pathOf(tree, notebook_id)
  const path = [...from.slice(0, Math.max(0, from.length - up)), ...folders.slice(up)]
  for (const kind of ["title", "alias", "former"] as const) {
    const within = namesakes.flatMap((note) => {
      if (note.kind !== kind) return []
      const own = pathOf(tree, note.notebook_id)
      const isWhole = isEqual(own, path)
      // No note is at the top itself.
      const isWithin =
        (up === 0 || path.length === 0) && isEqual(own.slice(Math.max(0, own.length - path.length)), path)
      return isWhole || isWithin ? [{ note, isWhole }] : []
    })
    if (within.length === 0) continue
    const all = within.map(({ note }) => note)
    for (const notes of [within.filter(({ isWhole }) => isWhole).map(({ note }) => note), all]) {
      const one = only(notes) ?? only(notes.filter(({ name }) => name === title))
      if (one !== undefined) return [one]
    }
    return all
  }
  return []
}

/**
 * The place to which a target leads by a name, from a note in a notebook: of the ways to read it, the first that any note
 * has as its name. `named` returns the notes with a folded name.
 */
export const placeByName = (
  target: string,
  named: (key: string) => ReadonlyArray<Namesake>,
  tree: Tree,
  notebook_id: string
): Found | undefined => {
  for (const reading of readingsOf(target)) {
    const notes = meant(reading, named(folded(reading.title)), tree, notebook_id)
    const [note, ...others] = notes
    if (note === undefined) continue
    const times = notes.flatMap(({ until }) => until ?? []).toSorted()
    const ends = times.length === 0 ? {} : { until: times[0]! }
    if (others.length > 0) return { candidates: [...new Set(notes.map(({ id }) => id))], ...ends }
    return { id: note.id, anchor: reading.place === "" ? "" : anchorOf(reading.place), by: note.kind, ...ends }
  }
  return undefined
}

/** The address of a link to a note on a page for members. */
export const pageLink = (target: string, found: Found | undefined): string => {
  if (found === undefined) return `#missing:${encodeURIComponent(target)}`
  if (!("id" in found)) return `#ambiguous:${encodeURIComponent(target)}`
  return `#note:${found.id}${found.anchor === "" ? "" : `#${encodeURIComponent(found.anchor)}`}`
}
