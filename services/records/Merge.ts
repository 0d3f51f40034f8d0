import { diff3Merge, LCS } from "node-diff3"
import { replaced, stepsOf } from "../ListChanges.ts"

/** The members of a record. */
export type Data = Readonly<Record<string, unknown>>

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Maximum bytes of a text, by the server. */
export const maxTextBytes = 1_048_576

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Throws a RangeError for a text that no server accepts, so that the app keeps it. */
export const checkSize = ({ body }: Data): void => {
  const bytes = typeof body === "string" ? bytesOf(body) : 0
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
/** A link in double brackets is one word, as are signs without white space. Linear: no bracket is looked at from another one. */
const word = /((?:\[\[[^[\n]*?]]|\S)+)/g
const words: Split = (text) => text.split(word)

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

/** Joins pieces. Words of two sides that would become one word are separated. */
const joined = (pieces: ReadonlyArray<string>, separator = "\n"): string => {
  const parts: Array<string> = []
  for (const piece of pieces) {
    if (piece === "") continue
    if (/\S/.test(parts.at(-1)?.at(-1) ?? " ") && /\S/.test(piece[0]!)) parts.push(separator)
    parts.push(piece)
  }
  return parts.join("")
}

const onlyWords: Split = (text) => text.match(word) ?? []

/** The places in `side` of the words of `base` that it has kept; undefined if their comparison takes too many steps. */
const keptBy = (base: ReadonlyArray<string>, side: ReadonlyArray<string>): ReadonlyMap<number, number> | undefined => {
  const added = side.length - base.length
  // An insertion is before the last words that it repeats.
  const { end, start } = replaced(base, side)
  const [old, now] = [base.slice(start, end), side.slice(start, end + added)]
  let next = 0
  let places = old.map((word, at) => {
    while (next < now.length && now[next] !== word) next++
    return [at, next++] as const
  })
  if (next > now.length) {
    if (stepsOf(old, now) > maxSteps) return undefined
    places = []
    for (let at = LCS([...old], [...now]); at.chain !== null; at = at.chain)
      places.push([at.buffer1index, at.buffer2index])
  }
  return new Map([
    ...base.slice(0, start).map((_, at) => [at, at] as const),
    ...places.map(([at, place]) => [start + at, start + place] as const),
    ...base.slice(end).map((_, at) => [end + at, end + at + added] as const)
  ])
}

/** The parts of a text before, between and after some of its words. */
const gapsOf = (text: string, places: ReadonlyArray<number>): ReadonlyArray<string> => {
  const words = [...text.matchAll(word)]
  const endOf = (place: number) => words[place]!.index + words[place]![0].length
  return [...places, words.length].map((place, at) =>
    text.slice(at === 0 ? 0 : endOf(places[at - 1]!), words[place]?.index ?? text.length)
  )
}

/** A text without some of its words. The larger of the spaces on both sides of such a word stays. */
const withoutWords = (text: string, isDropped: (place: number) => boolean): string => {
  const parts = text.split(word)
  let kept = parts[0]!
  for (let at = 1; at < parts.length; at += 2) {
    const space = parts[at + 1]!
    if (!isDropped(at >> 1)) kept += parts[at]! + space
    else if (space.length > kept.length - kept.trimEnd().length) kept = kept.trimEnd() + space
  }
  return kept
}

/**
 * Merges texts by the words of `base` that both sides have kept. Between two of them is what both have typed, without the
 * words that one of them has removed. Undefined if that takes too many steps.
 */
const mergeWords = (base: string, theirs: string, mine: string, separator?: string): string | undefined => {
  const old = onlyWords(base)
  const [their, my] = [keptBy(old, onlyWords(theirs)), keptBy(old, onlyWords(mine))]
  if (their === undefined || my === undefined) return undefined
  const anchors = [...old.keys()].filter((at) => their.has(at) && my.has(at))
  const sideOf = (text: string, kept: ReadonlyMap<number, number>) => {
    const places = anchors.map((at) => kept.get(at)!)
    const [gaps, isOld] = [gapsOf(text, places), new Set(kept.values())]
    const typed = (at: number) => withoutWords(gaps[at]!, (place) => isOld.has(place + (places[at - 1] ?? -1) + 1))
    return { gaps, typed }
  }
  const [one, other] = [sideOf(theirs, their), sideOf(mine, my)]
  const parts = gapsOf(base, anchors).map((gap, at) => {
    const [their, my] = [one.gaps[at]!, other.gaps[at]!]
    if (their === gap || their === my) return my
    if (my === gap) return their
    return joined([one.typed(at), other.typed(at)], separator)
  })
  return joined(parts.flatMap((part, at) => [part, old[anchors[at] ?? -1] ?? ""]))
}

/** A line that would be another one if it were broken: of a list, a task, a heading, a table, a quotation or a property. */
const structured = /^\s*([-*+|>#]+|[\w-]+[:.)])\s.*\n?$/

const mergeAt = (level: number, base: string, theirs: string, mine: string, separator?: string): string => {
  if (theirs === base || theirs === mine) return mine
  if (mine === base) return theirs
  if (structured.test(base)) separator = " "
  const split = splits[level]
  if (split === undefined) return mergeWords(base, theirs, mine, separator) ?? joined([theirs, mine])
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
            ok?.join("") ??
            mergeAt(level + 1, conflict!.o.join(""), conflict!.b.join(""), conflict!.a.join(""), separator)
        )
  return joined([old.slice(0, start).join(""), ...middle, old.slice(end).join("")])
}

const countsOf = (text: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const word of onlyWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/**
 * The text with the changes of both sides since `base`. Where both have replaced the same words, it has first theirs and
 * then mine. No word that either side has typed is dropped, none is there twice, and none comes back that a side has removed.
 */
export const mergeTexts = (base: string, theirs: string, mine: string): string => {
  const [old, their, my] = [countsOf(base), countsOf(theirs), countsOf(mine)]
  const isRight = (merged: string): boolean => {
    const all = countsOf(merged)
    return [...new Set([old, their, my].flatMap((counts) => [...counts.keys()]))].every((word) => {
      const [before, one, other, now] = [old, their, my, all].map((counts) => counts.get(word) ?? 0) as [
        number,
        number,
        number,
        number
      ]
      const isOnlyAdded = one >= before && other >= before
      const least = isOnlyAdded ? Math.max(one, other) : Math.max(one, other) - before
      return now >= least && now <= Math.max(0, one + other - before)
    })
  }
  const merged = mergeAt(0, base, theirs, mine)
  if (isRight(merged)) return merged
  // Lines and spaces that occur several times may have been compared with others than those that they come from.
  const byWords = mergeWords(base, theirs, mine)
  return byWords !== undefined && isRight(byWords) ? byWords : merged
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
