import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { convert } from "../../../services/transfers/formats/Convert.ts"
import { joined, type ListedFile } from "../../../services/transfers/formats/Converted.ts"
import { fileOf as write } from "../../../services/transfers/formats/markdown/OwnFrontMatter.ts"
import { rounds } from "../../support/Slow.ts"

const note = {
  id: "nt_0123456789abcdefghij",
  title: 'The "note": \u2028',
  tags: ["work/", "b"],
  pinned: false,
  archived: true,
  created_at: "2024-01-02T03:04:05.000Z",
  updated_at: "2025-01-02T03:04:05.000Z"
}
const fileOf = (body: string, was = body, files: ReadonlyArray<ListedFile> = []) =>
  write({ ...note, body: was }, body, files)

const imported = async (text: string) => {
  const found = await convert({
    kind: "markdown",
    text,
    clock: { now: new Date("2026-01-01T00:00:00Z"), timezone: "UTC" }
  })
  const { archived, created_at, pinned, tags, title, updated_at } = found
  return { body: joined(found, () => undefined).body, archived, created_at, pinned, tags, title, updated_at }
}

const { id: _, ...said } = note
/** The properties that other programs read: those of the first block. */
const propertiesIn = (file: string) => parse(/^---\n([\s\S]*?\n)---\n/.exec(file)![1]!)

describe("the front matter of an exported note", () => {
  it("contains the properties that the body begins with after its own, and an import restores them", async () => {
    const body = "---\n\n# mine\ncssclass:   wide   # as it was\naliases: [b]\n\ndate: 2031-05-01\n---\n\ntext\n"
    const file = fileOf(body)
    expect(propertiesIn(file)).toMatchObject({
      title: note.title,
      pinned: false,
      cssclass: "wide",
      aliases: ["b"],
      date: "2031-05-01"
    })
    expect(
      file.endsWith(
        "pinned: false\n\n# mine\ncssclass:   wide   # as it was\naliases: [b]\n\ndate: 2031-05-01\n---\n\ntext\n"
      )
    ).toBe(true)
    expect(await imported(file)).toEqual({ ...said, body })
  })

  it.each([
    ["a property of the export", "Title: other\n"],
    ["no properties", "just text\n"],
    ["a comment alone", "# mine\n"],
    ["a list", "- a\n"],
    ["a map in braces", "{a: b}\n"],
    ["one name twice", "a: 1\na: 2\n"],
    ["lines that would continue the export's", "  more\na: 1\n"],
    ["properties that are indented", "  a: 1\n"],
    ["an alias", "a: &x 1\\nb: *x\\n"],
    ["an unknown type", "a: !own 1\\n"],
    ["invalid YAML", 'a: "unclosed\n'],
    ["thousands of nested brackets", `a: ${"[".repeat(2_000)}\n`],
    ["unusually long text", `a: ${"x".repeat(5_000)}\n`]
  ])("does not take over properties that begin with %s, which stay a second block", async (_, yaml) => {
    const body = `---\n${yaml}---\ntext\n`
    const file = fileOf(body)
    expect(file.endsWith(`pinned: false\n---\n${body}`)).toBe(true)
    expect(await imported(file)).toEqual({ ...said, body })
  })

  it("does not take over properties with links that the export rewrites", async () => {
    const body = '---\nup: "[Plan](Plan.md)"\n---\ntext\n'
    const was = body.replace("Plan.md", "note:nt_0123456789abcdefghij")
    expect(fileOf(body, was).endsWith(`pinned: false\n---\n${body}`)).toBe(true)
    expect(fileOf(body).endsWith('pinned: false\nup: "[Plan](Plan.md)"\n---\ntext\n')).toBe(true)
  })

  it("restores the files that it names, and any body unchanged", async () => {
    const line = fc.constantFrom(
      ...["---", "--- ", "...", "", "a: 1", "b: [x, y]", "b:", "  - x", "  c: d", "# mine", "title: x", "a: |", "text"],
      ...["a: &x 1", "e: *x", "? f", "%YAML 1.2", "g: 'it''s'", "h: \u2028", "i: 1\r", "---\r", "\t", "pinned: true"]
    )
    const body = fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n"))
    const name = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constantFrom('a"b\\.pdf', "- x: #y", "\u2028")
    )
    const listed = fc.record({ path: name, name }, { requiredKeys: ["path"] })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          body,
          body.map((text) => `---\n${text}\n---\n`)
        ),
        fc.array(listed, { maxLength: 3 }),
        async (text, files) => {
          const file = fileOf(text, text, files)
          expect(await imported(file)).toEqual({ ...said, body: text })
          expect(
            (await convert({ kind: "markdown", text: file, clock: { now: new Date(), timezone: "UTC" } }))?.files
          ).toEqual(files)
          expect(propertiesIn(file)).toMatchObject({ id: note.id, title: note.title, tags: note.tags, pinned: false })
        }
      ),
      { numRuns: rounds(200, 2_000), seed: 1 }
    )
  })
})
