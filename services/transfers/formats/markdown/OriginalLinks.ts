import type { FileLink } from "../../../markdown/Rendered.ts"
import type { Link } from "../Converted.ts"
import type { Rewritten } from "../Item.ts"

/** Restores the original links of imported notes. */

/** The original text of a link, and its position in the body. */
interface Found {
  readonly start: number
  readonly was: string
}

const attribute = /\b(?:href|src)="[^"]*"/g

/** The part of a link that a body is searched for: without its label, except for images and definitions. */
const tailOf = (now: string): string => {
  const label = now.startsWith("[") ? now.lastIndexOf("](") : -1
  return label < 0 ? now : now.slice(label)
}

/** The original links of one note. */
export class OriginalLinks {
  readonly #byTail: ReadonlyMap<string, ReadonlyArray<Rewritten>>

  constructor(links: ReadonlyArray<Rewritten>) {
    this.#byTail = Map.groupBy(links, ({ now }) => tailOf(now))
  }

  /** Links in HTML, where nothing else looks for links. */
  inHtml(body: string): ReadonlyArray<FileLink> {
    if (![...this.#byTail.keys()].some((tail) => tail.endsWith('"'))) return []
    return [...body.matchAll(attribute)].flatMap(({ 0: text, index }) => {
      if (!this.#byTail.has(text)) return []
      const at = text.indexOf('"') + 1
      const place = { start: index, end: index + text.length }
      return [{ ...place, before: text.slice(0, at), file: text.slice(at, -1), after: '"' }]
    })
  }

  /** The original text of links that are in the body as the import wrote them. */
  in(body: string, links: ReadonlyArray<FileLink>): ReadonlyMap<FileLink, Found> {
    const found = new Map<FileLink, Found>()
    for (const [tail, places] of Map.groupBy(links, ({ end, start }) => body.slice(start, end))) {
      const known = this.#byTail.get(tail)
      if (known === undefined) continue
      // If links were added or removed since, their labels identify them.
      const byLength = known.toSorted((one, other) => other.now.length - one.now.length)
      for (const [turn, link] of places.entries()) {
        const isThere = ({ now }: Rewritten) => body.startsWith(now, link.end - now.length)
        const inTurn = known.length === places.length ? known[turn] : undefined
        const was = inTurn !== undefined && isThere(inTurn) ? inTurn : byLength.find(isThere)
        if (was !== undefined) found.set(link, { start: link.end - was.now.length, was: was.was })
      }
    }
    return found
  }
}

const wiki = /^#?!?\[\[([^[\]\n]{1,500})\]\]$/
const html = /^(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))$/i
const definition = /^\[[^\]]*\]:\s*(?:<([^<>\n]*)>|([^\s<>]+))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?$/
const markdown = /^\]\(\s*(?:<([^<>\n]*)>|([^\s<>]+?))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)$/
/** Escapes of other characters. */
const isEscaped = /\\[!-/:-@[-`{-~]|&#?\w+;/

/** The original target of a link; undefined if it is not certain. */
export const writtenTarget = (was: string): Pick<Link, "kind" | "target"> | undefined => {
  const [, inner] = wiki.exec(was) ?? []
  if (inner !== undefined) return { kind: "wiki", target: inner.split(/\\?\|/, 1)[0]!.trim() }
  const tail = was.slice(Math.max(0, was.lastIndexOf("](")))
  const found = markdown.exec(tail) ?? html.exec(was) ?? definition.exec(was)
  const target = found?.slice(1).find((each) => each !== undefined)
  return target === undefined || isEscaped.test(target) ? undefined : { kind: "path", target }
}
