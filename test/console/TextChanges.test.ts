import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lineRuns, type Run, textChanges, wordRuns } from "../../src/clients/console/notes/TextChanges.ts"

const oldOf = (runs: ReadonlyArray<Run>, separator: string) =>
  runs.flatMap(({ removed, same }) => [...same, ...removed]).join(separator)
const freshOf = (runs: ReadonlyArray<Run>, separator: string) =>
  runs.flatMap(({ added, same }) => [...same, ...added]).join(separator)

describe("the changes between two texts", () => {
  it("are the words that differ in a long paragraph", () => {
    const from = "The train to Vienna leaves at nine, and two bags are on it."
    expect(wordRuns(from, from.replace("nine,", "ten,").replace("two", "three"))).toEqual([
      { same: ["The ", "train ", "to ", "Vienna ", "leaves ", "at "], removed: ["nine, "], added: ["ten, "] },
      { same: ["and "], removed: ["two "], added: ["three "] },
      { same: ["bags ", "are ", "on ", "it."], removed: [], added: [] }
    ])
    expect(wordRuns("火车九点开", "火车十点开")).toEqual([
      { same: ["火", "车"], removed: ["九"], added: ["十"] },
      { same: ["点", "开"], removed: [], added: [] }
    ])
    expect(wordRuns(from, "Something else altogether.")).toBe(undefined)
  })

  it("make one text from the other, with few steps for long texts of equal lines", () => {
    const text = fc.stringMatching(/^[ab \n]{0,40}$/)
    fc.assert(
      fc.property(text, text, (from, to) => {
        const lines = lineRuns(from, to)
        expect([oldOf(lines, "\n"), freshOf(lines, "\n")]).toEqual([from, to])
        const words = wordRuns(from, to) ?? []
        if (words.length > 0) expect([oldOf(words, ""), freshOf(words, "")]).toEqual([from, to])
      }),
      { numRuns: 200 }
    )
    const [from, to] = [`a\n${"\n".repeat(200_000)}b`, `c\n${"\n".repeat(199_000)}d`]
    expect(lineRuns(from, to)).toHaveLength(2)
  })

  it("leave the parts of words that are equal, and with them a cursor, where they are", () => {
    const from = "First line.\nOne13 and two words here.\nLast line."
    const to = "First line.\nTheirs One1331 and words here.\nLast line."
    expect(textChanges(from, to)).toEqual([
      { from: 12, to: 12, insert: "Theirs " },
      { from: 17, to: 17, insert: "31" },
      { from: 22, to: 26, insert: "" }
    ])
    const text = fc.stringMatching(/^[ab😀😁 \n]{0,40}$/u)
    fc.assert(
      fc.property(text, text, (from, to) => {
        let [made, at] = ["", 0]
        for (const change of textChanges(from, to)) {
          made += from.slice(at, change.from) + change.insert
          at = change.to
        }
        expect(made + from.slice(at)).toBe(to)
      }),
      { numRuns: 200 }
    )
  })
})
