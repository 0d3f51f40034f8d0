import { diff3Merge, LCS } from "node-diff3"
import { replaced, stepsOf } from "./ListChanges.ts"

/** The members of a record. */
export type Data = Readonly<Record<string, unknown>>

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Maximum bytes of a text, by the server. */
export const maxTextBytes = 1_048_576

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Throws a RangeError for a text that no server accepts, so that the app keeps it. */
export const checkSize = ({ body }: Data): void => {
  if (typeof body !== "string" || body.length * 3 <= maxTextBytes) return
  const bytes = bytesOf(body)
  if (bytes > maxTextBytes) {
    throw new RangeError(`The text has ${bytes} bytes. A text has at most ${maxTextBytes}: split it`)
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
const maxSteps = 5e8

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
    stepsOf(o, a) + stepsOf(o, b) > maxSteps
      ? [b.join(""), a.join("")]
      : diff3Merge([...a], [...o], [...b], { excludeFalseConflicts: true }).map(
          ({ ok, conflict }) =>
            ok?.join("") ?? mergeAt(level + 1, conflict!.o.join(""), conflict!.b.join(""), conflict!.a.join(""))
        )
  return joined([old.slice(0, start).join(""), ...middle, old.slice(end).join("")])
}

const onlyWords: Split = (text) => text.match(/\S+/g) ?? []

/** The texts of `side` before, between and after the words of `base`; undefined if it does not have all of them in order. */
const gapsOf = (base: ReadonlyArray<string>, side: string): ReadonlyArray<string> | undefined => {
  const found = [...side.matchAll(/\S+/g)]
  // An insertion is before the last words that it repeats.
  const { end } = replaced(
    base,
    found.map(([word]) => word)
  )
  const gaps: Array<string> = []
  let [next, start] = [0, 0]
  for (const [index, word] of base.entries()) {
    const last = found.length - base.length + index
    if (index >= end) next = Math.max(next, last)
    while (next < found.length && found[next]![0] !== word) next++
    const place = found[next++]
    if (place === undefined) return undefined
    gaps.push(side.slice(start, place.index))
    start = place.index + word.length
  }
  return [...gaps, side.slice(start)]
}

const countsOf = (text: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const word of onlyWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Merges texts that both have all words of `base`, as insertions between these words; undefined for other texts. */
const withInsertions = (base: string, theirs: string, mine: string): string | undefined => {
  const old = onlyWords(base)
  const [gaps, their, my] = [base, theirs, mine].map((text) => gapsOf(old, text))
  if (gaps === undefined || their === undefined || my === undefined) return undefined
  return joined(gaps.flatMap((gap, at) => [mergeAt(splits.length, gap, their[at]!, my[at]!), old[at] ?? ""]))
}

/**
 * The text with the changes of both sides since `base`. Where both have replaced the same words, it has first theirs and
 * then mine. No word that either side has typed is dropped, and none is there twice if both sides have only added words.
 */
export const mergeTexts = (base: string, theirs: string, mine: string): string => {
  const merged = mergeAt(0, base, theirs, mine)
  const inserted = withInsertions(base, theirs, mine)
  if (inserted === undefined) return merged
  // Lines and spaces that occur several times may have been compared with others than those that they come from.
  const [old, their, my, all] = [countsOf(base), countsOf(theirs), countsOf(mine), countsOf(merged)]
  const isRight = [...their.keys(), ...my.keys()].every((word) => {
    const count = (counts: ReadonlyMap<string, number>) => counts.get(word) ?? 0
    const now = count(all)
    return now >= Math.max(count(their), count(my)) && now <= count(their) + count(my) - count(old)
  })
  return isRight ? merged : inserted
}

/** The words that two texts have in common, in their order. */
const common = (one: string, other: string): string => {
  for (const pattern of [/\S+\s*/g, /[^\n]*\n|[^\n]+/g]) {
    const pieces = one.match(pattern) ?? []
    const trimmed = pieces.map((piece) => piece.trim())
    const others = (other.match(pattern) ?? []).map((piece) => piece.trim())
    if (stepsOf(trimmed, others) > maxSteps) continue
    const kept: Array<string> = []
    for (let at = LCS(trimmed, others); at.chain !== null; at = at.chain) kept.push(pieces[at.buffer1index]!)
    return joined(kept.toReversed())
  }
  return ""
}

/**
 * The text with the changes of both sides, which have more in common than `base`: both continue a history of which only the
 * beginning is known. What both have is there once.
 */
export const mergeHistories = (base: string, theirs: string, mine: string): string => {
  const both = common(theirs, mine)
  return mergeTexts(mergeTexts(common(base, both), base, both), theirs, mine)
}

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
export const merge = (
  mine: Data,
  seen: Data,
  theirs: Data,
  textsMerged = mergeTexts
): { readonly data: Data; readonly isWhole: boolean } => {
  const data: Record<string, unknown> = {}
  let isWhole = true
  for (const [member, value] of Object.entries(mine)) {
    const [base, their] = [seen[member], theirs[member]]
    if (same(value, base) || same(value, their)) continue
    if (same(base, their)) data[member] = value
    else if (member === "body") {
      const merged = textsMerged(textOf(base), textOf(their), textOf(value))
      if (bytesOf(merged) <= maxTextBytes) data[member] = merged
      else isWhole = false
    } else if (member === "tags") data[member] = mergeTags(listOf(base), listOf(their), listOf(value))
    else if (member === "title" || member === "name") isWhole = false
  }
  return { data, isWhole }
}
