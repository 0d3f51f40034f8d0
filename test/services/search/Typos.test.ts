import { describe, expect, it } from "vitest"
import { editsBetween } from "../../../services/search/Typos.ts"

const codes = (word: string) => Array.from(word, (letter) => letter.charCodeAt(0))
const editDistance = (a: string, b: string, max: number) =>
  editsBetween(codes(a), 0, a.length, codes(b), 0, b.length, max)

describe("edit distance", () => {
  it("counts insertions, deletions, substitutions and swaps of neighbours", () => {
    expect(
      [
        ["abcd", "abdc"],
        ["abcd", "abc"],
        ["abcd", "xbcd"],
        ["abcd", "badc"],
        ["ca", "abc"]
      ].map(([a = "", b = ""]) => editDistance(a, b, 3))
    ).toEqual([1, 1, 1, 2, 3])
    expect(editDistance("abcdef", "uvwxyz", 2)).toBeGreaterThan(2)
  })
})
