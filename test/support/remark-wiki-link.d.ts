/** What tests use of it (the package names a file of types that is not in it). */
declare module "@flowershow/remark-wiki-link" {
  import type { Plugin } from "unified"
  const remarkWikiLink: Plugin<[]>
  export default remarkWikiLink
  /** Which of the files a name in double brackets leads to. */
  export const findMatchingFilePath: (asked: {
    readonly path: string
    readonly files: ReadonlyArray<string>
    readonly format: "shortestPossible"
  }) => string | undefined
}
