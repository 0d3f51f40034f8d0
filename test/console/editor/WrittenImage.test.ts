import { markdownLanguage } from "@codemirror/lang-markdown"
import { EditorState } from "@codemirror/state"
import { describe, expect, it } from "vitest"
import { render } from "../../../services/markdown/Render.ts"
import { whole } from "../../../services/markdown/Rendered.ts"
import { nodeAround, treeTo } from "../../../src/clients/console/editor/Formatting.ts"
import { writtenImage } from "../../../src/clients/console/editor/WrittenImage.ts"

const files = [{ id: "at_1", filename: "x.png", isImage: true }]

/** The image in a text, and the text after the image has another width. */
const found = (text: string, width = 300) => {
  const state = EditorState.create({ doc: text, extensions: [markdownLanguage] })
  const node = nodeAround(treeTo(state, text.length), text.indexOf("!["), ["Image"])
  const image = node && writtenImage(state, node)
  if (image === undefined) return undefined
  const { resized, ...read } = image
  return { ...read, text: state.update({ changes: resized(width) }).state.doc.toString() }
}

describe("the width of an image", () => {
  it.each([
    ["![[x.png]]", "![[x.png|300]]", undefined],
    ["a ![[x.png|80]] b", "a ![[x.png|300]] b", 80],
    ["![[x.png| 80x40 ]]", "![[x.png| 300 ]]", 80],
    ["![[x.png|words]]", "![[x.png|words|300]]", undefined],
    ["![](x.png)", "![|300](x.png)", undefined],
    ["![alt](attachment:at_1)", "![alt|300](attachment:at_1)", undefined],
    ['![alt|80](<attachment:at_1> "t")', '![alt|300](<attachment:at_1> "t")', 80],
    ["[![a|80x40](x.png)](https://sheaf.test)", "[![a|300](x.png)](https://sheaf.test)", 80],
    ["| a |\n| --- |\n| ![[x.png]] |", "| a |\n| --- |\n| ![[x.png\\|300]] |", undefined],
    ["| a |\n| --- |\n| ![a\\|80](x.png) |", "| a |\n| --- |\n| ![a\\|300](x.png) |", 80]
  ])("is written into %s, and shown", (before, after, width) => {
    expect(found(before)).toMatchObject({ text: after, width })
    expect(found(after)).toMatchObject({ text: after, width: 300 })
    const { html } = render({ title: "T", body: after, files, breaks: true, isForMembers: true })
    expect(whole(html, String)).toContain(' width="300"')
  })

  it("with a height is read as the page shows it", () => {
    for (const text of ["![[x.png|80x40]]", "![a|80x40](x.png)"]) {
      expect(found(text)).toMatchObject({ width: 80, height: 40 })
      const { html } = render({ title: "T", body: text, files, breaks: true, isForMembers: true })
      expect(whole(html, String)).toMatch(/ width="80" height="40" class="sized"/)
    }
  })

  it.each(["![a](https://sheaf.test/x.png)", "![a][b]", "`![[x.png]]`", "![a]"])("is not offered in %s", (text) => {
    expect(found(text)).toBe(undefined)
  })
})
