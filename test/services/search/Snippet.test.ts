import { describe, expect, it } from "vitest"
import { highlight } from "../../../services/search/Snippet.ts"

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
