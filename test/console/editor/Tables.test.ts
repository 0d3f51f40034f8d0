import { markdownLanguage } from "@codemirror/lang-markdown"
import { EditorState, type StateCommand } from "@codemirror/state"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nextCell, previousCell } from "../../../src/clients/console/editor/Tables.ts"
import { rounds } from "../../support/Slow.ts"

/** The state after a command at the "^" of a text; undefined if the command is for another place. */
const ran = (marked: string, command: StateCommand): EditorState | undefined => {
  const head = marked.indexOf("^")
  const state = EditorState.create({
    doc: marked.replace("^", ""),
    selection: { anchor: Math.max(0, head) },
    extensions: [markdownLanguage]
  })
  let after = state
  return command({ state, dispatch: (transaction) => void (after = transaction.state) }) ? after : undefined
}

/** The text with what is selected between "<" and ">". */
const shown = (marked: string, command: StateCommand): string | undefined => {
  const after = ran(marked, command)
  if (after === undefined) return undefined
  const { from, to } = after.selection.main
  const text = after.doc.toString()
  return `${text.slice(0, from)}<${text.slice(from, to)}>${text.slice(to)}`
}

describe("Tab in a table", () => {
  it.each([
    ["goes to the next cell", "|a^|b|\n|-|-|\n|c|d|", nextCell, "| a   | <b>   |\n| --- | --- |\n| c   | d   |"],
    [
      "leaves out the line below the head",
      "|a|b^|\n|-|-|\n|c|d|",
      nextCell,
      "| a   | b   |\n| --- | --- |\n| <c>   | d   |"
    ],
    ["adds a row", "|a|b|\n|-|-|\n|c|d^|", nextCell, "| a   | b   |\n| --- | --- |\n| c   | d   |\n| <>    |     |"],
    ["goes back with Shift", "|a|b|\n|-|-|\n|^c|d|", previousCell, "| a   | <b>   |\n| --- | --- |\n| c   | d   |"],
    ["stays in the first cell", "|^a|b|\n|-|-|", previousCell, "|<>a|b|\n|-|-|"],
    [
      "aligns columns",
      "| long one | b | c |\n|:-|-:|:-:|\n| c^ | 12345 | x",
      nextCell,
      "| long one |     b |  c  |\n| :------- | ----: | :-: |\n| c        | <12345> |  x  |"
    ],
    [
      "knows wide signs",
      "|日本^|b|\n|-|-|\n|abcdef|d|",
      nextCell,
      "| 日本   | <b>   |\n| ------ | --- |\n| abcdef | d   |"
    ],
    ["keeps bars in cells", "|a\\|^b|c|\n|-|-|", nextCell, "| a\\|b | <c>   |\n| ---- | --- |"],
    ["keeps cells beyond the columns", "|a|\n|-|\n|b^|c|", nextCell, "| a   |\n| --- |\n| b   | <c> |"],
    ["writes missing cells", "|a|b|\n|-|-|\n|c^|", nextCell, "| a   | b   |\n| --- | --- |\n| c   | <>    |"],
    ["keeps a quote", "> |a^|b|\n> |-|-|", nextCell, "> | a   | <b>   |\n> | --- | --- |"],
    [
      "keeps an item of a list",
      "> - |a|b|\n>   |-|-|\n>   |c|d^|",
      nextCell,
      "> - | a   | b   |\n>   | --- | --- |\n>   | c   | d   |\n>   | <>    |     |"
    ],
    ["keeps what is before a table", "  |a^|b|\n |-|-|", nextCell, "  | a   | <b>   |\n | --- | --- |"],
    ["is for tables alone", "a ^| b", nextCell, undefined]
  ])("%s", (_, text, command, result) => {
    expect(shown(text, command)).toBe(result)
  })

  it("changes no cell of any table, and is ready after one press", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "é", "語", " ", "\\|", "`", "-", ":"), maxLength: 6 })
    const table = fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 5 })
    )
    const cellsOf = (text: string) =>
      text.split("\n").map((line) =>
        line
          .replace(/^\|/, "")
          .replace(/(?<!\\)\|$/, "")
          .split(/(?<!\\)\|/)
          .map((each) => each.trim())
      )
    fc.assert(
      fc.property(table, ([columns, rows]) => {
        const lines = [
          `|${"h|".repeat(columns)}`,
          `|${"-|".repeat(columns)}`,
          ...rows.map((cells) => `|${cells.join("|")}|`)
        ]
        const before = lines.join("\n")
        const after = ran(`^${before}`, nextCell)
        if (after === undefined) return
        const text = after.doc.toString()
        const [was, is] = [cellsOf(before), cellsOf(text)]
        was.forEach((cells, row) => {
          if (row !== 1) expect(is[row]!.slice(0, cells.length)).toEqual(cells)
        })
        expect(ran(`^${text}`, nextCell)?.doc.toString().split("\n").slice(0, lines.length)).toEqual(
          text.split("\n").slice(0, lines.length)
        )
      }),
      { numRuns: rounds(200, 5_000) }
    )
  })
})
