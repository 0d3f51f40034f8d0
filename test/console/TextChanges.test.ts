import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { diffLines } from "../../src/clients/console/comparing/DiffLines.ts"
import { lineRuns, type Run, textChanges, wordRuns } from "../../src/clients/console/comparing/TextChanges.ts"

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

describe("the lines of a comparison", () => {
  const shown = (from: string, to: string) =>
    diffLines(from, to).map(({ look, parts }) => [look, ...parts.map(({ kind, text }) => `${kind}: ${text}`)])

  it("have the changed words, whole lines with empty ones, and the look of their Markdown", () => {
    const from = "# Route\n> By train, with two bags.\n```\n# old\n```\nEnd"
    const to = "# Route\n> By train, with three bags.\n```\n# old\n```\nEnd\n\nMore"
    expect(shown(from, to)).toEqual([
      ["heading", "same: # Route"],
      ["quote", "same: > By train, with ", "removed: two ", "added: three ", "same: bags."],
      ["fenced", "same: ```"],
      ["fenced", "same: # old"],
      ["fenced", "same: ```"],
      ["", "same: End"],
      ["", "added: "],
      ["", "added: More"]
    ])
  })

  it("have both texts, and no more", () => {
    // Short enough that no unchanged line is left out.
    const text = fc.array(fc.constantFrom("a", "b b", "# c", "", "- d d d"), { maxLength: 4 })
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [from, to] = [one.join("\n"), other.join("\n")]
        fc.pre(from !== to)
        const without = (kind: string) =>
          diffLines(from, to).flatMap(({ parts }) => parts.flatMap((part) => (part.kind === kind ? [] : part.text)))
        expect(without("added").join("")).toBe(one.join(""))
        expect(without("removed").join("")).toBe(other.join(""))
      }),
      { numRuns: 1_000 }
    )
  })
})
