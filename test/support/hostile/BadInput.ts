import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Public collections of bad input. They stand beside the checkout and are not part of it. */
const root = new URL("../../../../shared/data/badinput/", import.meta.url)

/** For the names of tests that need them: empty where they are. */
export const missing = existsSync(root) ? "" : " (skipped: no ../shared/data/badinput here)"

const parsed = (path: string): any => (missing === "" ? JSON.parse(readFileSync(new URL(path, root), "utf8")) : [])

export const BadInput = {
  /** The Big List of Naughty Strings. */
  naughty: [...new Set(parsed("blns/blns-open.json") as ReadonlyArray<string>)],

  /** JSONTestSuite: `y_` is JSON, `n_` is not, `i_` may be taken for it. */
  json: (missing === "" ? readdirSync(new URL("JSONTestSuite/", root)) : []).map((name) => ({
    name,
    bytes: readFileSync(new URL(`JSONTestSuite/${encodeURIComponent(name)}`, root))
  })),

  /** Bytes that are no UTF-8. */
  notUtf8: (parsed("invalid-utf8/bytes.json") as ReadonlyArray<{ readonly name: string; readonly hex: string }>).map(
    ({ hex, name }) => ({ name, bytes: Buffer.from(hex, "hex") })
  ),

  unicode: parsed("unicode/strings.json") as ReadonlyArray<{ readonly name: string; readonly s: string }>,

  /** Markdown and markup that attack whoever shows them. */
  markup: (parsed("xss/markdown-cases.json") as ReadonlyArray<unknown>).map((each) => JSON.stringify(each)),

  /** URLs that lead a server into its own network. */
  ssrf: (parsed("ssrf/urls.json") as ReadonlyArray<{ readonly url: string }>).map(({ url }) => url)
}
