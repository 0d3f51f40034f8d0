import { describe, expect, it } from "vitest"
import { isThere, notesOf } from "../../../scripts/bench/search/Corpora.ts"
import { atOnce, Budget } from "../../../services/concurrency/Budget.ts"
import { fold } from "../../../services/search/engine/text/Folding.ts"
import { finds, highlight, ids, indexOf, note } from "../../support/IndexedNotes.ts"

describe("scripts", () => {
  it("ignores case, diacritics and compatibility forms, in the note and in the query", () => {
    for (const [text, query] of [
      ["Café", "cafe"],
      ["cafe", "CAFÉ"],
      ["Straße", "strasse"],
      ["STRASSE", "straße"],
      ["Ørsted", "orsted"],
      ["Łódź", "lodz"],
      ["İstanbul", "istanbul"],
      ["ΣΊΣΥΦΟΣ", "σισυφος"],
      ["Ёлка", "елка"],
      ["ｆｕｌｌ", "full"],
      ["ﬁle", "file"],
      ["سَلام", "سلام"],
      ["co\u00adop", "coop"],
      ["e\u0301te\u0301", "été"],
      ["हिन्दी", "हिन्दी"]
    ] as const) {
      expect([text, query, finds(text, query)]).toEqual([text, query, true])
    }
  })

  it("keeps vowel signs and sound marks, which readers take for letters", () => {
    expect(finds("की", "का")).toBe(false)
    expect(finds("かき", "がき")).toBe(false)
    expect(finds("ガギ", "ｶﾞｷﾞ")).toBe(true)
  })

  it("finds words in scripts without spaces, single characters and mixed ones", () => {
    const texts = [
      "指定したファイルを検索する。",
      "在Windows系统中查找文件",
      "학교에서 한국어를 배웁니다",
      "ฉันกินข้าวที่บ้าน"
    ]
    const index = indexOf(...texts.map((body, position) => note(String(position), { body })))
    for (const [query, expected] of [
      ["検索", "0"],
      ["ファイルの検索", "0"],
      ["索", "0"],
      ["ファイル 指定", "0"],
      ["查找文件", "1"],
      ["windows 文件", "1"],
      ["Windows系统", "1"],
      ["系", "1"],
      ["한국어", "2"],
      ["학교", "2"],
      ["ข้าว", "3"],
      ["บ้าน กิน", "3"]
    ] as const) {
      expect([query, ids(index, query)]).toEqual([query, [expected]])
    }
    // No note has the characters in this order, so the suggestion is to search for both.
    expect(atOnce(index.searching({ query: '"索検"' }, 0, 10, new Budget())).suggestion).toBe("索検")
    expect(ids(index, '"を検索する"')).toEqual(["0"])
  })

  it("does not find a word across punctuation", () => {
    expect(finds("東。京", "東京")).toBe(false)
    expect(finds("東。京", '"東 京"')).toBe(true)
    const names = indexOf(note("n", { body: "ジョン・スミス" }))
    const { suggestion, total } = atOnce(names.searching({ query: '"ジョン スミス"' }, 0, 10, new Budget()))
    expect([suggestion, total]).toEqual([undefined, 1])
  })

  it("finds the parts of a word of letters and digits in any script", () => {
    for (const [text, query] of [
      ["Việt2024", "2024"],
      ["Việt2024", "viet"],
      ["קובץ2024", "2024"]
    ] as const)
      expect([text, query, finds(text, query)]).toEqual([text, query, true])
  })

  it("finds emoji", () => {
    expect(finds("ideas 🔥 here", "🔥")).toBe(true)
    expect(finds("ideas here", "🔥")).toBe(false)
  })
})

const missing = isThere ? "" : " (skipped: no ../shared/data/search here, and no SEARCH_DATA)"

describe.skipIf(missing !== "")(`real notes in four languages${missing}`, () => {
  it("finds each Japanese and Chinese note by what its text contains, and highlights it", () => {
    const notes = notesOf("notes-multilang")
    const index = indexOf(...notes)
    const texts = notes.map(({ body, id, title }) => ({ id, folded: `${fold(title)}\n${fold(body)}` }))
    let checked = 0
    for (const each of notes.filter((_, position) => position % 7 === 0)) {
      const run = /\p{sc=Han}{2,6}/u.exec(each.body)?.[0]
      if (run === undefined) continue
      checked++
      const found = ids(index, `"${run}"`)
      expect(found).toContain(each.id)
      expect(ids(index, run)).toContain(each.id)
      expect(highlight(each, `"${run}"`).highlights.length).toBeGreaterThan(0)
      // A phrase without spaces is found exactly where the text contains it.
      const folded = fold(run)
      const containing = texts.flatMap((text) => (text.folded.includes(folded) ? [text.id] : []))
      expect(found.sort()).toEqual(containing.sort())
    }
    expect(checked).toBeGreaterThan(50)
  })
})
