import { Result } from "effect"
import fc from "fast-check"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { describe, expect, it } from "vitest"
import { apply } from "../../services/notes/texts/NoteEdit.ts"
import { NoteOutline } from "../../services/notes/texts/NoteOutline.ts"
import { rounds } from "../support/Slow.ts"

const edited = (body: string, edit: Parameters<typeof apply>[1]): string => Result.getOrThrow(apply(body, edit))

const parser = unified().use(remarkParse).use(remarkGfm)

/** The blocks of a text at the top level, by the parser of CommonMark: of each its type, and its source in one line. */
const blocksOf = (text: string): ReadonlyArray<string> =>
  parser
    .parse(text)
    .children.map(
      ({ position, type }) => `${type} ${text.slice(position!.start.offset!, position!.end.offset!).trimEnd()}`
    )

const line = fc.constantFrom(
  ...[
    "text",
    "more text",
    "# A",
    "## B ##",
    "===",
    "---",
    "-",
    "",
    "",
    "- x",
    "  - y",
    "* z",
    "1. one",
    "2. two",
    "> q"
  ],
  ...["```", "~~~", "| a | b |", "| - | - |", "[^1]: note", "[a]: /url", "***", "    four", "  two", "<div>", "\\"]
)
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"))

/**
 * Behind indented code or a definition, the parser takes for text what cannot interrupt a paragraph. A delimiter row may be
 * the header of a table, which the outline does not know.
 */
const isReadAsText =
  /^(?:(?: {4}|\t).*|\[[^\]\n]*\]:.*)\n {0,3}(?:[-+*][ \t]*$|\d{1,9}[.)])|\| - \| - \|\n\| - \| - \|/m

describe("underlined headings", () => {
  it("are in the outline with the level of their line, and bound sections", () => {
    const outline = new NoteOutline("Title\nof two lines\n===\n\nfirst\n\nPart\n----\nsecond\n\n# Next\n")
    expect(outline.headings).toEqual([
      { line: 1, last: 3, level: 1, text: "Title of two lines" },
      { line: 7, last: 8, level: 2, text: "Part" },
      { line: 11, last: 11, level: 1, text: "Next" }
    ])
    expect(outline.section(outline.headings[1]!)).toEqual({ from: 7, to: 11 })
  })

  it.each([
    ["a line without a text above", "\n---\n\n===\n"],
    ["a list", "- a\n---\n"],
    ["a quotation", "> a\n---\n> b\n===\n"],
    ["code", "```\na\n---\n```\n"],
    ["indented code", "    a\n---\n"],
    ["a table", "| a |\n| - |\n| b |\n---\n"],
    ["a footnote", "[^1]: a\n---\n"],
    ["a continued item of a list", "- a\nb\n---\n"],
    ["front matter", "---\na: b\n---\n"]
  ])("are not made by %s", (_, body) => {
    expect(new NoteOutline(body).headings).toEqual([])
  })

  it("are those that the parser of CommonMark finds", () => {
    fc.assert(
      fc.property(text, (body) => {
        // The parser counts a link's definition to the heading below it.
        fc.pre(!/^---|[<`~]|\[a\]/.test(body))
        fc.pre(!isReadAsText.test(body))
        const expected = parser.parse(body).children.flatMap((node) => {
          const source = body.split("\n")
          const { end, start } = node.position!
          return node.type === "heading" && start.line < end.line
            ? [{ line: start.line, last: end.line, level: node.depth, source: source[start.line - 1] }]
            : []
        })
        const found = new NoteOutline(body).headings
          .filter((each) => each.line < each.last)
          .map(({ last, level, line }) => ({ line, last, level, source: body.split("\n")[line - 1] }))
        expect(found).toEqual(expected)
      }),
      { numRuns: rounds(300, 1_000), seed: 1 }
    )
  })

  it("get text below their line", () => {
    const body = "Tasks\n=====\none\n\nNext\n====\n"
    const at = (position: "start" | "end") =>
      edited(body, { under_heading: { heading: "Tasks", text: "two", position } })
    expect(at("start")).toBe("Tasks\n=====\ntwo\n\none\n\nNext\n====\n")
    expect(at("end")).toBe("Tasks\n=====\none\n\ntwo\n\nNext\n====\n")
  })

  it("take time proportional to the length of the text", () => {
    const outline = new NoteOutline(`${"a\n".repeat(300_000)}---\n${"\n".repeat(300_000)}`)
    expect(outline.headings).toMatchObject([{ line: 1, last: 300_001, level: 2 }])
  })
})

describe("an appended text", () => {
  it.each([
    ["a paragraph", "text", "text\n\nadded"],
    ["a paragraph with a line break", "text\n", "text\n\nadded"],
    ["an empty line", "text\n\n", "text\n\nadded"],
    ["a list", "- one", "- one\n\nadded"],
    ["a footnote", "[^1]: note", "[^1]: note\n\nadded"],
    ["a quotation", "> one", "> one\n\nadded"],
    ["a table", "| a |\n| - |\n| b |\n", "| a |\n| - |\n| b |\n\nadded"],
    ["a heading", "# One", "# One\nadded"],
    ["code that is not closed", "```\ncode", "```\ncode\n```\n\nadded"],
    ["code in a list", "- ```\n  code", "- ```\n  code\n\nadded"],
    ["front matter", "---\na: b\n---", "---\na: b\n---\nadded"],
    ["nothing", "", "added"],
    ["a byte order mark", "\ufeff", "\ufeffadded"]
  ])("after %s is a block of its own", (_, body, expected) => {
    expect(edited(body, { append: "added" })).toBe(expected)
  })

  it("of a line and a word makes no heading of the paragraph above", () => {
    expect(edited("text", { append: "---\nword" })).toBe("text\n\n---\nword")
    expect(edited("text", { append: "===" })).toBe("text\n\n===")
  })

  it.each([
    ["- one", "- two", "- one\n- two"],
    ["1. one\n2. two", "3. three", "1. one\n2. two\n3. three"],
    ["- one\n  more", "- two", "- one\n  more\n- two"],
    ["- one", "* two", "- one\n\n* two"],
    ["text\n2. no list", "3. three", "text\n2. no list\n\n3. three"],
    ["| a |\n| - |\n| b |", "| c |", "| a |\n| - |\n| b |\n| c |"],
    ["| a |\n| - |\n| b |", "| c |\n| - |", "| a |\n| - |\n| b |\n\n| c |\n| - |"],
    ["- one", "- - -", "- one\n\n- - -"]
  ])("continues a list or a table of its own kind: %j and %j", (body, append, expected) => {
    expect(edited(body, { append })).toBe(expected)
  })

  it("changes no block above it, and a text at the start none below it", () => {
    const added = fc.constantFrom(
      "A sentence.",
      "---\nword",
      "===",
      "- item",
      "3. item",
      "> quote",
      "| a | b |",
      "```\nx"
    )
    fc.assert(
      fc.property(text, added, (body, given) => {
        fc.pre(!/^---|</.test(body) && !isReadAsText.test(body))
        const before = blocksOf(body)
        // A list or a table may get longer: its last block is compared by its begin.
        const same = (made: ReadonlyArray<string>, at: number) =>
          /^(list|table) /.test(before[at]!) ? made[at]!.startsWith(before[at]!) : made[at] === before[at]
        // Code that is not closed gets its end.
        fc.pre(before.every((block) => !block.startsWith("code ") || !/^code ( {0,3}[`~]{3})/.test(block)))
        const appended = blocksOf(edited(body, { append: given }))
        for (let at = 0; at < before.length; at++)
          expect(same(appended, at), `${at} of ${appended.join(" | ")}`).toBe(true)
        const last = blocksOf(edited(body, { append: "A sentence." })).at(-1)
        expect(last).toBe("paragraph A sentence.")
      }),
      { numRuns: rounds(300, 1_000), seed: 1 }
    )
  })
})

describe("a text at the start", () => {
  it("is a block of its own, also if it is code that is not closed", () => {
    expect(edited("text", { prepend: "first" })).toBe("first\n\ntext")
    expect(edited("---\n\ntext", { prepend: "first" })).toBe("first\n\n---\n\ntext")
    expect(edited("- a", { prepend: "- b" })).toBe("- b\n- a")
    expect(edited("text", { prepend: "```\ncode" })).toBe("```\ncode\n```\n\ntext")
    expect(edited("---\na: b\n---\ntext", { prepend: "first" })).toBe("---\na: b\n---\nfirst\n\ntext")
    expect(edited("\ufefftext", { prepend: "first" })).toBe("\ufefffirst\n\ntext")
  })
})

describe("a text that only looks like one of the note", () => {
  const refusal = (body: string, old_text: string): any => {
    const made = apply(body, { replacements: [{ old_text, new_text: "x" }] })
    return Result.isFailure(made) ? made.failure : undefined
  }

  it.each([
    [
      "NFC and NFD",
      "a\nCafe\u0301 au lait",
      "Caf\u00e9 au",
      "accents as characters of their own (NFC or NFD)",
      "U+0301"
    ],
    ["no-break spaces", "a\n10\u00a0km", "10 km", "spaces of another kind", "U+00A0 at character 2 of line 2"],
    ["typographic quotes", "a\n\u201cyes\u201d", '"yes"', "typographic quotes, dashes or dots", "U+201C"],
    ["a dash", "a\n1\u20132", "1-2", "typographic quotes, dashes or dots", "U+2013"],
    ["trailing blanks", "a\none  \ntwo", "one\ntwo", "blanks at the end of lines", undefined],
    ["tabs", "a\none\ttwo", "one  two", "tabs or the number of blanks", "U+0009"],
    ["line ends", "a\none\r\ntwo\n", "one\ntwo", "line ends", "U+000D"],
    ["characters without width", "a\nin\u200bvisible", "invisible", "characters without width", "U+200B"],
    ["characters without width in the call", "a\ninvisible", "in\u200dvisible", "characters without width", undefined]
  ])("is refused with the difference and the line: %s", (_, body, old_text, difference, character) => {
    const { lines, message, text } = refusal(body, old_text)
    expect(lines).toEqual([2])
    expect(message).toContain(` 2`)
    expect(message).toContain(`Different are ${difference}.`)
    if (character === undefined) expect(message).not.toContain("U+")
    else expect(message).toContain(character)
    // The lines contain a text that occurs.
    expect(body.split("\n").slice(1).join("\n")).toContain(text)
  })

  it("names each difference, and none of a text that looks different or occurs in two places", () => {
    expect(refusal("a \u201cb\u201d\u00a0c", 'a "b" c').message).toContain(
      "Different are spaces of another kind and typographic quotes, dashes or dots."
    )
    expect(refusal("caf\u00e9", "cafe").message).toContain("copy it exactly")
    expect(refusal("a\u00a0b\na\u00a0b", "a b").message).toContain("copy it exactly")
    expect(refusal("text", "\u200b").message).toContain("copy it exactly")
  })

  it("is found in time proportional to the length of the note", () => {
    const marks = "\u0327\u0301".repeat(250_000)
    expect(refusal(`a${marks}${" ".repeat(200_000)}b`, "none").lines).toEqual([])
  })

  it("names a heading", () => {
    const body = "# Caf\u00e9\u00a0\u201cX\u201d\n\none\n"
    expect(new NoteOutline(body).named('Cafe\u0301 "X"')).toHaveLength(1)
  })
})
