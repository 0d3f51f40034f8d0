import { markdownLanguage } from "@codemirror/lang-markdown"
import { EditorState } from "@codemirror/state"
import { describe, expect, it } from "vitest"
import { linkAt } from "../../../src/clients/console/editor/FoundLink.ts"

/** The link at the "^" of a text. */
const found = (marked: string) =>
  linkAt(EditorState.create({ doc: marked.replace("^", ""), extensions: [markdownLanguage] }), marked.indexOf("^"))

describe("the link at a place", () => {
  it.each([
    ["see [the pa^ge](https://sheaf.test/a)", { kind: "address", url: "https://sheaf.test/a" }],
    ["see [the page](<https://sheaf.te^st/a>)", { kind: "address", url: "https://sheaf.test/a" }],
    ["see https://sheaf.te^st/a", { kind: "address", url: "https://sheaf.test/a" }],
    ["see <mailto:a@sheaf.te^st>", { kind: "address", url: "mailto:a@sheaf.test" }],
    ["see www.she^af.test", { kind: "address", url: "https://www.sheaf.test" }],
    ["see [[Trips/Vie^nna#Bags|there]]", { kind: "note", target: "Trips/Vienna#Bags" }],
    ["see [a](no^te:nt_1-a#In%20Rome)", { kind: "note", target: "nt_1-a#In Rome" }],
    ["![a](attach^ment:at_1-a)", { kind: "file", id: "at_1-a" }]
  ])("is found in %s", (text, link) => {
    expect(found(text)).toEqual(link)
  })

  it.each([
    "no li^nk",
    "`[[co^de]]`",
    "[a](javascript:ale^rt)",
    "[a](data:text/html,^x)",
    "```\nhttps://she^af.test\n```"
  ])("is not in %s", (text) => {
    expect(found(text)).toBe(undefined)
  })
})
