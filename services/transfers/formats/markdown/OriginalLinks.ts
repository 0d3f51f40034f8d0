import type { FileLink } from "../../../markdown/Rendered.ts"
import type { Link } from "../Converted.ts"
import type { Rewritten } from "../Item.ts"

/** What links of imported notes were, to be written as that again. */

/** What a link was, and where in a body it stands now. */
interface Found {
  readonly start: number
  readonly was: string
}

const attribute = /\b(?:href|src)="[^"]*"/g

/** What is found of a link in a body: not its label, unless that of an image or of a definition. */
const tailOf = (now: string): string => {
  const label = now.startsWith("[") ? now.lastIndexOf("](") : -1
  return label < 0 ? now : now.slice(label)
}

/** Those of one note. */
export class OriginalLinks {
  private readonly byTail: ReadonlyMap<string, ReadonlyArray<Rewritten>>

  constructor(links: ReadonlyArray<Rewritten>) {
    this.byTail = Map.groupBy(links, ({ now }) => tailOf(now))
  }

  /** Those that stand in HTML, where nothing else looks for links. */
  inHtml(body: string): ReadonlyArray<FileLink> {
    if (![...this.byTail.keys()].some((tail) => tail.endsWith('"'))) return []
    return [...body.matchAll(attribute)].flatMap(({ 0: text, index }) => {
      if (!this.byTail.has(text)) return []
      const at = text.indexOf('"') + 1
      const place = { start: index, end: index + text.length }
      return [{ ...place, before: text.slice(0, at), file: text.slice(at, -1), after: '"' }]
    })
  }

  /** What links of a body were, which stand in it as the import made them. */
  in(body: string, links: ReadonlyArray<FileLink>): ReadonlyMap<FileLink, Found> {
    const found = new Map<FileLink, Found>()
    for (const [tail, places] of Map.groupBy(links, ({ end, start }) => body.slice(start, end))) {
      const known = this.byTail.get(tail)
      if (known === undefined) continue
      // Where some came or went since, which is which is told by their labels.
      const byLength = known.toSorted((one, other) => other.now.length - one.now.length)
      for (const [turn, link] of places.entries()) {
        const stands = ({ now }: Rewritten) => body.startsWith(now, link.end - now.length)
        const inTurn = known.length === places.length ? known[turn] : undefined
        const was = inTurn !== undefined && stands(inTurn) ? inTurn : byLength.find(stands)
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
/** Signs that stand for others. */
const isEscaped = /\\[!-/:-@[-`{-~]|&#?\w+;/

/** What a link led to, as it was written; undefined where that is not plain to see. */
export const writtenTarget = (was: string): Pick<Link, "kind" | "target"> | undefined => {
  const [, inner] = wiki.exec(was) ?? []
  if (inner !== undefined) return { kind: "wiki", target: inner.split(/\\?\|/, 1)[0]!.trim() }
  const tail = was.slice(Math.max(0, was.lastIndexOf("](")))
  const found = markdown.exec(tail) ?? html.exec(was) ?? definition.exec(was)
  const target = found?.slice(1).find((each) => each !== undefined)
  return target === undefined || isEscaped.test(target) ? undefined : { kind: "path", target }
}
