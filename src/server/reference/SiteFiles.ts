import { builtFile } from "../../BuiltFile.ts"

/** Defined in the bundle by scripts/bundle.ts, which makes the files next to it. */
declare const IS_BUNDLE: boolean | undefined

let made: Promise<ReadonlyMap<string, string>> | undefined

/** Reads a file of the site; undefined if there is no such file. From the sources, the files are made when first read. */
export const siteFile = async (name: string): Promise<string | undefined> => {
  if (typeof IS_BUNDLE === "undefined") {
    made ??= import("./Site.ts").then(({ site }) => site())
    return (await made).get(name)
  }
  return (await builtFile(`site/${name}`))?.toString()
}
