import { exampleOrigin } from "../../../services/Fields.ts"

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
  /** The page at `/docs/{slug}.md`. */
  markdown: (slug: string) => `${slug}.md`,
  /** The list of these pages, at `/llms.txt`. */
  list: "_llms.md",
  skill: "_skill.md",
  searchPage: "_search.html",
  searchIndex: "_search.json"
}

/** The text of a file of the site at the address of a server. `escape` escapes an address for the format of the file. */
export const placed = (text: string, publicUrl: string, escape = (address: string) => address): string =>
  text
    .replaceAll(builtUrl, escape(publicUrl))
    .replaceAll(encodeURIComponent(builtUrl), encodeURIComponent(publicUrl))
    .replaceAll(builtPath, escape(new URL(publicUrl).pathname.replace(/\/$/, "")))
    .replaceAll(exampleOrigin, escape(publicUrl))
    .replaceAll(encodeURIComponent(exampleOrigin), encodeURIComponent(publicUrl))
