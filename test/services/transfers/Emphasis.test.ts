import * as fc from "fast-check"
import type { Nodes } from "hast"
import rehypeParse from "rehype-parse"
import { unified } from "unified"
import { describe, expect, it } from "vitest"
import { render } from "../../../services/markdown/Render.ts"
import { convert } from "../../../services/transfers/formats/Convert.ts"
import { rounds } from "../../support/Slow.ts"

const ofEvernote = async (html: string): Promise<string> => {
  const text = `<en-note><div>${html}</div></en-note>`
  return (await convert({ kind: "enml", text, head: "", tasks: [], media: {} })).pieces.join("")
}

const ofNotion = async (html: string): Promise<string> => {
  const text = `<html><body><article><div class="page-body"><p>${html}</p></div></article></body></html>`
  return (await convert({ kind: "notion-html", text, clock: { now: new Date(0), timezone: "UTC" } })).pieces.join("")
}

const styles: Readonly<Record<string, string>> = { b: "b", del: "s", em: "i", i: "i", s: "s", strong: "b", u: "u" }
const html = unified().use(rehypeParse, { fragment: true }).freeze()

/** Every visible sign with its emphasis; signs outside of words without it, because it makes no difference there. */
const seen = (source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: Nodes, style: string) => {
    if (node.type === "text") {
      for (const sign of node.value.replaceAll(/\s/g, "")) {
        found.push(/[\p{L}\p{N}]/u.test(sign) ? `${sign} ${style}` : sign)
      }
    }
    if (!("children" in node)) return
    const own = node.type === "element" ? styles[node.tagName] : undefined
    const all = own === undefined ? style : [...new Set([...style, own])].toSorted().join("")
    for (const child of node.children) visit(child, all)
  }
  visit(html.parse(source), "")
  return found
}

const shown = (body: string) =>
  render({ body, files: [], title: "", breaks: false, isForMembers: false }).html.pieces.join("")

describe("imported emphasis", () => {
  it.each([
    ["<b>Warning:</b>Battery", "**Warning**:Battery"],
    ["<b>Warning:</b> battery", "**Warning:** battery"],
    ["<b>注意：</b>请检查", "**注意**：请检查"],
    ["日本<b>「語」</b>です", "日本「**語**」です"],
    ["Стоп<b>(да)!</b>", "Стоп(**да)!**"],
    ["שלום<b>, עולם.</b>טוב", "שלום, **עולם**.טוב"],
    ["कृपया<b>ध्यान दें।</b>अब", "कृपया**ध्यान दें**।अब"],
    ["foo<i>bar</i>baz", "foo*bar*baz"],
    ["<i>bar</i>, <i>baz</i>", "_bar_, _baz_"],
    ["<s>gone.</s>here", "~~gone~~.here"],
    ["a<b>!</b>b", "a!b"],
    ["1<b>.</b> x", "1\\. x"],
    ["🎉<b>:x</b>", "🎉:**x**"],
    ["<b>Done 🎉</b>text <b>❤️</b>text", "**Done** 🎉text ❤️text"],
    ["<b>one</b><b>two</b>", "**onetwo**"],
    ["<b>one<b>two</b></b>", "**onetwo**"],
    ["<b>&nbsp;x</b>", "**x**"],
    ["a<b><br/>b </b><br/>c", "a\\\n**b**\\\nc"]
  ])("is written in readable Markdown: %s", async (source, markdown) => {
    expect(await ofEvernote(source)).toBe(`${markdown}\n`)
  })

  it("is HTML where no sign of Markdown is possible next to a word", async () => {
    expect(await ofEvernote('<b><a href="https://x.org">x</a></b>y')).toBe("<strong>[x](https://x.org)</strong>y\n")
    expect(await ofEvernote("<b><i>注意</i></b>请")).toBe("<strong>_注意_</strong>请\n")
  })

  const text = fc.constantFrom(
    ...["word", "Wort: ", "(x)", " two words ", "请检查", "注意：", "「語」", "слово.", "كلمة،", "עולם!", "दें।", "カナ"],
    ...["🎉", "❤️!", "👩‍💻", "1. ", "*", "_a_", "- ", "&amp;", "&lt;b&gt;", "…", "e\u0301", "~", " ", "\u00a0", "#", "`"]
  )
  const { tree } = fc.letrec<{ tree: string; node: string }>((tie) => ({
    tree: fc.array(tie("node"), { minLength: 1, maxLength: 4 }).map((nodes) => nodes.join("")),
    node: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      { weight: 3, arbitrary: text },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom("b", "i", "s", "u", "b", "i"), tie("tree"))
          .map(([name, inner]) => `<${name}>${inner}</${name}>`)
      },
      {
        weight: 1,
        arbitrary: text.filter((label) => label.trim() !== "").map((label) => `<a href="https://x.org">${label}</a>`)
      }
    )
  }))

  it.each([
    ["Evernote", ofEvernote],
    ["Notion", ofNotion]
  ])("from %s keeps its text and the style of each letter, without references, in any script", async (_, read) => {
    await fc.assert(
      fc.asyncProperty(tree, async (source) => {
        const body = await read(source)
        expect(body).not.toMatch(/(?<!\\)&#/)
        expect({ body, seen: seen(shown(body)) }).toEqual({ body, seen: seen(source) })
      }),
      { numRuns: rounds(200, 500), seed: 1 }
    )
  })
})
