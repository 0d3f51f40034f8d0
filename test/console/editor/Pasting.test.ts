import { markdownLanguage } from "@codemirror/lang-markdown"
import { EditorState } from "@codemirror/state"
import * as fc from "fast-check"
import type { Nodes } from "hast"
import rehypeParse from "rehype-parse"
import { unified } from "unified"
import { describe, expect, it } from "vitest"
import { type HtmlNode, markdownOf } from "../../../src/clients/console/editor/HtmlToMarkdown.ts"
import { insertionOf, linkOfPasted, nameOfPicture, namesFiles } from "../../../src/clients/console/editor/Pasting.ts"
import { render } from "../../../services/markdown/Render.ts"
import { whole } from "../../../services/markdown/Rendered.ts"
import { rounds } from "../../support/Slow.ts"

const attributes: Readonly<Record<string, string>> = { class: "className" }

/** A parsed page as the nodes of a browser. */
const nodeOf = (node: Nodes): HtmlNode => {
  const childNodes = "children" in node ? node.children.map(nodeOf) : []
  const textContent = node.type === "text" ? node.value : childNodes.map((child) => child.textContent).join("")
  const nodeType = node.type === "element" ? 1 : node.type === "text" ? 3 : 8
  const nodeName = node.type === "element" ? node.tagName.toUpperCase() : "#text"
  const getAttribute = (name: string): string | null => {
    const value = node.type === "element" ? node.properties[attributes[name] ?? name] : undefined
    if (value === undefined || value === null || value === false) return null
    return Array.isArray(value) ? value.join(" ") : value === true ? "" : String(value)
  }
  return { nodeType, nodeName, textContent, childNodes, getAttribute }
}
const parser = unified().use(rehypeParse, { fragment: true }).freeze()
const converted = (html: string): string => markdownOf(nodeOf(parser.parse(html)))

/** A text with its selection between two "|". */
const stateOf = (marked: string): EditorState => {
  const [before = "", selected = ""] = marked.split("|")
  return EditorState.create({
    doc: marked.replaceAll("|", ""),
    selection: { anchor: before.length, head: before.length + selected.length },
    extensions: [markdownLanguage]
  })
}

describe("pasted HTML", () => {
  it.each([
    [
      "words with formats",
      "A <b>long</b> <i>walk </i>with <s>two</s> <code>a`b</code>",
      "A **long** *walk* with ~~two~~ ``a`b``"
    ],
    [
      "a link",
      'See <a href="https://sheaf.test/a(b)">the <b>page</b></a>.',
      "See [the **page**](https://sheaf.test/a%28b%29)."
    ],
    ["a link that runs", '<a href="javascript:alert(1)">x</a>', "x"],
    [
      "a link around blocks, at its first words",
      '<a href="https://sheaf.test"><div> <h3>A <i>title</i></h3></div><p>x</p></a>',
      "### [A *title*](https://sheaf.test)\n\nx"
    ],
    [
      "a list in a link",
      '<a href="https://sheaf.test">a <i>b</i><ul><li>c</li></ul></a>',
      "[a *b*](https://sheaf.test)\n\n- c"
    ],
    ["the words of a button", "<h3><button>Why?</button></h3><h3> </h3><p>So.</p>", "### Why?\n\nSo."],
    ["headings and paragraphs", "<h2>Day <b>one</b></h2><p>a<br>b</p><p>c</p>", "## Day one\n\na\nb\n\nc"],
    [
      "lists",
      "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li><p>d</p><p>e</p></li></ul>",
      "- a\n  1. b\n  2. c\n- d\n\n  e"
    ],
    [
      "tasks",
      '<ul><li><input type="checkbox" checked> a</li><li><p><input type="checkbox">b</p></li></ul>',
      "- [x] a\n- [ ] b"
    ],
    ["a list next to its item", "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"],
    [
      "a table",
      "<table><tr><th>a|b</th><th>c</th></tr><tr><td>1<br>2</td></tr></table>",
      "| a\\|b | c |\n| --- | --- |\n| 1 2 |  |"
    ],
    ["code", '<pre class="language-ts">a\n  ```b</pre>', "````ts\na\n  ```b\n````"],
    ["a quote", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    [
      "what Google Docs writes",
      '<b style="font-weight:normal"><p><span style="font-weight:700">a</span> b</p></b>',
      "**a** b"
    ],
    [
      "signs of Markdown",
      "<p>1. a*b_c [x] snake_case # &lt;b&gt;</p><p># x</p>",
      "1\\. a\\*b_c \\[x\\] snake_case # \\<b>\n\n\\# x"
    ],
    [
      "signs of comments, entities and strikes",
      "<p>50%% x %% end ~b~ &amp;lt;tag&amp;gt; $a$</p><p>&gt;hello</p><p>a | b<br>-- | --</p>",
      "50\\%\\% x \\%\\% end \\~b\\~ \\&lt;tag\\&gt; \\$a\\$\n\n\\>hello\n\na | b\n\\-- | --"
    ],
    ["an address in a text", "<p>~ https://sheaf.test/~a_?b=%% ~</p>", "\\~ https://sheaf.test/~a_?b=%% \\~"],
    ["scripts and styles", "<style>a{}</style><script>b()</script><p>c</p>", "c"]
  ])("keeps %s", (_, html, markdown) => {
    expect(converted(html)).toBe(markdown)
  })

  it("ends for elements in elements without end, in little time", () => {
    const deep = "<b><div>".repeat(300)
    expect(converted(`${deep}x`)).toContain("x")
    expect(converted(`<ul>${"<li><ul>".repeat(300)}x`).length).toBeLessThan(100_000)
    expect(converted("<p>`</p>".repeat(20_000)).length).toBeLessThan(200_000)
  })

  it("has the words of the page, in their order", () => {
    const word = fc.constantFrom(
      "one",
      "*two*",
      "_three_",
      "#",
      "1.",
      "a`b",
      "[x]",
      "~~",
      "-",
      "<i>",
      "|",
      "%%",
      "~b~",
      "&copy;",
      ">c"
    )
    const text = word.map((each) => each.replaceAll("&", "&amp;").replaceAll("<", "&lt;"))
    const piece = fc.oneof(
      text,
      fc
        .tuple(fc.constantFrom("b", "i", "p", "li", "h1", "td", "code", "blockquote"), text)
        .map(([name, each]) => `<${name}>${each}</${name}>`)
    )
    const lettersOf = (shown: string) => shown.replaceAll(/[^\p{L}\p{N}]/gu, "")
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const html = `<div>${pieces.join(" ")}</div>`
        const body = converted(html)
        const shown = whole(render({ title: "T", body, files: [], breaks: true, isForMembers: false }).html, String)
        const [before, after] = [html, shown].map((each) => lettersOf(nodeOf(parser.parse(each)).textContent ?? ""))
        // The number of a list is not in the text.
        expect(after!.replaceAll("1", "")).toBe(before!.replaceAll("1", ""))
      }),
      { numRuns: rounds(100, 2_000) }
    )
  })
})

describe("what is pasted", () => {
  const pasted = (marked: string, text: string): string | undefined => {
    const state = stateOf(marked)
    const change = linkOfPasted(state, text)
    return change === undefined ? undefined : state.update(change).state.doc.toString()
  }

  it("over words is a link of them if it is an address", () => {
    expect(pasted("A |long walk| home", " https://sheaf.test/a \n")).toBe("A [long walk](https://sheaf.test/a) home")
    expect(pasted("|a|", "https://sheaf.test/(a)")).toBe("[a](<https://sheaf.test/(a)>)")
    for (const [text, address] of [
      ["A || home", "https://sheaf.test"],
      ["|a|", "sheaf"],
      ["|a|", "https://sheaf.test and more"],
      ["|a\nb|", "https://sheaf.test"],
      ["|https://sheaf.test|", "https://sheaf.test/a"],
      ["`|a|`", "https://sheaf.test"]
    ])
      expect(pasted(text!, address!), text).toBe(undefined)
  })

  it("begins lines of its own if it has blocks", () => {
    const inserted = (marked: string, markdown: string) => {
      const state = stateOf(marked)
      return state.update(insertionOf(state, markdown)).state.doc.toString()
    }
    expect(inserted("a || b", "**c**")).toBe("a **c** b")
    expect(inserted("a|| b", "- c\n- d")).toBe("a\n\n- c\n- d\n\n b")
    expect(inserted("||", "# c")).toBe("# c")
  })

  it("as a picture has a name of its time", () => {
    const at = new Date(2026, 10, 29, 12, 34, 56)
    expect(nameOfPicture("image/png", at, 0)).toBe("Pasted image 2026-11-29 12.34.56.png")
    expect(nameOfPicture("image/jpeg", at, 1)).toBe("Pasted image 2026-11-29 12.34.56 2.jpg")
    expect(nameOfPicture("image/svg+xml", at, 0)).toBe("Pasted image 2026-11-29 12.34.56.svg")
  })
})

describe("a text next to copied files", () => {
  const files = [new File(["x"], "a plan.txt"), new File(["x"], "b.png")]

  it.each([
    ["a plan.txt", true],
    ["/home/ann/a plan.txt\n/home/ann/b.png\n", true],
    ["file:///home/ann/a%20plan.txt\r\nfile:///home/ann/b.png", true],
    ["C:\\Notes\\b.png", true],
    ["", true],
    ["The plan of Monday", false],
    ["b.png\nwith a word", false]
  ])("%j names them: %s", (text, expected) => {
    expect(namesFiles(text, files)).toBe(expected)
  })

  it("names none if there are none", () => {
    expect(namesFiles("a plan.txt", [])).toBe(false)
  })
})
