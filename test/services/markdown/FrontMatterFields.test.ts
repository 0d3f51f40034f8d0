import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { frontMatterBlockOf } from "../../../services/markdown/FrontMatterBlock.ts"
import { type Scalar, withProperties } from "../../../services/notes/texts/FrontMatterEdit.ts"
import { fieldsOf } from "../../../services/notes/texts/FrontMatterFields.ts"
import { unzip } from "../../support/Unzip.ts"

const vaults = join(import.meta.dirname, "../../../../shared/data/markdown")
const files = [
  "obsidian-help-en.zip",
  "obsidian-sandbox.zip",
  "obsdconv-testdata.zip",
  "obsidian-importer-markdown.zip"
]
const missing = existsSync(vaults) ? "" : " (skipped: no ../shared/data/markdown here)"

/** Another value of the same type. */
const other = (value: Scalar | ReadonlyArray<Scalar>): Scalar | ReadonlyArray<Scalar> => {
  if (typeof value === "boolean") return !value
  return typeof value === "string" ? `${value}: "x" #` : [...(value as ReadonlyArray<Scalar>), "new, item"]
}

describe("fields of front matter", () => {
  it("are texts, numbers, dates, booleans and lists; other values have no field that changes them", () => {
    const yaml = `a: x
b: 1.50 # c
c: 2026-12-01
d: true
e: [1, x]
f:
g: 12345678901234567890
h: |
  two
  lines
i: { k: v }
j:
  - x # note
k: 0x1F
l: 2026-02-30
`
    expect(fieldsOf(yaml)).toEqual([
      { name: "a", kind: "text", value: "x" },
      { name: "b", kind: "number", value: "1.50" },
      { name: "c", kind: "date", value: "2026-12-01" },
      { name: "d", kind: "boolean", value: true },
      { name: "e", kind: "list", value: [1, "x"] },
      { name: "f", kind: "empty" },
      { name: "g", kind: "other", value: "12345678901234567890" },
      { name: "h", kind: "other", value: "two\nlines\n" },
      { name: "i", kind: "other", value: "{ k: v }" },
      { name: "j", kind: "other", value: "- x # note" },
      { name: "k", kind: "other", value: "0x1F" },
      { name: "l", kind: "text", value: "2026-02-30" }
    ])
    expect(["a: 1\na: 2", "- a", "a: [", "a: ".repeat(2), "[".repeat(5_000)].map(fieldsOf)).toEqual([
      ...[undefined, undefined, undefined, undefined, undefined]
    ])
  })

  it.skipIf(missing !== "")(
    `of real notes keep each byte until one is changed, and then all others${missing}`,
    async () => {
      let changed = 0
      for (const file of files) {
        const { files: entries } = await unzip(readFileSync(join(vaults, file)))
        for (const [name, bytes] of entries) {
          if (!name.endsWith(".md")) continue
          const body = bytes.toString("utf8")
          const block = frontMatterBlockOf(body)
          const fields = block?.language === "yaml" ? (fieldsOf(block.content) ?? []) : []
          for (const field of fields) {
            if (field.kind === "empty" || field.kind === "other") continue
            const value = field.kind === "number" ? Number(field.value) : field.value
            expect(withProperties(body, { set: { [field.name]: value } }), name).toBe(body)
            const made = withProperties(body, { set: { [field.name]: field.kind === "number" ? 7 : other(value) } })
            if (made === undefined) continue
            changed++
            const others = (text: string) =>
              fieldsOf(frontMatterBlockOf(text)!.content)!.filter((each) => each.name !== field.name)
            expect(others(made), name).toEqual(others(body))
            expect(made.endsWith(body.slice(block!.end)), name).toBe(true)
          }
        }
      }
      expect(changed).toBeGreaterThan(100)
    }
  )
})
