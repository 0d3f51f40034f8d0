/** The exports that tests use. (The package refers to a type file that it does not contain.) */
declare module "@flowershow/remark-wiki-link" {
  import type { Plugin } from "unified"
  const remarkWikiLink: Plugin<[]>
  export default remarkWikiLink
  /** Returns the file to which a name in double brackets leads. */
  export const findMatchingFilePath: (asked: {
    readonly path: string
    readonly files: ReadonlyArray<string>
    readonly format: "shortestPossible"
  }) => string | undefined
}
