import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { diff } from "../../services/notes/texts/LineDiff.ts"
import { apply } from "../../services/notes/texts/NoteEdit.ts"
import { NoteOutline } from "../../services/notes/texts/NoteOutline.ts"
import { partOf } from "../../src/server/mcp/responses/NotePassages.ts"
import { costOf, endThatFits } from "../../src/server/mcp/responses/ResponseSize.ts"
import { matches } from "../../services/notes/texts/TextSearch.ts"

const line = fc.oneof(
  fc.constantFrom("# A", "## B", "# A #", "```", "~~~", "---", "", "- x", "text", "aa", '😀 \u0001"'),
  fc.string({ maxLength: 12, unit: "grapheme" })
)
const text = fc.array(line, { maxLength: 20 }).map((lines) => lines.join("\n"))

const edited = (body: string, edit: Parameters<typeof apply>[1]): string => Result.getOrThrow(apply(body, edit))

/** Whether all characters of one text are in the other, in their order. */
const contains = (whole: string, part: string): boolean => {
  let at = 0
  for (const unit of whole) if (part.startsWith(unit, at)) at += unit.length
  return at === part.length
}

describe("edits of a note", () => {
  it("keep every character when they add text", () => {
    fc.assert(
      fc.property(text, text, text, (body, prepend, append) => {
        const made = edited(body, { prepend, append })
        expect(contains(made, body)).toBe(true)
        expect(made).toContain(prepend)
        expect(made).toContain(append)
      })
    )
  })

  it("add text under a heading without a change of other sections", () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom("start" as const, "end" as const), (before, after, position) => {
        const body = `${before.replaceAll(/[#`~-]/g, "")}\n# Only\n\n${after.replaceAll(/[#`~-]/g, "")}\n# Next\nlast`
        const made = edited(body, { under_heading: { heading: "# Only", text: "added", position } })
        expect(contains(made, body)).toBe(true)
        const [only] = new NoteOutline(made).named("# Only")
        const { from, to } = new NoteOutline(made).section(only!)
        const outline = new NoteOutline(made)
        expect(made.slice(outline.offset(from), outline.offset(to))).toContain("added\n")
      })
    )
  })

  it("replace a text that occurs once, and refuse any other", () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 1, max: 5 }), (body, from, length) => {
        fc.pre(body.length > 0)
        const start = from % body.length
        const old_text = body.slice(start, start + length)
        const made = apply(body, { replacements: [{ old_text, new_text: "NEW" }] })
        const found = matches(body, old_text, 100)
        if (found.length === 1) {
          expect(Result.getOrThrow(made)).toBe(
            `${body.slice(0, found[0])}NEW${body.slice(found[0]! + old_text.length)}`
          )
        } else expect(Result.isFailure(made)).toBe(true)
      })
    )
  })

  it("of lines that end in CRLF keep that ending", () => {
    const body = "one\r\ntwo\r\n# Three"
    const replacements = [{ old_text: "one\ntwo", new_text: "1\n2" }]
    expect(edited(body, { replacements, append: "four\nfive" })).toBe("1\r\n2\r\n# Three\r\nfour\r\nfive")
    expect(edited("one\r\ntwo\n", { append: "three\n" })).toBe("one\r\ntwo\n\nthree\n")
  })

  it("find all matches of a text, also overlapping ones", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 30 }),
        fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }),
        (all, wanted) => {
          const expected = [...all].flatMap((_, at) => (all.startsWith(wanted, at) ? [at] : []))
          expect(matches(all, wanted, 1_000)).toEqual(expected)
        }
      )
    )
  })

  it("take time proportional to the length of the note", () => {
    const body = "a".repeat(1_000_000)
    expect(matches(body, `${"a".repeat(9_999)}b`, 1)).toEqual([])
  })
})

describe("the outline of a note", () => {
  it("has the headings outside of code and front matter", () => {
    const outline = new NoteOutline("---\n# no: x\n---\n# One ##\n```\n# code\n```\n ## Two\n####### seven\n#tag\n#\n")
    expect(outline.headings).toMatchObject([
      { line: 4, level: 1, text: "One" },
      { line: 8, level: 2, text: "Two" },
      { line: 11, level: 1, text: "" }
    ])
    expect(outline.contentLine).toBe(4)
    expect(outline.section(outline.headings[0]!)).toEqual({ from: 4, to: 11 })
  })

  it("has no headings of code in lists, and those after code within a line", () => {
    const text = "- ```sh\n  # code\n  ```\n# One\n\n```code```\n# Two\n1. ~~~\n       # code\n       ~~~\n# Three\n"
    expect(new NoteOutline(text).headings.map((each) => each.text)).toEqual(["One", "Two", "Three"])
  })

  it("begins after the front matter that an import reads", () => {
    expect(new NoteOutline("---\ntitle: q\n# comment\n...\n# Real").headings).toMatchObject([
      { line: 5, level: 1, text: "Real" }
    ])
    expect(new NoteOutline("---\nno: end\n").contentLine).toBe(1)
    expect(edited("---\na: 1\n---", { prepend: "first" })).toBe("---\na: 1\n---\nfirst")
  })

  it("takes time proportional to the length of a heading", () => {
    const text = `a${" ".repeat(500_000)}b${" #b".repeat(100_000)}`
    expect(new NoteOutline(`# ${text} ## \r\n# \r\n##\r\n# ##`).headings).toMatchObject([
      { line: 1, level: 1, text },
      { line: 2, level: 1, text: "" },
      { line: 3, level: 2, text: "" },
      { line: 4, level: 1, text: "" }
    ])
  })

  it("has lines that join to the text", () => {
    fc.assert(
      fc.property(text, (body) => {
        const outline = new NoteOutline(body)
        const lines = Array.from({ length: outline.lines }, (_, index) => outline.line(index + 1))
        expect(lines.join("\n")).toBe(body.replace(/\n$/, ""))
      })
    )
  })
})

describe("parts of a text", () => {
  it("cost at most what is available, and join to the text", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 200 }), (body, available) => {
        const outline = new NoteOutline(body)
        let joined = ""
        let at = { line: 1, character: 0 }
        for (;;) {
          const part = partOf(outline, at, outline.lines + 1, available)
          expect(costOf(part.text)).toBeLessThanOrEqual(available)
          joined += part.text
          if (part.next === null) break
          at = part.next
        }
        expect(joined).toBe(body)
      })
    )
  })

  it("begin and end between characters", () => {
    expect(partOf(new NoteOutline("😀b"), { line: 1, character: 1 }, 2, 1_000).text).toBe("😀b")
    expect(endThatFits("😀😀", 0, 4, costOf("😀") + 1)).toBe(2)
  })
})

describe("the difference of two texts", () => {
  it("has all changed lines: applied to the old text it makes the new one", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [old, by] = [before, after].map((each) => (each === "" ? [] : each.replace(/\n$/, "").split("\n")))
        const lines = diff(before, after, 1_000)
        const removed = new Set(lines.filter(({ mark }) => mark === "-").map(({ line }) => line))
        const added = new Map(lines.filter(({ mark }) => mark === "+").map((each) => [each.line, each.text]))
        const kept = old!.filter((_, index) => !removed.has(index + 1))
        const made: Array<string> = []
        while (made.length < by!.length) made.push(added.get(made.length + 1) ?? kept.shift()!)
        expect(made).toEqual(by)
        expect(kept).toEqual([])
      })
    )
  })

  it("shows few lines of small changes at both ends of a long text", () => {
    const body = Array.from({ length: 3_000 }, (_, index) => `line ${index}`).join("\n")
    const lines = diff(body, `first\n${body}\nlast`, 10_000)
    expect(lines.map(({ line, mark }) => `${mark}${line}`)).toEqual(["+1", " 2", " 3", " 3000", " 3001", "+3002"])
    expect(diff(body, "", 10)).toHaveLength(10)
  })
})
