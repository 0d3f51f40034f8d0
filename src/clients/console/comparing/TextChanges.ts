import { diffIndices } from "node-diff3"
import { replaced, stepsOf } from "../../../../services/ListChanges.ts"

/** Pieces that two texts have in common, and the pieces after them that were removed and added. */
export interface Run {
  readonly same: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
}

/** Maximum steps of a comparison: some 50 ms. Lists that need more are one change. */
const maxSteps = 5e7
/** The least part of two texts that is equal in a text whose words were changed; with less it is another text. */
const leastEqual = 0.4

/** Words with the white space after them; single characters of scripts without spaces. */
const words = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]+\s*|\s+/gu

/** Lines with their line breaks. */
const wholeLines = /[^\n]*\n|[^\n]+/g

const runsOf = (old: ReadonlyArray<string>, fresh: ReadonlyArray<string>): ReadonlyArray<Run> => {
  const { end, start } = replaced(old, fresh)
  const [from, to] = [old.slice(start, end), fresh.slice(start, fresh.length - old.length + end)]
  const last = { same: old.slice(end), removed: [], added: [] }
  if (stepsOf(from, to) > maxSteps) return [{ same: old.slice(0, start), removed: from, added: to }, last]
  const runs: Array<Run> = []
  let at = 0
  for (const { buffer1, buffer1Content, buffer2Content } of diffIndices([...from], [...to])) {
    runs.push({ same: old.slice(at, start + buffer1[0]), removed: buffer1Content, added: buffer2Content })
    at = start + buffer1[0] + buffer1[1]
  }
  return [...runs, { ...last, same: old.slice(at) }]
}

/** The lines that were changed between two texts. The last run has no changes. */
export const lineRuns = (from: string, to: string): ReadonlyArray<Run> => runsOf(from.split("\n"), to.split("\n"))

/** The words that were changed between two texts; undefined if they have little in common. */
export const wordRuns = (from: string, to: string): ReadonlyArray<Run> | undefined => {
  const runs = runsOf(from.match(words) ?? [], to.match(words) ?? [])
  const equal = runs.reduce((sum, { same }) => sum + same.join("").length, 0)
  return 2 * equal < leastEqual * (from.length + to.length) ? undefined : runs
}

/** A change of a text, by places in it. */
interface TextChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

type Split = (text: string) => ReadonlyArray<string>

const linesOf: Split = (text) => text.match(wholeLines) ?? []

/** From coarse pieces to characters, so that the comparison of long texts takes few steps. */
const toCharacters: ReadonlyArray<Split> = [linesOf, (text) => text.match(words) ?? [], (text) => [...text]]

/** Words without the white space after them: the last word of a text stays when others continue it. */
const toWords: ReadonlyArray<Split> = [
  linesOf,
  (text) => (text.match(words) ?? []).flatMap((each) => each.split(/(\s+)/))
]

const changesAt = (
  [split, ...finer]: ReadonlyArray<Split>,
  from: string,
  to: string,
  start = 0
): ReadonlyArray<TextChange> => {
  if (from === to) return []
  if (split === undefined) return [{ from: start, to: start + from.length, insert: to }]
  let at = start
  return runsOf(split(from), split(to)).flatMap(({ added, removed, same }) => {
    const old = removed.join("")
    const place = at + same.join("").length
    at = place + old.length
    return changesAt(finer, old, added.join(""), place)
  })
}

/** The changes from one text to another, no larger than the parts of words that differ: a cursor elsewhere stays. */
export const textChanges = (from: string, to: string): ReadonlyArray<TextChange> => changesAt(toCharacters, from, to)

/** The changes from one text to another in whole words, with the white space between words that were changed. */
export const wordChanges = (from: string, to: string): ReadonlyArray<TextChange> => {
  const joined: Array<TextChange> = []
  for (const change of changesAt(toWords, from, to)) {
    const last = joined.at(-1)
    const between = last === undefined ? undefined : from.slice(last.to, change.from)
    if (last === undefined || between === undefined || /\S/.test(between)) joined.push(change)
    else joined[joined.length - 1] = { from: last.from, to: change.to, insert: last.insert + between + change.insert }
  }
  return joined
}
