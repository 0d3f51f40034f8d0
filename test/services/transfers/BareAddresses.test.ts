import * as fc from "fast-check"
import type { Nodes } from "hast"
import rehypeParse from "rehype-parse"
import { unified } from "unified"
import { describe, expect, it } from "vitest"
import { render } from "../../../services/markdown/Render.ts"
import { convert } from "../../../services/transfers/formats/Convert.ts"
import { rounds } from "../../support/Slow.ts"

const ofEvernote = async (html: string): Promise<string> => {
  const text = `<en-note>${html}</en-note>`
  return (await convert({ kind: "enml", text, head: "", tasks: [], media: {} })).pieces.join("").trimEnd()
}

const page = unified().use(rehypeParse, { fragment: true }).freeze()
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const shown = (body: string) =>
  render({ body, files: [], title: "", breaks: false, isForMembers: false }).html.pieces.join("")
const linksIn = (body: string): ReadonlyArray<string> => {
  const links: Array<string> = []
  const visit = (node: Nodes): void => {
    if (node.type === "element" && node.tagName === "a") links.push(String(node.properties["href"]))
    if ("children" in node) node.children.forEach(visit)
  }
  visit(page.parse(shown(body)))
  return links
}

const readable = (url: string) => {
  try {
    return decodeURI(url).replaceAll("%7C", "|").replaceAll("%5C", "\\")
  } catch {
    return url
  }
}

describe("a bare address", () => {
  it.each([
    ["http://x.org/~user/[id]/{a}?x=*&y=_z_", "<http://x.org/~user/[id]/{a}?x=*&y=_z_>"],
    ["https://x.org/a|b_c_", "<https://x.org/a%7Cb_c_>"],
    ["https://例え.jp/パス_a_", "<https://例え.jp/パス_a_>"],
    ["https://ja.wikipedia.org/wiki/C言語", "<https://ja.wikipedia.org/wiki/C言語>"],
    ["https://he.wikipedia.org/wiki/עברית", "<https://he.wikipedia.org/wiki/עברית>"],
    ["www.x.org/a_b_c_", "<http://www.x.org/a_b_c_>"],
    ["www.x.org/a^b`c`d", "<http://www.x.org/a^b`c`d>"],
    ["www.例え.jp", "[www.例え.jp](http://www.例え.jp)"],
    ["me@a_b.org", "me@a_b.org"],
    ["o'neil@x.org", "<o'neil@x.org>"],
    ["müller@exämple.org", "[müller@exämple.org](mailto:m%C3%BCller@ex%C3%A4mple.org)"],
    ["https://x.org/a\\b", "<https://x.org/a%5Cb>"],
    ["https://x.org/a_(b)_[c]", "<https://x.org/a_(b)_[c]>"],
    ["https://x.org/?x=*", "<https://x.org/?x=*>"]
  ])("stays usable with any signs: %s", async (source, markdown) => {
    expect(await ofEvernote(`<div>${escaped(source)}</div>`)).toBe(markdown)
    expect(linksIn(markdown).map(readable)).toEqual([expect.stringContaining(source)])
    const cell = await ofEvernote(`<table><tr><td>${escaped(source)}</td><td>b</td></tr></table>`)
    expect(cell).toBe(`| | |\n| - | - |\n| ${markdown} | b |`)
    expect(linksIn(cell).map(readable)).toEqual([expect.stringContaining(source)])
  })

  it.each([
    ["See https://x.org/a.", "See https://x.org/a."],
    ["(https://x.org/[a])", "(<https://x.org/[a]>)"],
    ["{https://x.org/a}", "{<https://x.org/a>}"],
    ["*https://x.org/a*", "\\*<https://x.org/a>\\*"],
    ["https://x.org/a|https://x.org/b", "<https://x.org/a>|<https://x.org/b>"],
    ["詳細はhttps://x.org/a.htmlを参照", "詳細は<https://x.org/a.html>を参照"],
    ["連絡はme@x.orgまで", "連絡は<me@x.org>まで"],
    ["me@a_b.org!x", "[me@a_b.org](mailto:me@a_b.org)!x"]
  ])("ends where the sentence continues: %s", async (source, markdown) => {
    expect(await ofEvernote(`<div>${source}</div>`)).toBe(markdown)
  })

  it("is one link without backslashes in a line and in a cell, for any path", async () => {
    const sign = fc.constantFrom(...Array.from("aZ9_~-[]{}()|^`*=&?#%!$+,;:@'.\\é語"))
    const path = fc.array(sign, { maxLength: 12 }).map((all) => `${all.join("")}z`)
    await fc.assert(
      fc.asyncProperty(path, async (end) => {
        const line = escaped(`https://x.org/${end}`)
        for (const html of [`<div>${line}</div>`, `<table><tr><td>${line}</td></tr></table>`]) {
          const body = await ofEvernote(html)
          expect(body).not.toContain("\\")
          expect({ body, links: linksIn(body).length }).toEqual({ body, links: 1 })
          expect(linksIn(body)[0]).toMatch(/z$/)
        }
      }),
      { numRuns: rounds(100, 300), seed: 1 }
    )
  })
})
