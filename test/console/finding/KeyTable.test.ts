import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { textKeys } from "../../../src/clients/console/editor/Keymap.ts"
import { keyParts, type KeyPlace, keyTable } from "../../../src/clients/console/finding/KeyTable.ts"
import { keyName } from "../../../src/clients/console/Keys.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/console.md"), "utf8")

/** The rows of the table of a document that has this heading. */
const rowsOf = (heading: string): ReadonlyArray<string> => {
  const lines = page.split("\n")
  const first = lines.findIndex((line) => line.startsWith(`| ${heading} |`)) + 2
  return lines.slice(
    first,
    lines.findIndex((line, at) => at >= first && line === "")
  )
}

describe("the table of keys", () => {
  it.each([
    ["anywhere", "key everywhere"],
    ["list", "key in the list of notes"],
    ["text", "key in the text of a note"]
  ] as const)("is that of docs/console.md: %s", (place: KeyPlace, heading) => {
    const rows = keyTable.filter((row) => row.place === place)
    expect(rowsOf(heading)).toEqual(rows.map(({ action, keys }) => `| ${keys} | ${action} |`))
  })

  it("names keys that the text has", () => {
    const known = new Set(textKeys.flatMap((each) => [each.key, each.linux].filter((key) => key !== undefined)))
    const named = keyTable
      .filter(({ place }) => place === "text")
      .flatMap(({ keys }) => keys.match(/Ctrl-Enter|(?:Ctrl|Alt)-(?:Shift-)?[A-Z\d↑↓](?!\w)|\bF3\b/g) ?? [])
      .map((key) => key.replace("Ctrl", "Mod").replace("↑", "ArrowUp").replace("↓", "ArrowDown"))
      .map((key) => key.replace(/-([A-Z])$/, (_, letter: string) => `-${letter.toLowerCase()}`))
    expect(named).toHaveLength(13)
    expect(named.filter((key) => !known.has(key))).toEqual([])
  })

  it.each([
    ["Tab, Shift-Tab in a table", ["", "Tab", ", ", "Shift-Tab", " in a table"]],
    ["Ctrl-K, avec du texte", ["", "Ctrl-K", ", avec du texte"]],
    ["Ctrl-Shift-7, -8", ["", "Ctrl-Shift-7", ", ", "-8", ""]],
    ["`[[`, `[[标题#`", ["", "[[", ", ", "[[标题#", ""]],
    ["`/`", ["", "/", ""]]
  ] as const)("has keys and words between them, in any language: %s", (keys, parts) => {
    expect(keyParts(keys)).toEqual(parts)
  })

  it("is written as the system does", () => {
    expect(keyName("Ctrl-Shift-X", false)).toBe("Ctrl-Shift-X")
    expect(keyName("Ctrl-Shift-X", true)).toBe("⌘⇧X")
  })
})
