/** The targets of links as a text has them. Code counts too: a target in it leads to a file or to none, as in a link. */

/** The target of a link: an address, or a name in double brackets. */
export interface WrittenLink {
  readonly kind: "path" | "wiki"
  readonly target: string
  readonly start: number
  readonly end: number
}

/** Names in double brackets, and what follows a label: an address, or that of a definition. A target ends each match. */
const markdown =
  /\[\[([^[\]|#\n]{1,500})|\](?:\(|: )(?:<([^<>\n]{1,2000})|((?:[^\s<>()]|\([^\s<>()]{0,200}\)){1,2000}))/g
const attribute = /\b(?:src|href)=["']([^"'\n]{1,2000})/gi
const hasHtml = /<(?:a|img|audio|video|source)\s/i

const linkIn = ({ 0: whole, 1: wiki, 2: bracketed, 3: plain, index }: RegExpExecArray): WrittenLink => {
  const target = wiki ?? bracketed ?? plain ?? ""
  const start = index + whole.length - target.length
  // The bar after a name is escaped in a table.
  const name = wiki?.endsWith("\\") === true ? wiki.slice(0, -1) : target
  return { kind: wiki === undefined ? "path" : "wiki", target: name, start, end: start + name.length }
}

const inHtml = ({ 0: whole, 1: target = "", index }: RegExpExecArray): WrittenLink => {
  const start = index + whole.length - target.length
  return { kind: "path", target, start, end: start + target.length }
}

/** The targets in a text, in order. */
export const writtenLinks = (text: string): ReadonlyArray<WrittenLink> => {
  const links = [...text.matchAll(markdown)].map(linkIn)
  if (!hasHtml.test(text)) return links
  return [...links, ...[...text.matchAll(attribute)].map(inHtml)].toSorted((one, other) => one.start - other.start)
}

/** The text with other targets of links. `targetOf` returns undefined for one that stays. */
export const withTargets = (
  text: string,
  links: ReadonlyArray<WrittenLink>,
  targetOf: (link: WrittenLink) => string | undefined
): string => {
  let [made, at] = ["", 0]
  for (const link of links) {
    const target = link.start < at ? undefined : targetOf(link)
    if (target === undefined) continue
    made += text.slice(at, link.start) + target
    at = link.end
  }
  return made + text.slice(at)
}
