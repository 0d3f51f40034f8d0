import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rounds } from "../../support/Slow.ts"
import { fileOf, type Got, readAll } from "./Reading.ts"
import { enexNote, enml, notionPage, type Piece } from "./Sources.ts"
import { zipOf } from "./Zip.ts"

/** No importer drops a word, a date or a file (contract, section 7). */

const tokens = /[\p{L}\p{M}\p{N}]+/gu

/** Everything that was read from a file, and the messages of its problems. */
const textOf = ({ files, notes, problems }: Got): string =>
  [
    ...notes.flatMap(({ body, created_at, reminders, tags, title, updated_at }) => [
      title,
      body,
      ...tags,
      created_at ?? "",
      updated_at ?? "",
      ...reminders.map(({ remind_at }) => remind_at)
    ]),
    ...files.flatMap(({ bytes, filename }) => [filename, bytes.toString()]),
    ...problems.flatMap(({ file, message }) => [file, message])
  ].join("\n")

const kept = (got: Got): ReadonlySet<string> => {
  const all = textOf(got)
  const dates = all.match(/\d{4}-\d\d-\d\d/g) ?? []
  return new Set([...(all.match(tokens) ?? []), ...dates])
}

const lost = (got: Got, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = kept(got)
  return words.filter((word) => !found.has(word))
}

const exported = (note: string) => `<?xml version="1.0" encoding="UTF-8"?><en-export>${note}</en-export>`
const ofEvernote = (note: string) => readAll(fileOf("a.enex", exported(note)), "enex")
const ofNotion = (page: string) => readAll(fileOf("a.zip", zipOf([{ name: "Page.html", content: page }])), "notion")

const runs = rounds(25, 200)

const group = (word: string) => `<div style="--en-task-group:true; --en-id:g">${word}</div>`
const twoTaskGroups: Piece = {
  source: `<note><title>a</title><content><![CDATA[<en-note>${group("one")}${group("two")}</en-note>]]></content></note>`,
  words: ["one", "two"]
}

describe("an import from another program", () => {
  it("keeps every word and date of an Evernote note", async () => {
    await fc.assert(
      fc.asyncProperty(enexNote, async ({ source, words }: Piece) => {
        const got = await ofEvernote(source)
        expect(got.notes).toHaveLength(1)
        expect(lost(got, words)).toEqual([])
      }),
      { numRuns: runs, examples: [[twoTaskGroups]] }
    )
  })

  it("keeps every word of an Evernote text that is invalid or damaged XML", async () => {
    const broken = fc
      .tuple(
        enml,
        fc.nat(),
        fc.constantFrom("", "<", ">", '"', "&", "</", "<!", "<![CDATA[", "]]>", "<b", "</div>", "<!--")
      )
      .map(([{ source, words }, place, sign]) => {
        const at = place % (source.length + 1)
        return { source: source.slice(0, at) + sign + source.slice(at + 1), words }
      })
    await fc.assert(
      fc.asyncProperty(broken, async ({ source, words }: Piece) => {
        const got = await ofEvernote(
          `<note><title>a</title><content><![CDATA[<en-note>${source}</en-note>]]></content></note>`
        )
        expect(got.notes).toHaveLength(1)
        // Attributes of broken elements, or with a broken name, are not text.
        const whole = new Set(source.replaceAll(/[\w:-]+="[^"]*"/g, "").match(tokens) ?? [])
        // The rest of a broken tag may be directly next to a word.
        const all = textOf(got)
        expect(words.filter((word) => whole.has(word) && !all.includes(word))).toEqual([])
      }),
      { numRuns: runs }
    )
  })

  it("keeps every word and date of a Notion page", async () => {
    await fc.assert(
      fc.asyncProperty(notionPage, async ({ source, words }: Piece) => {
        const got = await ofNotion(source)
        expect(got.notes[0]?.body).toBeDefined()
        expect(lost(got, words)).toEqual([])
      }),
      { numRuns: runs }
    )
  })
})
