import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Public collections of markup that attacks a reader's browser. They are next to the checkout, and not part of it. */
const root = new URL("../../../../shared/data/badinput/xss/", import.meta.url)

/** A suffix for the names of tests that need the collections; empty if they exist. */
export const missing = existsSync(root) ? "" : " (skipped: no ../shared/data/badinput here)"

const textOf = (name: string): string => readFileSync(new URL(name, root), "utf8")

const lists = [
  "BRUTELOGIC-XSS-STRINGS.txt",
  "JHADDIX_XSS.txt",
  "RSNAKE_XSS.txt",
  "XSS_Polyglots.txt",
  "xss_payloads_quick.txt"
]

const linesOf = (name: string): ReadonlyArray<string> => [
  ...new Set(
    textOf(name)
      .split("\n")
      .filter((line) => line.trim() !== "")
  )
]

/** Each collection with its cases, which are bodies of notes. */
export const markupFiles: ReadonlyArray<readonly [name: string, cases: ReadonlyArray<string>]> =
  missing === ""
    ? [
        [
          "markdown-cases.json",
          (JSON.parse(textOf("markdown-cases.json")) as ReadonlyArray<{ readonly markdown: string }>).map(
            ({ markdown }) => markdown
          )
        ],
        [
          "dompurify-expect-open.json",
          (JSON.parse(textOf("dompurify-expect-open.json")) as ReadonlyArray<{ readonly payload: string }>).map(
            ({ payload }) => payload
          )
        ],
        ...lists.map((name) => [name, linesOf(name)] as const)
      ]
    : []

/** Files with scripts, which are attachments of notes. */
export const scriptedFiles = (): ReadonlyArray<{
  readonly name: string
  readonly content: Uint8Array<ArrayBuffer>
}> => {
  const folder = new URL("../xss-files/", root)
  return readdirSync(folder).map((name) => ({ name, content: new Uint8Array(readFileSync(new URL(name, folder))) }))
}
