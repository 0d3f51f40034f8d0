import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Public collections of bad input. They are next to the checkout, and not part of it. */
const root = new URL("../../../../shared/data/badinput/", import.meta.url)

/** A suffix for the names of tests that need the collections; empty if they exist. */
export const missing = existsSync(root) ? "" : " (skipped: no ../shared/data/badinput here)"

const parsed = (path: string): any => (missing === "" ? JSON.parse(readFileSync(new URL(path, root), "utf8")) : [])

export const BadInput = {
  /** The Big List of Naughty Strings. */
  naughty: [...new Set(parsed("blns/blns-open.json") as ReadonlyArray<string>)],

  /** JSONTestSuite: `y_` is valid JSON, `n_` is not, and parsers may differ on `i_`. */
  json: (missing === "" ? readdirSync(new URL("JSONTestSuite/", root)) : []).map((name) => ({
    name,
    bytes: readFileSync(new URL(`JSONTestSuite/${encodeURIComponent(name)}`, root))
  })),

  /** Bytes that are not valid UTF-8. */
  notUtf8: (parsed("invalid-utf8/bytes.json") as ReadonlyArray<{ readonly name: string; readonly hex: string }>).map(
    ({ hex, name }) => ({ name, bytes: Buffer.from(hex, "hex") })
  ),

  unicode: parsed("unicode/strings.json") as ReadonlyArray<{ readonly name: string; readonly s: string }>,

  /** Markdown and markup that attacks a reader's browser. */
  markup: (parsed("xss/markdown-cases.json") as ReadonlyArray<unknown>).map((each) => JSON.stringify(each)),

  /** URLs that lead a server into its own network. */
  ssrf: (parsed("ssrf/urls.json") as ReadonlyArray<{ readonly url: string }>).map(({ url }) => url)
}
