import { describe, expect, it } from "vitest"
import { editDistance } from "../../../services/search/Vocabulary.ts"

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
