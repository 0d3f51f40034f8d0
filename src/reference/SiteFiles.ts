import { exampleOrigin } from "../../services/Fields.ts"
import { builtFile } from "../BuiltFile.ts"

/** The path below which the pages are made; a server replaces it with the path of its own address. */
const builtPath = "/path-of-the-server"
/** The address for which the pages are made. */
export const builtUrl = `${exampleOrigin}${builtPath}`

/** Names of the files. */
export const siteFiles = {
  description: "openapi.json",
  /** Files for other programs, at `/docs/{name}`. */
  grafanaBoard: "grafana.json",
  exportSchema: "export.schema.json",
  /** The page at `/docs/{slug}`; the overview has an empty slug. */
  page: (slug: string) => (slug === "" ? "_overview.html" : `${slug}.html`),
  searchPage: "_search.html",
  searchIndex: "_search.json"
}

/** The text of a file of the site at the address of a server. `escape` escapes an address for the format of the file. */
export const placed = (text: string, publicUrl: string, escape = (address: string) => address): string =>
  text
    .replaceAll(builtUrl, escape(publicUrl))
    .replaceAll(builtPath, escape(new URL(publicUrl).pathname.replace(/\/$/, "")))
    .replaceAll(exampleOrigin, escape(publicUrl))

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
