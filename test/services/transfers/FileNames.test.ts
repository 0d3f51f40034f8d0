import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Folder, folded, relativePath, splitName } from "../../../services/transfers/formats/FileNames.ts"
import { rounds } from "../../support/Slow.ts"

/** Names that Windows accepts (learn.microsoft.com, "Naming Files, Paths, and Namespaces"), implemented differently. */
const isLegal = (name: string): boolean => {
  const letters = [...name]
  const base = name.split(".")[0]!.trimEnd().toUpperCase()
  const devices = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
  const numbered = ["COM", "LPT"].flatMap((device) => [..."0123456789¹²³"].map((number) => device + number))
  return (
    name !== "" &&
    !letters.some((letter) => letter.charCodeAt(0) < 32 || '<>:"/\\|?*'.includes(letter)) &&
    !name.endsWith(".") &&
    !name.endsWith(" ") &&
    !name.startsWith(".") &&
    ![...devices, ...numbered].includes(base) &&
    Buffer.byteLength(name) <= 255 &&
    name.isWellFormed()
  )
}

const titles = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 200 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
  fc.constantFrom(
    "CON",
    "con.txt",
    "Com1",
    "LPT¹",
    "a",
    "A",
    "a (2)",
    "ä",
    "a\u0308",
    "straße",
    "STRASSE",
    "...",
    " ",
    "x. ",
    ".git",
    "ﬁ",
    "fi",
    "a/b",
    "a:b"
  ),
  fc.integer({ min: 1, max: 40 }).map((times) => "👩‍👩‍👧‍👦".repeat(times))
)

describe("names of exported files", () => {
  it("are valid on Windows, differ on systems that ignore case, and are the same each time", () => {
    fc.assert(
      fc.property(fc.array(titles, { maxLength: 30 }), (given) => {
        const names = () => {
          const folder = new Folder("Somewhere/", ["_attachments"])
          return given.map((title) => folder.file(title, ".md"))
        }
        const made = names()
        expect(made.filter((name) => !isLegal(name) || !name.endsWith(".md"))).toEqual([])
        expect(new Set(made.map(folded)).size).toBe(made.length)
        expect(names()).toEqual(made)
        // A later name does not change earlier ones.
        const more = new Folder("Somewhere/", ["_attachments"])
        expect([...given, "another"].map((title) => more.file(title, ".md")).slice(0, -1)).toEqual(made)
      }),
      { numRuns: rounds(200, 500) }
    )
  })

  it("make paths that Windows accepts, even five notebooks deep", () => {
    fc.assert(
      fc.property(fc.array(titles, { minLength: 5, maxLength: 5 }), titles, (notebooks, title) => {
        let folder = new Folder("")
        for (const [index, name] of notebooks.entries()) {
          const own = folder.folder(name, index + 1)
          expect(isLegal(own)).toBe(true)
          folder = new Folder(`${folder.path}${own}/`)
        }
        expect((folder.path + folder.file(title, ".md")).length).toBeLessThanOrEqual(220)
      }),
      { numRuns: rounds(200, 300) }
    )
  })

  it("are found for many equal titles without searching all of them", () => {
    const folder = new Folder("")
    const names = Array.from({ length: 20_000 }, () => folder.file("Untitled", ".md"))
    expect(names.slice(0, 3)).toEqual(["Untitled.md", "Untitled (2).md", "Untitled (3).md"])
    expect(names.at(-1)).toBe("Untitled (20000).md")
  })

  it("are reached from each other by relative paths", () => {
    const segment = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .map((text) => new Folder("").file(text, ""))
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"))
    fc.assert(
      fc.property(path, path, (from, to) => {
        const link = relativePath(from, to)
        expect(link).toMatch(/^[\w.~%/-]+$/)
        const base = `http://x/${from.split("/").map(encodeURIComponent).join("/")}`
        expect(decodeURIComponent(new URL(link, base).pathname)).toBe(`/${to}`)
      })
    )
  })

  it("keep the extension", () => {
    expect(["a.png", "archive.tar.gz", ".gitignore", "none", "x.y z"].map(splitName)).toEqual([
      ["a", ".png"],
      ["archive.tar", ".gz"],
      [".gitignore", ""],
      ["none", ""],
      ["x.y z", ""]
    ])
  })
})
