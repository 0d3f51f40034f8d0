import { posix } from "node:path"
import { parseDocument, visit } from "yaml"
import { linksIn, type VaultLink } from "../VaultLinks.ts"

/** Where the links of a vault lead in Obsidian, which finds files by their paths or the ends of them. */

const matter = /^\uFEFF?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/

/** Members of an export. */
const own = new Set(["id", "title", "tags", "created", "updated", "files", "archived", "pinned"])

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase()

/** The front matter and the text of a file. `isExported`: the front matter begins with that of an export. */
export const partsOf = (file: string, isExported: boolean) => {
  const first = matter.exec(file)?.[0] ?? ""
  const rest = file.slice(first.length)
  // An import removes blank lines before the text.
  const second = isExported ? (matter.exec(rest)?.[0] ?? "") : ""
  return { matter: first + second, text: rest.slice(second.length) }
}

/** A link to a file of a vault, or to a place in its own note. */
export interface Led {
  /** The path of the file; undefined if the link leads to none. */
  readonly path: string | undefined
  /** The last heading or block that it names. */
  readonly place: string
  readonly written: string
}

export class ObsidianVault {
  readonly files: ReadonlyMap<string, Buffer>
  readonly #byName = new Map<string, Array<string>>()

  constructor(files: ReadonlyMap<string, Buffer>) {
    this.files = new Map([...files].filter(([path]) => !path.endsWith("/")))
    for (const path of this.files.keys()) {
      const name = folded(posix.basename(path))
      for (const each of new Set([name, name.replace(/\.md$/, "")]))
        this.#byName.set(each, [...(this.#byName.get(each) ?? []), path])
    }
  }

  /** The file to which a path in a link leads, from the file at `from`. */
  #file(written: string, from: string): string | undefined {
    const isRelative = /^\.\.?\//.test(written)
    const wanted = folded(
      isRelative ? posix.join(posix.dirname(from), written) : posix.normalize(written).replace(/^\//, "")
    )
    const found = (this.#byName.get(posix.basename(wanted)) ?? []).filter((path) => {
      const ends = [folded(path), folded(path).replace(/\.md$/, "")]
      return ends.some((end) => end === wanted || (!isRelative && end.endsWith(`/${wanted}`)))
    })
    const rank = (path: string): number => {
      const whole = folded(path)
      if (whole === wanted || whole === `${wanted}.md`) return 0
      // Links of Markdown are relative to the folder of their note.
      const near = folded(posix.join(posix.dirname(from), wanted))
      return whole === near || whole === `${near}.md` ? 1 : 1 + path.length
    }
    return found.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))[0]
  }

  #led({ isWiki, target }: VaultLink, from: string): Led | undefined {
    if (!isWiki && /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) {
      // Addresses of Sheaf lead nowhere in another program.
      return /^(?:note|attachment):/.test(target) ? { path: undefined, place: "", written: target } : undefined
    }
    const hash = target.indexOf("#")
    const [path, places] = hash < 0 ? [target, ""] : [target.slice(0, hash), target.slice(hash + 1)]
    // In a table, the bar after it is escaped.
    const text = (part: string) => (isWiki ? part.replace(/\\$/, "") : decoded(part)).trim()
    const place = text(places.slice(places.lastIndexOf("#") + 1))
    if (text(path) === "") return { path: from, place, written: target }
    const near = isWiki ? undefined : this.#exact(posix.join(posix.dirname(from), text(path)))
    return { path: near ?? this.#file(text(path), from), place, written: target }
  }

  #exact(path: string): string | undefined {
    return [path, `${path}.md`].find((each) => this.files.has(each))
  }

  /** The links of the front matter and of the text of a note to files, in their order. */
  links(path: string, isExported: boolean) {
    const { matter, text } = partsOf(this.files.get(path)!.toString(), isExported)
    const written: Array<VaultLink> = []
    visit(parseDocument(matter.replaceAll(/^\uFEFF?---.*$/gm, "")), {
      Pair: (_, { key }) => (own.has(String(key)) ? visit.SKIP : undefined),
      Scalar: (_, { value }) => {
        for (const [, target] of String(value).matchAll(/\[\[([^[\]\n|]+)(?:\|[^[\]\n]*)?\]\]/g))
          written.push({ isWiki: true, target: target!.trim() })
      }
    })
    const led = (links: ReadonlyArray<VaultLink>) => links.flatMap((link) => this.#led(link, path) ?? [])
    return { matter: led(written), text: led(linksIn(text)) }
  }
}
