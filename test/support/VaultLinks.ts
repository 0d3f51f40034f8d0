import remarkWikiLink, { findMatchingFilePath } from "@flowershow/remark-wiki-link"
import { posix } from "node:path"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"

/** Links in a folder of notes, as an independent publisher of such folders reads them. */

interface Node {
  readonly type: string
  readonly url?: string
  readonly value?: string
  readonly children?: ReadonlyArray<Node>
}

/** A link: a name in double brackets, or an address. */
export interface VaultLink {
  readonly isWiki: boolean
  readonly target: string
}

const parser = unified().use(remarkParse).use(remarkGfm).use(remarkWikiLink).freeze()

/** Returns the links in the Markdown of a note. */
export const linksIn = (body: string): ReadonlyArray<VaultLink> => {
  const found: Array<VaultLink> = []
  const visit = ({ children = [], type, url, value = "" }: Node): void => {
    if (type === "wikiLink" || type === "embed") found.push({ isWiki: true, target: value })
    else if (url !== undefined) found.push({ isWiki: false, target: url })
    children.forEach(visit)
  }
  visit(parser.parse(body))
  return found
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // It contains a bare %, and stays as it is.
    return text
  }
}

/** The files of a folder of notes, by path. */
export class Vault {
  private readonly files: ReadonlyArray<string>
  private readonly paths: ReadonlySet<string>

  constructor(files: Iterable<string>) {
    this.paths = new Set([...files].filter((path) => !path.endsWith("/")))
    // The package only compares the ends of paths; the slash prevents that "Plan" matches "Old Plan".
    this.files = [...this.paths].map((path) => `/${path}`)
  }

  /** Whether a link in the note at `from` has no target in the folder. Addresses of websites never dangle. */
  dangles({ isWiki, target }: VaultLink, from: string): boolean {
    if (isWiki) {
      const [path = "", heading = ""] = target.split("#")
      const found =
        path === ""
          ? undefined
          : findMatchingFilePath({ path: `/${path}`, files: this.files, format: "shortestPossible" })
      return found === undefined && !(path === "" && heading !== "")
    }
    if (/^(?:note|attachment):/.test(target)) return true
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(target)) return false
    return !this.paths.has(posix.join(posix.dirname(from), decoded(target.replace(/[?#].*$/s, ""))))
  }
}
