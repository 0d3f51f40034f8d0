import { describe, expect, it } from "vitest"
import { differ, instead, lost, rewritten } from "./ConverterDifferences.ts"
import { evernotePairs, notionPairs, type Pair } from "./Expected.ts"
import { differences, lostWords } from "./Outline.ts"
import { hasSamples, withSamples } from "./Reading.ts"

/** Compares a line with a line of the table, which may be cut short. */
const isLike = (line: string, written: string) =>
  written.endsWith("*") ? line.startsWith(written.slice(0, -1)) : line === written
const areLike = (lines: ReadonlyArray<string>, written: string): boolean => {
  const wanted = written.split("\n")
  return lines.length === wanted.length && wanted.every((each, index) => isLike(lines[index]!, each))
}

/** Lines are compared one by one if both sides have the same number: each difference has a reason. */
const single = ({ ours, theirs }: ReturnType<typeof differences>[number]) =>
  ours.length === theirs.length
    ? theirs.map((line, index) => ({ theirs: [line], ours: [ours[index]!] }))
    : [{ theirs, ours }]

const isRewritten = (pair: Pair, line: string, other: string): boolean =>
  rewritten.some(({ note }) => note === pair.name) && /^[^\p{L}]*/u.exec(line)?.[0] === /^[^\p{L}]*/u.exec(other)?.[0]

describe.skipIf(!hasSamples)(`notes that the tests of Obsidian Importer expect${withSamples}`, () => {
  it("are imported equally, except for explained differences, without losing a word", async () => {
    const found: Array<{ note: string; theirs: string; ours: string }> = []
    const unused = new Set(differ)
    const replaced = instead.map(() => 0)
    const anew = new Map(rewritten.map(({ note }) => [note, 0]))
    const words: Array<readonly [string, ReadonlyArray<string>]> = []
    const pairs = [...(await evernotePairs()), ...(await notionPairs())]
    for (const pair of pairs) {
      const theirs = pair.theirs.map((line) =>
        instead.reduce((said, each, index) => {
          const parts = said.split(each.theirs)
          replaced[index]! += parts.length - 1
          return parts.join(each.ours)
        }, line)
      )
      for (const each of differences(theirs, pair.ours).flatMap(single)) {
        const known = [...unused].find(
          ({ note, ours, theirs }) => note === pair.name && areLike(each.theirs, theirs) && areLike(each.ours, ours)
        )
        if (known !== undefined) unused.delete(known)
        else if (each.theirs.length === 1 && isRewritten(pair, each.theirs[0]!, each.ours[0] ?? "")) {
          anew.set(pair.name, anew.get(pair.name)! + 1)
        } else found.push({ note: pair.name, theirs: each.theirs.join("\n"), ours: each.ours.join("\n") })
      }
      if (!anew.has(pair.name)) {
        const gone = lostWords(theirs.join("\n"), pair.ours.join("\n"))
        if (gone.length > 0) words.push([pair.name, gone.toSorted()])
      }
    }
    expect(found).toEqual([])
    expect([...unused]).toEqual([])
    const explained = Map.groupBy(lost, ({ note }) => note)
    expect(Object.fromEntries(words)).toEqual(
      Object.fromEntries(
        [...explained].map(([note, each]) => [note, each.flatMap(({ words }) => words.split(" ")).toSorted()])
      )
    )
    expect(replaced).toEqual(instead.map(({ times }) => times))
    expect([...anew]).toEqual(rewritten.map(({ lines, note }) => [note, lines]))
    expect(pairs).toHaveLength(56)
  })
})
