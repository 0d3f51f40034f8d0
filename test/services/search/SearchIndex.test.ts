import { existsSync, readFileSync } from "node:fs"
import { zstdDecompressSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { processorSeconds } from "../../support/processorSeconds.ts"
import { type IndexedNote, SearchIndex, type SearchQuery } from "../../../services/search/SearchIndex.ts"
import { highlight } from "../../../services/search/Snippet.ts"
import { editDistance } from "../../../services/search/Vocabulary.ts"

const day = (n: number): string => new Date(Date.UTC(2024, 0, 1 + n)).toISOString()

const note = (id: string, values: Partial<IndexedNote> = {}): IndexedNote => ({
  id,
  title: "",
  body: "",
  tags: [],
  notebook_id: "inbox",
  archived: false,
  created_at: day(0),
  updated_at: day(0),
  ...values
})

const indexOf = (...notes: ReadonlyArray<IndexedNote>): SearchIndex => {
  const index = new SearchIndex()
  for (const each of notes) index.add(each)
  return index
}

const ids = (index: SearchIndex, query: string, rest: Omit<SearchQuery, "query"> = {}): Array<string> =>
  index.search({ query, ...rest }).map(({ id }) => id)

/** Whether a search finds a note with this text. */
const finds = (body: string, query: string): boolean => ids(indexOf(note("n", { body })), query).length === 1

describe("finding words", () => {
  it("finds a note by its title, its body and its tags", () => {
    const index = indexOf(
      note("t", { title: "Garden" }),
      note("b", { body: "the garden" }),
      note("g", { tags: ["garden"] })
    )
    expect(ids(index, "garden").sort()).toEqual(["b", "g", "t"])
  })

  it("requires all words, anywhere in the note", () => {
    const index = indexOf(note("both", { title: "red", body: "blue" }), note("one", { body: "red" }))
    expect(ids(index, "blue red")).toEqual(["both"])
    expect(ids(index, "blue red absent")).toEqual([])
  })

  it("matches the last word, and only the last, as a prefix", () => {
    const index = indexOf(note("n", { body: "database configuration" }))
    expect(ids(index, "database conf")).toEqual(["n"])
    expect(ids(index, "data configuration")).toEqual([])
  })

  it("forgives one typing error from four letters and two from eight, the first letter included", () => {
    for (const typo of ["hause", "huose", "ouse", "houuse", "mouse"])
      expect([typo, finds("house", typo)]).toEqual([typo, true])
    for (const typo of ["hse", "haise", "cat"]) expect([typo, finds("house", typo)]).toEqual([typo, false])
    for (const typo of ["cinfigurtaion", "onfigurationn", "konfigurasion"]) {
      expect([typo, finds("configuration", typo)]).toEqual([typo, true])
    }
    expect(finds("configuration", "konfikurasion")).toBe(false)
    expect(finds("cat", "cet")).toBe(false)
  })

  it("takes another number for another number, not for a typing error", () => {
    expect(finds("invoice 20241", "20251")).toBe(false)
  })

  it("finds the exact word before its continuations before typing errors", () => {
    const index = indexOf(
      note("typo", { title: "firm", body: "firm firm firm" }),
      note("prefix", { title: "formation" }),
      note("exact", { body: `form ${"padding ".repeat(300)}` })
    )
    expect(ids(index, "form")).toEqual(["exact", "prefix", "typo"])
  })

  it("finds titles and tags before bodies, however often these say it", () => {
    const index = indexOf(
      note("body", { body: "plan ".repeat(50) }),
      note("title", { title: "a plan", body: "other ".repeat(500) }),
      note("tag", { tags: ["plan"], body: "other ".repeat(500) })
    )
    expect(ids(index, "plan").at(-1)).toBe("body")
  })

  it("scores between 0 and 1, best first", () => {
    const index = indexOf(note("a", { title: "form" }), note("b", { body: "forms" }), note("c", { body: "from" }))
    const scores = index.search({ query: "form" }).map(({ score }) => score)
    expect(scores).toHaveLength(3)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true)
  })

  it("puts equals in the order of their last change, latest first, then by id", () => {
    const same = { body: "equal" }
    const index = indexOf(note("b", same), note("c", { ...same, updated_at: day(1) }), note("a", same))
    expect(ids(index, "equal")).toEqual(["c", "a", "b"])
  })

  it("lists everything, latest first, for a blank query, and nothing for one without words", () => {
    const index = indexOf(note("old"), note("new", { updated_at: day(2) }), note("mid", { updated_at: day(1) }))
    expect(ids(index, "  ")).toEqual(["new", "mid", "old"])
    expect(ids(index, "!?")).toEqual([])
  })
})

describe("the query language", () => {
  const index = indexOf(
    note("row", { body: "the quick brown fox", tags: ["Animals"] }),
    note("apart", { body: "the brown quick fox", tags: ["animals", "draft"] }),
    note("title", { title: "quick", body: "brown" })
  )

  it("finds a quoted phrase where its words follow each other within a field", () => {
    expect(ids(index, '"quick brown"')).toEqual(["row"])
    expect(ids(index, "“Quick, brown”")).toEqual(["row"])
    expect(ids(index, '"quick brwn"')).toEqual([])
  })

  it("finds a phrase that begins again within itself", () => {
    expect(finds("so so so good", '"so so good"')).toBe(true)
  })

  it("excludes words, phrases and tags behind a minus", () => {
    expect(ids(index, "quick -fox")).toEqual(["title"])
    expect(ids(index, 'quick -"quick brown"').sort()).toEqual(["apart", "title"])
    expect(ids(index, "fox -tag:draft")).toEqual(["row"])
    expect(ids(index, "-fox")).toEqual(["title"])
  })

  it("keeps a hyphen inside a word", () => {
    expect(finds("a well-known fact", "well-known")).toBe(true)
  })

  it("restricts to tags whatever their case", () => {
    expect(ids(index, "tag:ANIMALS").sort()).toEqual(["apart", "row"])
    expect(ids(index, "quick tag:animals TAG:#draft")).toEqual(["apart"])
    expect(ids(index, "tag:anim")).toEqual([])
  })
})

describe("filters", () => {
  const index = indexOf(
    note("a", { notebook_id: "one", tags: ["x", "Y"], created_at: day(1), updated_at: day(3) }),
    note("b", { notebook_id: "two", tags: ["x"], created_at: day(2), updated_at: day(2) }),
    note("c", { notebook_id: "two", tags: ["y"], created_at: day(3), updated_at: day(1), archived: true })
  )

  it("restricts by notebook, tags, times and archive", () => {
    expect(ids(index, "", { notebook_ids: new Set(["two"]) })).toEqual(["b"])
    expect(ids(index, "", { tags: ["X", "y"] })).toEqual(["a"])
    expect(ids(index, "", { tags: ["x", "y"], tags_match: "any", archived: null })).toEqual(["a", "b", "c"])
    expect(ids(index, "", { archived: true })).toEqual(["c"])
    expect(ids(index, "", { created_after: day(2) })).toEqual(["b"])
    expect(ids(index, "", { created_before: day(1) })).toEqual(["a"])
    expect(ids(index, "", { updated_after: day(2), updated_before: day(2) })).toEqual(["b"])
  })
})

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

  it("keeps vowel signs and sound marks, which are letters to their readers", () => {
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
    expect(ids(index, '"索検"')).toEqual([])
    expect(ids(index, '"を検索する"')).toEqual(["0"])
  })

  it("does not find a word across punctuation", () => {
    expect(finds("東。京", "東京")).toBe(false)
    expect(finds("東。京", '"東 京"')).toBe(true)
  })

  it("finds emoji", () => {
    expect(finds("ideas 🔥 here", "🔥")).toBe(true)
    expect(finds("ideas here", "🔥")).toBe(false)
  })
})

describe("changes", () => {
  it("forgets the old text of a replaced note, and a removed note altogether", () => {
    const index = indexOf(note("n", { body: "before", tags: ["old"] }))
    index.add(note("n", { body: "after" }))
    expect([ids(index, "before"), ids(index, "tag:old"), ids(index, "after"), index.size]).toEqual([[], [], ["n"], 1])
    index.remove("n")
    index.remove("n")
    expect([ids(index, "after"), ids(index, ""), index.suggest("old", 10), index.size]).toEqual([[], [], [], 0])
  })

  it("gives back the memory of what was removed", () => {
    const index = new SearchIndex()
    const empty = index.bytes
    for (let i = 0; i < 2000; i++)
      index.add(note(`n${i}`, { body: Array.from({ length: 50 }, (_, w) => `word${i}x${w}`).join(" ") }))
    const full = index.bytes
    for (let i = 0; i < 2000; i++) index.remove(`n${i}`)
    expect(index.bytes - empty).toBeLessThan((full - empty) / 3)
  })

  it("answers after any changes as an index built anew from the same notes", () => {
    const words = [
      "alpha",
      "alphabet",
      "alpah",
      "beta",
      "betas",
      "gamma",
      "検索",
      "検",
      "索引",
      "__proto__",
      "constructor",
      "Straße"
    ]
    const text = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((chosen) => chosen.join(" "))
    const anyNote = fc.record({
      id: fc.constantFrom("a", "b", "c", "d", "__proto__", "constructor"),
      title: text,
      body: text,
      tags: fc.subarray(["red", "Red", "blue", "検索"]),
      notebook_id: fc.constantFrom("one", "two"),
      archived: fc.boolean(),
      created_at: fc.integer({ min: 0, max: 3 }).map(day),
      updated_at: fc.integer({ min: 0, max: 3 }).map(day)
    })
    const change = fc.oneof(
      { weight: 3, arbitrary: anyNote },
      anyNote.map(({ id }) => id)
    )
    const queries = [
      "",
      "alpha",
      "alpha bet",
      "alhpa",
      '"alpha beta"',
      "gamma -beta",
      "検索",
      "索",
      "tag:red",
      "constructor",
      "__proto__",
      "strasse"
    ]
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const changed = new SearchIndex()
        const held = new Map<string, IndexedNote>()
        for (const each of changes) {
          if (typeof each === "string") {
            changed.remove(each)
            held.delete(each)
          } else {
            changed.add(each)
            held.set(each.id, each)
          }
        }
        const fresh = indexOf(...held.values())
        expect(changed.size).toBe(held.size)
        for (const query of queries) {
          for (const archived of [false, null])
            expect(changed.search({ query, archived })).toEqual(fresh.search({ query, archived }))
        }
        for (const prefix of ["al", "re", "検"]) expect(changed.suggest(prefix, 10)).toEqual(fresh.suggest(prefix, 10))
      }),
      { numRuns: 200 }
    )
  })
})

describe("hostile input", () => {
  it("indexes and finds words and ids that are names of object properties", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
    const index = indexOf(...names.map((name) => note(name, { body: `${name} body`, tags: [name] })))
    for (const name of ["constructor", "toString", "hasOwnProperty"]) expect(ids(index, name)[0]).toBe(name)
    expect(ids(index, "proto")).toEqual(["__proto__"])
    expect(ids(index, "tag:__proto__")).toEqual(["__proto__"])
  })

  it("answers any query with little work and without an error", async () => {
    const index = indexOf(note("n", { title: "alpha", body: "beta ".repeat(100) }))
    const hostile = [
      "-".repeat(100_000),
      '"'.repeat(100_000),
      "a ".repeat(50_000),
      "tag:".repeat(20_000),
      'tag:"'.repeat(20_000),
      "\ud800",
      "\udc00\ud800 alpha",
      "\u0000",
      "🔥".repeat(10_000),
      "検".repeat(10_000),
      "a".repeat(100_000),
      "\u0301".repeat(50_000),
      "-alpha ".repeat(10_000),
      "(.*)+$",
      "%_\\"
    ]
    for (const query of hostile) {
      const { answer, seconds } = await processorSeconds(() => {
        const matches = index.search({ query })
        index.suggest(query, 10)
        highlight({ title: "alpha", body: "beta", tags: [] }, query)
        return matches
      })
      expect(answer.length).toBeLessThanOrEqual(1)
      expect(seconds).toBeLessThan(1)
    }
  })

  it("takes any text as note and query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (body, query) => {
        const index = indexOf(note("n", { body }))
        index.search({ query })
        for (const { matches } of highlight({ title: "", body, tags: [] }, query).highlights) {
          for (const { start, length } of matches)
            expect(start >= 0 && length > 0 && start + length <= body.length).toBe(true)
        }
        index.remove("n")
        expect(index.size).toBe(0)
      })
    )
  })
})

describe("suggestions", () => {
  const index = indexOf(
    note("1", { title: "Recipe for bread", tags: ["recipes", "food"], updated_at: day(1) }),
    note("2", { title: "Bread recipe", tags: ["recipes"], updated_at: day(2) }),
    note("3", { title: "Recent", archived: true, tags: ["c++"] }),
    note("4", { title: "機械学習", tags: ["Récolte"] })
  )

  it("completes tags by use, then titles, those that begin with the prefix first", () => {
    expect(index.suggest("rec", 10)).toEqual([
      { type: "tag", text: "recipes", id: "" },
      { type: "tag", text: "Récolte", id: "" },
      { type: "title", text: "Recipe for bread", id: "1" },
      { type: "title", text: "Bread recipe", id: "2" }
    ])
    expect(index.suggest("bread rec", 10).map(({ id }) => id)).toEqual(["2"])
  })

  it("completes in any script, and tags by their signs", () => {
    expect(index.suggest("学", 10).map(({ text }) => text)).toEqual(["機械学習"])
    expect(index.suggest("c+", 10).map(({ text }) => text)).toEqual(["c++"])
  })

  it("keeps to the limit, with places for both, and has nothing for a blank prefix", () => {
    expect(index.suggest("rec", 3).map(({ type }) => type)).toEqual(["tag", "tag", "title"])
    expect(index.suggest(" ", 10)).toEqual([])
  })
})

describe("highlights", () => {
  it("gives offsets in UTF-16 code units into the raw values", () => {
    const { highlights } = highlight(
      { title: "😀 Straße", body: "Die STRASSEN, die Strasse", tags: ["a", "straße"] },
      "strasse"
    )
    expect(highlights).toEqual([
      { field: "title", snippet: "😀 <mark>Straße</mark>", matches: [{ start: 3, length: 6 }] },
      { field: "tags", index: 1, snippet: "<mark>straße</mark>", matches: [{ start: 0, length: 6 }] },
      {
        field: "body",
        snippet: "Die <mark>STRASSEN</mark>, die <mark>Strasse</mark>",
        matches: [
          { start: 4, length: 8 },
          { start: 18, length: 7 }
        ]
      }
    ])
  })

  it("escapes what is HTML in the note", () => {
    const { snippet } = highlight({ title: "", body: "<b>\"x\" & 'alpha'</b>", tags: [] }, "alpha")
    expect(snippet).toBe("&lt;b&gt;&quot;x&quot; &amp; &#39;<mark>alpha</mark>&#39;&lt;/b&gt;")
  })

  it("shows the fragment with most of the words", () => {
    const body = `alpha ${"filler ".repeat(200)}alpha beta ${"filler ".repeat(200)}`
    const { snippet } = highlight({ title: "", body, tags: [] }, "alpha beta")
    expect(snippet).toContain("<mark>alpha</mark> <mark>beta</mark>")
    expect(snippet.startsWith("…filler") && snippet.endsWith("filler…")).toBe(true)
    expect(snippet.length).toBeLessThan(300)
  })

  it("marks phrases and words without spaces as one, and typing errors too", () => {
    const { snippet } = highlight(
      { title: "", body: "a quick, brown fox; 全文検索エンジン", tags: [] },
      '"quick brown" 検索'
    )
    expect(snippet).toBe("a <mark>quick, brown</mark> fox; 全文<mark>検索</mark>エンジン")
    expect(highlight({ title: "", body: "configuration", tags: [] }, "cinfiguration").snippet).toBe(
      "<mark>configuration</mark>"
    )
  })

  it("falls back to the title, and without any match to the beginning of the body", () => {
    expect(highlight({ title: "alpha", body: "beta", tags: [] }, "alpha").snippet).toBe("<mark>alpha</mark>")
    expect(highlight({ title: "alpha", body: "beta", tags: [] }, "")).toEqual({ snippet: "beta", highlights: [] })
  })

  it("never cuts a character in two", () => {
    const body = `${"😀".repeat(500)}alpha${"😀".repeat(500)}`
    expect(
      highlight({ title: "", body: body.slice(0, 1000) + " alpha " + body, tags: [] }, "alpha").snippet.isWellFormed()
    ).toBe(true)
    expect(highlight({ title: "", body: `x${"😀".repeat(500)}`, tags: [] }, "").snippet.isWellFormed()).toBe(true)
  })
})

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

const corpus = new URL("../../../../shared/data/search/notes-multilang.jsonl.zst", import.meta.url)
const missing = existsSync(corpus) ? "" : " (skipped: no ../shared/data/search here)"

describe.skipIf(missing !== "")(`real notes in four languages${missing}`, () => {
  it("finds each Japanese and Chinese note by what its text contains, and marks it there", () => {
    const lines = zstdDecompressSync(readFileSync(corpus)).toString().trim().split("\n")
    const notes = lines.map((line, id) =>
      note(String(id), {
        ...(JSON.parse(line) as { title: string; body: string; tags: Array<string> }),
        id: String(id)
      })
    )
    const index = indexOf(...notes)
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
      const containing = notes
        .filter(({ title, body }) => title.includes(run) || body.includes(run))
        .map(({ id }) => id)
      expect(found.sort()).toEqual(containing.sort())
    }
    expect(checked).toBeGreaterThan(50)
  })
})
