import { expect } from "vitest"

/** What must hold for links when notes change (contract 5, Links in a body). */

/** A link in a note, and what a full list of the links has about it. */
export interface Link {
  readonly note_id: string
  readonly target: string
  readonly status: string
  readonly resolved_by: string | null
  readonly target_id: string | null
  readonly candidates: ReadonlyArray<string>
  readonly start_at: number
}

/** By what links find notes: title, notebook, aliases and former titles, by the ids of the notes. */
export type Identities = ReadonlyMap<string, string>

/** The links of a workspace, what its notes are called, and the paths of its notebooks. */
export interface Linked {
  readonly links: ReadonlyArray<Link>
  readonly notes: Identities
  readonly tree: string
}

const keyOf = ({ note_id, target }: Link): string => `${note_id} ${target}`

/**
 * A link that led to a note leads to it, or is listed as broken, with the reason. It leads to another note only if that
 * note got the name, or the first one lost it. A link with `..` says from where it leads.
 */
export const checkLinks = (before: Linked, after: Linked): void => {
  const now = new Map(after.links.map((link) => [keyOf(link), link]))
  for (const link of before.links) {
    const found = now.get(keyOf(link))
    if (link.target_id === null || found === undefined || found.target_id === link.target_id) continue
    const isBroken =
      (found.status === "missing" && found.candidates.length === 0) ||
      (found.status === "ambiguous" && found.candidates.length > 1)
    const isChanged = (id: string) => before.notes.get(id) !== after.notes.get(id)
    const isAllowed =
      isBroken ||
      (found.target_id === null
        ? found.status === "file"
        : isChanged(link.target_id) ||
          isChanged(found.target_id) ||
          isChanged(link.note_id) ||
          (link.target.includes("/") && before.tree !== after.tree))
    expect(isAllowed, `${JSON.stringify(link)} became ${JSON.stringify(found)}`).toBe(true)
  }
}

/** The links of each note, in the order of its text. */
const inOrder = (links: ReadonlyArray<Link>) =>
  Map.groupBy(
    links.toSorted((one, other) => one.start_at - other.start_at),
    ({ note_id }) => note_id
  )

/**
 * Every link that led to a note still leads to it, as the same link of its text; and so does every link by a title or alias to
 * another note, unless it says from where it leads.
 */
export const checkUpdated = (before: Linked, after: Linked, id: string): void => {
  const now = inOrder(after.links)
  for (const [note_id, links] of inOrder(before.links)) {
    const made = now.get(note_id) ?? []
    expect(made.length, `the number of links in ${note_id}`).toBe(links.length)
    for (const [index, link] of links.entries())
      if (link.target_id === id || (/^(title|alias)$/.test(link.resolved_by ?? "") && !link.target.includes("..")))
        expect(made[index]!.target_id, `${JSON.stringify(link)} became ${JSON.stringify(made[index])}`).toBe(
          link.target_id
        )
  }
}

/**
 * Every link leads to the copy of the note to which the original leads. Former titles are not in the JSON of an export: links
 * by these are broken there.
 */
export const checkCopied = (
  format: "json" | "markdown",
  original: ReadonlyArray<Link>,
  copy: ReadonlyArray<Link>,
  copies: ReadonlyMap<string, string>
): void => {
  const made = inOrder(copy)
  for (const [note_id, links] of inOrder(original)) {
    const own = made.get(copies.get(note_id)!) ?? []
    expect(own.length, `the number of links in the copy of ${note_id}`).toBe(links.length)
    for (const [index, link] of links.entries())
      if (link.target_id !== null && (format === "markdown" || link.resolved_by !== "former"))
        expect(own[index]!.target_id, `${JSON.stringify(link)} became ${JSON.stringify(own[index])}`).toBe(
          copies.get(link.target_id)
        )
  }
}

/** After a revert of the last change, every link leads to the note to which it led before it. */
export const checkReverted = (before: Linked, after: Linked): void => {
  const now = inOrder(after.links)
  for (const [note_id, links] of inOrder(before.links)) {
    const made = now.get(note_id) ?? []
    const targets = (of: ReadonlyArray<Link>) => of.map(({ target }) => target)
    expect(targets(made), `the links in ${note_id}`).toEqual(targets(links))
    for (const [index, link] of links.entries())
      if (link.target_id !== null && link.resolved_by !== "former")
        expect(made[index]!.target_id, `${JSON.stringify(link)} became ${JSON.stringify(made[index])}`).toBe(
          link.target_id
        )
  }
}

/** Nothing but one line has changed. */
export const checkTicked = (before: string, after: string, line: number): void => {
  const [old, made] = [before.split("\n"), after.split("\n")]
  expect(made.length).toBe(old.length)
  expect(made.flatMap((text, index) => (text === old[index] ? [] : [index + 1]))).toEqual([line])
}
