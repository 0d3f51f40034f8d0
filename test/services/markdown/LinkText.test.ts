import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aliasesOf } from "../../../services/markdown/Aliases.ts"
import { newNoteOf, noteLink, readingsOf } from "../../../services/markdown/LinkText.ts"
import { render } from "../../../services/markdown/Render.ts"
import { whole } from "../../../services/markdown/Rendered.ts"
import { isSlow, rounds } from "../../support/Slow.ts"

const id = "nt_0123456789abcdef"

describe("a link to a note", () => {
  it("is read as it is written, and shows the title to the letter, whatever the title is", () => {
    const signs = fc.constantFrom(
      ..."[]|#^!*_`~=$<>&;\\(){}:/.%@-+\"' aB1é字",
      "&amp;",
      "nt_",
      "](",
      "]]",
      "[[",
      "www.",
      "://"
    )
    const title = fc
      .array(signs, { minLength: 1, maxLength: 20 })
      .map((parts) => parts.join("").trim().replaceAll(/ +/g, " "))
      .filter((text) => text !== "" && text.length <= 200)
    fc.assert(
      fc.property(title, (title) => {
        const body = `see ${noteLink({ id, title })}.`
        const { html } = render({ title: "T", body, files: [], breaks: true, isForMembers: true })
        expect(html.targets).toHaveLength(1)
        const target = html.targets[0]!.slice("note:".length)
        if (target !== id) expect(readingsOf(target)[0]).toEqual({ folders: [], title, place: "" })
        const shown = whole(html, () => "x").replaceAll(/<[^>]*>/g, "")
        const text = shown.replaceAll("&#x3C;", "<").replaceAll("&#x26;", "&")
        expect(text).toBe(`see ${title}.`)
      }),
      { numRuns: rounds(300, 50_000), ...(isSlow ? {} : { seed: 1 }) }
    )
  })

  it("is read as a title, as a path, and as a place in a note", () => {
    expect(readingsOf("Note")).toEqual([{ folders: [], title: "Note", place: "" }])
    expect(readingsOf("A/B/Note.md#One#Two")).toEqual([
      { folders: [], title: "A/B/Note.md#One#Two", place: "" },
      { folders: ["A", "B"], title: "Note.md#One#Two", place: "" },
      { folders: [], title: "A/B/Note.md#One", place: "Two" },
      { folders: ["A", "B"], title: "Note.md#One", place: "Two" },
      { folders: [], title: "A/B/Note", place: "Two" },
      { folders: ["A", "B"], title: "Note", place: "Two" }
    ])
    expect(newNoteOf("A/B/Note.md#One")).toEqual({ folders: ["A", "B"], title: "Note" })
    expect([newNoteOf("C#"), newNoteOf("#x")].map(({ title }) => title)).toEqual(["C#", "#x"])
  })
})

it("aliases are read from front matter, in the forms in which note apps write them", () => {
  for (const matter of [
    "aliases: [One, 'It''s, two', \"a \\\"b\\\"\"]",
    'tags: x\naliases:\n  - One\n  - It\'s, two\n  - a "b"\nother: [x]',
    'aliases:\n- One # first\n- "It\'s, two"\n- \'a "b"\'',
    'aliases: [\n  One,\n  "It\'s, two",\n  \'a "b"\'\n]\nx: y'
  ]) {
    expect([matter, aliasesOf(`---\n${matter}\n---\ntext`)]).toEqual([matter, ["One", "It's, two", 'a "b"']])
  }
  expect(aliasesOf("---\nalias: One\r\n---\r\n")).toEqual(["One"])
  expect(aliasesOf('+++\naliases = ["One", "Two"]\n+++\n')).toEqual(["One", "Two"])
  expect(
    ["aliases: [a]", "---\naliases:\n---", "---\nx: 1\n---\naliases: [a]", "---\nnoaliases: [a]\n---"].map(aliasesOf)
  ).toEqual([[], [], [], []])
})
