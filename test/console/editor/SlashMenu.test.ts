import { CompletionContext } from "@codemirror/autocomplete"
import { markdownLanguage } from "@codemirror/lang-markdown"
import { EditorState, type StateCommand } from "@codemirror/state"
import { describe, expect, it } from "vitest"
import { setHeading, setList } from "../../../src/clients/console/editor/LineKinds.ts"
import { insertBlock, insertWords, slashMenu, withoutSlash } from "../../../src/clients/console/editor/SlashMenu.ts"
import { filled } from "../../../src/clients/console/editor/TemplateValues.ts"

const menu = slashMenu({
  attach: () => undefined,
  insertTemplate: () => undefined,
  templates: () => [{ id: "tp_1", name: "Meeting" }]
})

/** The labels that are offered at the "|" of a text. */
const offered = (marked: string): ReadonlyArray<string> | undefined => {
  const pos = marked.indexOf("|")
  const state = EditorState.create({ doc: marked.replace("|", ""), extensions: [markdownLanguage] })
  return menu(new CompletionContext(state, pos, false))?.options.map(({ label }) => label)
}

/** The text after a choice for the slash and what is typed behind it, up to the "|". */
const chosen = (marked: string, command: StateCommand): string => {
  const to = marked.indexOf("|")
  const state = EditorState.create({ doc: marked.replace("|", ""), extensions: [markdownLanguage] })
  const from = state.doc.sliceString(0, to).lastIndexOf("/")
  const { state: after } = state.update(withoutSlash(state, from, to, command))
  const { anchor, head } = after.selection.main
  const text = after.doc.toString()
  return anchor === head
    ? `${text.slice(0, head)}|${text.slice(head)}`
    : `${text.slice(0, anchor)}|${text.slice(anchor, head)}|${text.slice(head)}`
}

describe("the menu of a slash", () => {
  it("opens at the start of a line and behind white space alone", () => {
    const all = offered("/|")
    expect(all?.slice(0, 3)).toEqual(["Heading 1", "Heading 2", "Heading 3"])
    expect(all).toHaveLength(13)
    expect(all?.at(-1)).toBe("Template: Meeting")
    for (const text of ["one /|", "- /|", "> /|", "one\n/|"]) expect(offered(text), text).toEqual(all)
    for (const text of ["one/|", "//|", "/h-|", "/ |", "a / b|", "https:/|", "```\n/|\n```", "a `b /|` c"])
      expect(offered(text), text).toBe(undefined)
  })

  it.each([
    ["a heading", "/he|", setHeading(2), "## |"],
    ["another heading", "# one /he|", setHeading(2), "## one |"],
    ["a list", "one /|", setList("number"), "1. one |"],
    ["a task in a quote", "> /t|", setList("task"), "> - [ ] |"],
    ["words", "on /date|, then", insertWords("2026-11-29\0"), "on 2026-11-29|, then"],
    ["a block", "/code|", insertBlock("```\n\0\n```"), "```\n|\n```"],
    ["a block behind words", "one /code|", insertBlock("```\n\0\n```"), "one \n\n```\n|\n```"],
    ["a block before words", "/|one", insertBlock("> \0a\0"), "> |a|\none"]
  ])("makes %s, without the slash", (_, text, command, result) => {
    expect(chosen(text, command)).toBe(result)
  })

  it("fills the values of a template that it knows, and names the others", () => {
    const now = new Date(2026, 10, 29, 7, 5)
    expect(filled("# {{title}} {{ date }} {{datetime}} {{day}} {{who}} {{date:YY}} {{who}}", "{{date}}", now)).toEqual({
      text: "# {{date}} 2026-11-29 2026-11-29 07:05 29 {{who}} {{date:YY}} {{who}}",
      unresolved: ["who", "date:YY"]
    })
  })
})
