import { diff3Merge } from "node-diff3"
import { replaced, stepsOf } from "./ListChanges.ts"

/** The members of a record. */
export type Data = Readonly<Record<string, unknown>>

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Maximum bytes of a text, by the server. */
export const mostTextBytes = 1_048_576

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Throws a RangeError for a text that no server accepts, so that the app keeps it. */
export const checkSize = ({ body }: Data): void => {
  if (typeof body !== "string" || body.length * 3 <= mostTextBytes) return
  const bytes = bytesOf(body)
  if (bytes > mostTextBytes) {
    throw new RangeError(`The text has ${bytes} bytes. A text has at most ${mostTextBytes}: split it`)
  }
}

/** The members of `data` that differ from those that the user saw. */
export const changedMembers = (data: Data, seen: Data): Data =>
  Object.fromEntries(
    Object.entries(data).filter(([member, value]) => value !== undefined && !same(value, seen[member]))
  )

type Split = (text: string) => ReadonlyArray<string>

const lines: Split = (text) => text.match(/[^\n]*\n|[^\n]+/g) ?? []
const words: Split = (text) => text.match(/\s+|\S+/g) ?? []

/** Groups of some 64 pieces. Their content decides where they end, so that a change concerns one or two groups. */
const grouped =
  (split: Split): Split =>
  (text) => {
    const groups: Array<string> = []
    let group = ""
    for (const piece of split(text)) {
      group += piece
      let hash = 0
      for (let at = 0; at < piece.length; at++) hash = (hash * 31 + piece.charCodeAt(at)) | 0
      if ((hash & 63) !== 1) continue
      groups.push(group)
      group = ""
    }
    return group === "" ? groups : [...groups, group]
  }

/** From coarse pieces to words, so that the comparison of a long text takes few steps. */
const splits: ReadonlyArray<Split> = [grouped(lines), lines, grouped(words), words]

/** Maximum steps of a comparison. They take about half a second. */
const mostSteps = 5e8

/** Joins pieces. Words of two sides that would become one word are separated by a new line. */
const joined = (pieces: ReadonlyArray<string>): string => {
  const parts: Array<string> = []
  for (const piece of pieces) {
    if (piece === "") continue
    if (/\S/.test(parts.at(-1)?.at(-1) ?? " ") && /\S/.test(piece[0]!)) parts.push("\n")
    parts.push(piece)
  }
  return parts.join("")
}

const mergeAt = (level: number, base: string, theirs: string, mine: string): string => {
  if (theirs === base || theirs === mine) return mine
  if (mine === base) return theirs
  const split = splits[level]
  if (split === undefined) return joined([theirs, mine])
  const [old, their, my] = [split(base), split(theirs), split(mine)]
  /** A part of one of the texts, by its place in the base. */
  const part = (by: ReadonlyArray<string>, start: number, end: number) => by.slice(start, by.length - old.length + end)
  const text = (by: ReadonlyArray<string>, start: number, end: number) => part(by, start, end).join("")
  const [one, two] = [replaced(old, their), replaced(old, my)]
  // Changes at different places need no comparison.
  if (one.end <= two.start) return joined([text(their, 0, one.end), text(my, one.end, old.length)])
  if (two.end <= one.start) return joined([text(my, 0, two.end), text(their, two.end, old.length)])
  const [start, end] = [Math.min(one.start, two.start), Math.max(one.end, two.end)]
  const [o, a, b] = [part(old, start, end), part(my, start, end), part(their, start, end)]
  const middle =
    stepsOf(o, a) + stepsOf(o, b) > mostSteps
      ? [b.join(""), a.join("")]
      : diff3Merge([...a], [...o], [...b], { excludeFalseConflicts: true }).map(
          ({ ok, conflict }) =>
            ok?.join("") ?? mergeAt(level + 1, conflict!.o.join(""), conflict!.b.join(""), conflict!.a.join(""))
        )
  return joined([old.slice(0, start).join(""), ...middle, old.slice(end).join("")])
}

/**
 * The text with the changes of both sides since `base`. Where both have replaced the same words, it has first theirs and
 * then mine. No word that either side has typed is dropped.
 */
export const mergeTexts = (base: string, theirs: string, mine: string): string => mergeAt(0, base, theirs, mine)

/** The tags of both sides without those that either side has removed. */
export const mergeTags = (
  base: ReadonlyArray<string>,
  theirs: ReadonlyArray<string>,
  mine: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...theirs.filter((tag) => mine.includes(tag) || !base.includes(tag)),
  ...mine.filter((tag) => !base.includes(tag) && !theirs.includes(tag))
]

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
const listOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value : [])

/**
 * Merges the changed members `mine`, which were made from `seen`, with the current state of the server. Returns what to
 * write on top of that state. A member that both sides have changed keeps the server's value, except for texts and tags.
 * `isWhole` is false if a title or a name of mine has no place in the record, or both texts together are too large: they
 * belong into a conflict copy.
 */
export const merge = (mine: Data, seen: Data, theirs: Data): { readonly data: Data; readonly isWhole: boolean } => {
  const data: Record<string, unknown> = {}
  let isWhole = true
  for (const [member, value] of Object.entries(mine)) {
    const [base, their] = [seen[member], theirs[member]]
    if (same(value, base) || same(value, their)) continue
    if (same(base, their)) data[member] = value
    else if (member === "body") {
      const merged = mergeTexts(textOf(base), textOf(their), textOf(value))
      if (bytesOf(merged) <= mostTextBytes) data[member] = merged
      else isWhole = false
    } else if (member === "tags") data[member] = mergeTags(listOf(base), listOf(their), listOf(value))
    else if (member === "title" || member === "name") isWhole = false
  }
  return { data, isWhole }
}
