import type { Element, ElementContent, Nodes, Properties, Root } from "hast"
import rehypeParse from "rehype-parse"
import sax from "sax"
import { unified } from "unified"
import { cleaned } from "../Decoding.ts"
import { element, isElement, textIn } from "../html/Html.ts"
import { plainer } from "../html/HtmlMedia.ts"

/** Parses ENML: as XML if it is well formed, otherwise as HTML. */

const htmlParser = unified().use(rehypeParse, { fragment: true }).freeze()

/** Maximum depth; deeper elements become siblings. */
const deepest = 200

const propertiesOf = (attributes: Readonly<Record<string, unknown>>): Properties =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const written = String(value)
      if (name === "class") return ["className", written.split(/\s+/)]
      if (name === "colspan" || name === "rowspan")
        return [name === "colspan" ? "colSpan" : "rowSpan", Number(written) || 1]
      return [name, written]
    })
  )

/** A tree of well-formed ENML, otherwise undefined. Only entities of XHTML are expanded. */
const treeOfXml = (source: string): Root | undefined => {
  const root: Root = { type: "root", children: [] }
  const open: Array<Root | Element> = [root]
  let depth = 0
  let isWrong = false
  const parser = sax.parser(true, { position: false })
  const add = (value: string) => {
    const parent = open.at(-1)!
    const last = parent.children.at(-1)
    if (last?.type === "text") last.value += value
    else parent.children.push({ type: "text", value })
  }
  parser.onerror = () => {
    isWrong = true
    parser.resume()
  }
  parser.ontext = add
  parser.oncdata = add
  // A declaration within an element is not well formed, and may be CDATA with a typing error.
  parser.onsgmldeclaration = () => {
    isWrong = true
  }
  parser.onopentag = ({ attributes, name }) => {
    depth++
    const made = element(name.toLowerCase(), [], propertiesOf(attributes))
    open.at(-1)!.children.push(made)
    if (depth < deepest) open.push(made)
  }
  parser.onclosetag = () => {
    if (depth-- < deepest) open.pop()
  }
  parser.write(source).close()
  return isWrong ? undefined : root
}

const ownElements = new Set(["en-media", "en-todo"])

/** HTML does not know Evernote's elements: the parser puts what follows an empty element into it. */
const lifted = (nodes: ReadonlyArray<ElementContent>): Array<ElementContent> =>
  nodes.flatMap((node) => {
    if (!isElement(node)) return [node]
    const children = lifted(node.children)
    return ownElements.has(node.tagName) ? [{ ...node, children: [] }, ...children] : [{ ...node, children }]
  })

/** Replaces CDATA by escaped text: HTML takes CDATA for a comment. */
const withoutCdata = (source: string): string =>
  source.replaceAll(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, (_, words: string) =>
    words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
  )

const contentOf = (nodes: Root["children"]): Array<ElementContent> =>
  nodes.filter((node): node is ElementContent => node.type !== "doctype")

/** Matches a tag whose attributes all have values: other tags could hide text. */
const tag = /<\/?[a-z][\w:.-]*(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=]+))*\s*\/?>/gi
const aside = /<!--[\s\S]*?-->|<!doctype[^<>[\]]*>|<\?xml[^<>]*\?>/gi
const signs = /&(?:amp|apos|gt|lt|nbsp|quot);/g
const reference = /[\p{L}\p{N}]*(?:&#?\w{1,40};[\p{L}\p{N}]*)+/gu

const countWords = (words: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [word] of words.matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Whether the tree has all words outside the tags of a source: a browser drops a part of broken tags. */
const hasAllWords = (nodes: ReadonlyArray<Nodes>, source: string): boolean => {
  const found = countWords(cleaned(nodes.map(textIn).join("")))
  const words = cleaned(source)
    .replaceAll(aside, "")
    .replaceAll(tag, "")
    .replaceAll(signs, " ")
    .replaceAll(reference, " ")
  return [...countWords(words)].every(([word, count]) => (found.get(word) ?? 0) >= count)
}

/** The content of a note, and whether it contains all of its source. */
export const contentIn = (source: string): { readonly nodes: Array<ElementContent>; readonly isWhole: boolean } => {
  const xml = treeOfXml(source)
  // Text that is not XML is read as a browser reads it.
  const html = xml === undefined ? withoutCdata(source) : ""
  const children = contentOf((xml ?? htmlParser.parse(html)).children)
  const nodes = plainer(lifted(children)).flatMap((node) => (isElement(node, "en-note") ? node.children : [node]))
  return { nodes, isWhole: xml !== undefined || hasAllWords(children, html) }
}
