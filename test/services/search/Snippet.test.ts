import { describe, expect, it } from "vitest"
import { highlight } from "../../support/IndexedNotes.ts"

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
        snippet: "Die STRASSEN, die <mark>Strasse</mark>",
        matches: [{ start: 18, length: 7 }]
      }
    ])
  })

  it("escapes HTML of the note", () => {
    const { snippet } = highlight({ title: "", body: "<file>\"x\" & 'alpha'", tags: [] }, "alpha")
    expect(snippet).toBe("&lt;file&gt;&quot;x&quot; &amp; &#39;<mark>alpha</mark>&#39;")
  })

  it("shows Markdown as plain text: no bars of tables, targets of links, or HTML", () => {
    const body = [
      "# Head **bo**ld [link](http://target.example/alpha) `code`<br/>next",
      "",
      "| one | alpha |",
      "|---|---|",
      "| 1 | a_b_c &amp; d |",
      "",
      "> - [ ] task <https://example.org>"
    ].join("\n")
    const { highlights, snippet } = highlight({ body }, "alpha")
    expect(snippet).toBe("Head bold link code next one <mark>alpha</mark> 1 a_b_c &amp; d task https://example.org")
    for (const { start, length } of highlights[0]!.matches) expect(body.slice(start, start + length)).toBe("alpha")
    expect(highlight({ body: "```\n<div> a | *alpha*\n```" }, "alpha").snippet).toBe(
      "&lt;div&gt; a | *<mark>alpha</mark>*"
    )
  })

  it("shows the words of links: the alias of a wiki link, not its target, also in a table, and no size of an image", () => {
    for (const [body, snippet] of [
      ["it is [[Composability|composable]] today", "it is <mark>composable</mark> today"],
      ["| a | [[B\\|composable]] | c |", "a <mark>composable</mark> c"],
      ["| [[A|b]] | composable |", "b <mark>composable</mark>"],
      ["[[A]] composable [[A#b|c d]] [e](http://u.org)", "A <mark>composable</mark> c d e"],
      ["composable ![[p.png|300]] ![[p.png|words]] a | b", "<mark>composable</mark> p.png words a | b"],
      ["[composable](http://u.org/x) news", "<mark>composable</mark> news"]
    ] as const) {
      expect([body, highlight({ body }, "composable").snippet]).toEqual([body, snippet])
    }
  })

  it("shows the title of a callout without its kind, and marks a word with syntax inside as one", () => {
    expect(highlight({ body: "> [!warning]- Wet paint\n> alpha" }, "alpha").snippet).toBe(
      "Wet paint <mark>alpha</mark>"
    )
    expect(highlight({ body: "an un**believ**able story" }, "unbelievable").snippet).toBe(
      "an <mark>unbelievable</mark> story"
    )
  })

  it("decodes named and numeric character references", () => {
    const body = "alpha &eacute; &amp; &#65;&#x42;&#X43; &#xD800;&#0;&#x110000;&#9999999;end"
    expect(highlight({ body }, "alpha").snippet).toBe("<mark>alpha</mark> &amp;eacute; &amp; ABC end")
  })

  it("marks only the best kind of match, and only the matching part of a name", () => {
    expect(highlight({ body: "mouse house houses" }, "house").snippet).toBe("mouse <mark>house</mark> houses")
    expect(highlight({ body: "getUserName" }, "user").snippet).toBe("get<mark>User</mark>Name")
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

  it("falls back to the title, or to the beginning of the body when nothing matches", () => {
    expect(highlight({ title: "alpha", body: "beta", tags: [] }, "alpha").snippet).toBe("<mark>alpha</mark>")
    expect(highlight({ title: "alpha", body: "beta", tags: [] }, "")).toEqual({ snippet: "beta", highlights: [] })
  })

  it("never splits a character", () => {
    const body = `${"😀".repeat(500)}alpha${"😀".repeat(500)}`
    expect(
      highlight({ title: "", body: body.slice(0, 1000) + " alpha " + body, tags: [] }, "alpha").snippet.isWellFormed()
    ).toBe(true)
    expect(highlight({ title: "", body: `x${"😀".repeat(500)}`, tags: [] }, "").snippet.isWellFormed()).toBe(true)
  })
})
