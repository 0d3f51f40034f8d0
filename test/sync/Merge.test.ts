import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { merge, mergeHistories, mergeTags, mergeTexts } from "../../services/records/Merge.ts"
import { rounds } from "../support/Slow.ts"

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\S+/g) ?? []
const count = (text: string, word: string): number => wordsOf(text).filter((each) => each === word).length

describe("merged texts", () => {
  it("contain every word that either side has added", () => {
    const piece = fc.constantFrom("a", "b", "c", "a ", "b ", " ", "\n", ". ", "\n\n", "long\nline ")
    const text = fc.array(piece, { maxLength: 24 }).map((each) => each.join(""))
    fc.assert(
      fc.property(text, text, text, (base, theirs, mine) => {
        const merged = mergeTexts(base, theirs, mine)
        for (const side of [theirs, mine]) {
          for (const word of wordsOf(side)) {
            expect(count(merged, word)).toBeGreaterThanOrEqual(count(side, word) - count(base, word))
            if (!wordsOf(base).includes(word)) expect(wordsOf(merged)).toContain(word)
          }
        }
        expect(mergeTexts(base, base, mine)).toBe(mine)
        expect(mergeTexts(base, theirs, base)).toBe(theirs)
        expect(mergeTexts(base, mine, mine)).toBe(mine)
      }),
      { numRuns: rounds(500, 20_000) }
    )
  })

  it("contain each word once when both sides insert words at several places", () => {
    const places = fc.array(fc.nat(60), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(places, places, fc.constantFrom(" ", "\n"), (theirs, mine, between) => {
        const base = Array.from({ length: 60 }, (_, index) => `w${index}`)
        const typed = (side: string, places: ReadonlyArray<number>) =>
          places.reduce((words, place, index) => words.toSpliced(place, 0, `${side}${index}`), base).join(between)
        const sides = [typed("theirs", theirs), typed("mine", mine)] as const
        const merged = mergeTexts(base.join(between), ...sides)
        for (const word of new Set(sides.flatMap(wordsOf))) expect(wordsOf(merged)).toContain(word)
        for (const [index] of theirs.entries()) expect(count(merged, `theirs${index}`)).toBe(1)
        for (const [index] of mine.entries()) expect(count(merged, `mine${index}`)).toBe(1)
      }),
      { numRuns: rounds(200, 5_000) }
    )
  })

  it("of pure insertions contain no inserted word less or more often than both sides together", () => {
    const piece = fc.constantFrom("a", "b", "c", "d")
    const space = fc.constantFrom(" ", "\n", "  ", " \n", "\n\n")
    const text = fc.array(fc.tuple(piece, space), { maxLength: 8 })
    const inserted = fc.array(fc.tuple(fc.nat(12), piece, space), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(text, inserted, inserted, (base, theirs, mine) => {
        const written = (insertions: ReadonlyArray<[number, ...(typeof base)[number]]>) =>
          insertions
            .reduce((pairs, [place, ...pair]) => pairs.toSpliced(place, 0, pair), base)
            .flat()
            .join("")
        const [old, one, other] = [written([]), written(theirs), written(mine)]
        const merged = mergeTexts(old, one, other)
        for (const word of new Set([...wordsOf(merged), ...wordsOf(one), ...wordsOf(other)])) {
          const [before, their, my, now] = [old, one, other, merged].map((each) => count(each, word))
          expect(now).toBeGreaterThanOrEqual(Math.max(their!, my!))
          expect(now).toBeLessThanOrEqual(their! + my! - before!)
        }
      }),
      { numRuns: rounds(2_000, 20_000), seed: 1 }
    )
  })

  it("contain what either side has typed once, and nothing that either side has removed", () => {
    const places = fc.array(fc.nat(20), { maxLength: 4 })
    const removed = fc.tuple(fc.nat(20), fc.nat(8))
    const side = fc.record({ places, removed })
    fc.assert(
      fc.property(
        side,
        side,
        fc.array(fc.constantFrom(" ", "\n", "\n\n"), { minLength: 40 }),
        (theirs, mine, spaces) => {
          const base = Array.from({ length: 20 }, (_, index) => `w${index}`)
          const written = (words: ReadonlyArray<string>) => words.flatMap((word, at) => [word, spaces[at]!]).join("")
          const typed = (name: string, { places, removed: [from, many] }: typeof theirs) =>
            places.reduce(
              (words, place, index) => words.toSpliced(place, 0, `${name}${index}`),
              base.toSpliced(from, many)
            )
          const sides = [typed("theirs", theirs), typed("mine", mine)] as const
          const expected = [...new Set(sides.flat())].filter(
            (word) => !base.includes(word) || sides.every((side) => side.includes(word))
          )
          const merged = mergeTexts(written(base), written(sides[0]), written(sides[1]))
          expect(wordsOf(merged).toSorted()).toEqual(expected.toSorted())
        }
      ),
      { numRuns: rounds(500, 20_000), seed: 1 }
    )
  })

  it("of two histories with one beginning contain what both have once", () => {
    const places = fc.array(fc.nat(40), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(places, places, places, fc.constantFrom(" ", "\n"), (before, theirs, mine, between) => {
        const typed = (words: ReadonlyArray<string>, side: string, at: ReadonlyArray<number>) =>
          at.reduce((all, place, index) => all.toSpliced(place, 0, `${side}${index}`), words)
        const base = Array.from({ length: 12 }, (_, index) => `w${index}`)
        const lost = typed(base, "lost", before)
        const sides = [typed(lost, "theirs", theirs), typed(lost, "mine", mine)].map((side) => side.join(between))
        for (const known of [base.join(between), ""]) {
          const merged = wordsOf(mergeHistories(known, sides[0]!, sides[1]!))
          expect(merged.toSorted()).toEqual([...new Set(sides.flatMap(wordsOf))].toSorted())
        }
      }),
      { numRuns: rounds(500, 5_000), seed: 1 }
    )
  })

  it.each([
    ["a ", "a  b", "c a \nd", "c a  b \nd"],
    ["one two\nthree", "one 2 two\nthree", "one two\nthree 4", "one 2 two\nthree 4"],
    ["one two three", "one TWO three", "one two three four", "one TWO three four"],
    ["one two three", "ONE two three", "one two THREE", "ONE two THREE"],
    ["First.", "First. Theirs.", "First. Mine.", "First. Theirs. Mine."],
    ["old", "theirs", "mine", "theirs\nmine"],
    ["a: [[One x]]\nb", "a: [[Two x]]\nb", "a: [[Three x]]\nb", "a: [[Two x]] [[Three x]]\nb"],
    [
      "- [ ] call 2026-12-01 #work",
      "- [ ] call 2027-01-01 #work",
      "- [ ] call 2 #work",
      "- [ ] call 2027-01-01 2 #work"
    ],
    ["", "Theirs", "Mine", "Theirs\nMine"],
    ["a\nb\nc\n", "a\nB\nc\n", "b\nc\nd\n", "B\nc\nd\n"],
    ["one two three", "one three", "one two three four", "one three four"],
    ["one two ", "one", "one 1 two ", "one 1 "],
    ["one\n\ntwo three\n\nfour", "one\n\nfour", "one\n\n1 two three 3\n\nfour", "one\n\n1 3\n\nfour"]
  ])("of %j: %j and %j are %j", (base, theirs, mine, merged) => {
    expect(mergeTexts(base, theirs, mine)).toBe(merged)
  })

  it("takes few steps for brackets that no link ends", () => {
    const text = "[[".repeat(400_000)
    expect(mergeTexts(text, `${text} theirs`, `mine ${text}`)).toBe(`mine ${text} theirs`)
  })

  it("of a megabyte that both sides have changed at many places keep each change", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `Line ${index} of a long text, with words in it.`)
    const typed = (word: string, offset: number) =>
      lines.map((line, index) => (index % 500 === offset ? `${line} ${word}${index}` : line)).join("\n")
    const merged = mergeTexts(lines.join("\n"), typed("theirs", 3), typed("mine", 250))
    expect(merged).toHaveLength(lines.join("\n").length + merged.match(/ (theirs|mine)\d+/g)!.join("").length)
    expect(merged.match(/ (theirs|mine)\d+/g)).toHaveLength(80)
  })

  it("of a megabyte without order are merged in bounded steps, and keep both", () => {
    const base = "a ".repeat(300_000)
    const merged = mergeTexts(base, `theirs ${base}theirs`, `mine ${base}mine`)
    expect([count(merged, "theirs"), count(merged, "mine")]).toEqual([2, 2])
  })
})

describe("merged records", () => {
  it("keep the members that one side has changed, and tags of both", () => {
    const seen = { title: "Old", body: "", tags: ["a", "b"], pinned: false }
    const theirs = { title: "New", body: "Theirs", tags: ["b", "c"], pinned: false }
    expect(merge({ body: "Mine", tags: ["a", "b", "d"], pinned: true }, seen, theirs)).toEqual({
      data: { body: "Theirs\nMine", tags: ["b", "c", "d"], pinned: true },
      isWhole: true
    })
    expect(mergeTags(["a"], ["a", "b"], [])).toEqual(["b"])
  })

  it("are not whole when both sides have changed the title", () => {
    const merged = merge({ title: "Mine", pinned: true }, { title: "Old" }, { title: "Theirs" })
    expect(merged).toEqual({ data: { pinned: true }, isWhole: false })
  })
})
