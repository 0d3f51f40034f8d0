import type { Element, ElementContent, Nodes } from "hast"
import {
  blocks,
  classesOf,
  codeBlock,
  codeIn,
  element,
  flow,
  imagesInCode,
  isBlank,
  isBlock,
  isElement,
  isNothing,
  isText,
  linesOf,
  ownLine,
  styleOf,
  text
} from "./Html.ts"

/** Brings HTML into shapes of Markdown: lists of items, tables of rows, links within lines, and only known elements. */

const lists = ["ul", "ol"]

/** Puts a list below an item: it continues a list of its kind that the item ends with. */
const below = (item: Element, list: ElementContent): void => {
  const at = item.children.findLastIndex((child) => !isBlank(child))
  const last = item.children[at]
  if (isElement(list, ...lists) && isElement(last, list.tagName)) {
    item.children[at] = { ...last, children: [...last.children, ...list.children] }
  } else item.children.push(list)
}

/** A list with its sub-lists moved into the items before them. */
const listOf = (list: Element): Element => {
  const items: Array<ElementContent> = []
  for (const child of list.children) {
    const last = items.at(-1)
    const hasOnlyLists =
      isElement(child, "li") &&
      child.children.some((each) => isElement(each, ...lists)) &&
      child.children.every((each) => isBlank(each) || isElement(each, ...lists))
    if (hasOnlyLists && isElement(last, "li")) for (const each of child.children) below(last, each)
    else if (isElement(child, "li")) items.push({ ...child, children: [...child.children] })
    else if (isElement(child, ...lists) && isElement(last, "li")) below(last, child)
    else if (!isBlank(child)) items.push(element("li", [child]))
  }
  return { ...list, children: items }
}

const wrap = (names: ReadonlyArray<string>, children: Array<ElementContent>): Array<ElementContent> =>
  names.reduceRight((inner, name) => [element(name, inner)], children)

/** The elements that correspond to a style. */
const styled = (style: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const weight = style.get("font-weight") ?? ""
  const line = `${style.get("text-decoration") ?? ""} ${style.get("text-decoration-line") ?? ""}`
  return [
    ...(style.has("-evernote-highlight") || style.has("--en-highlight") ? ["mark"] : []),
    ...(/^(?:bold|bolder|[6-9]00)/.test(weight) ? ["strong"] : []),
    ...((style.get("font-style") ?? "").startsWith("italic") ? ["em"] : []),
    ...(line.includes("line-through") ? ["del"] : []),
    ...(line.includes("underline") ? ["u"] : [])
  ]
}

const emphasised = new Set(["b", "strong", "i", "em", "u", "mark", "s", "del", "strike", "ins", "sub", "sup"])
const codeLike = new Set(["code", "kbd", "samp", "tt", "var"])
const sections = ["tbody", "tfoot", "thead"]

/** Elements without readable content. */
const wordless = ["base", "col", "link", "meta", "param", "script", "style"]

/** Inline elements that Markdown is made from, and those that converters insert. */
const inline = new Set([
  ...["a", "br", "callout-mark", "cell-break", "font", "img", "input", "q", "span"],
  ...emphasised,
  ...codeLike
])

/** Elements that are valid only within another element. */
const parents: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...{ dd: ["dl"], dt: ["dl"], summary: ["details"] },
  ...{ caption: ["table"], tbody: ["table"], tfoot: ["table"], thead: ["table"], tr: ["table", ...sections] },
  ...{ td: ["tr"], th: ["tr"] }
}

/** Blocks of HTML that have no form in Markdown. */
const unknownBlocks = new Set([
  ...["body", "datalist", "dialog", "dir", "frameset", "head", "hgroup", "html", "listing", "menu", "multicol"],
  ...["noembed", "noframes", "noscript", "optgroup", "option", "picture", "plaintext", "search", "select", "svg"],
  ...["template", "title", "xmp", "dd", "dt", "figcaption", "legend", "summary"],
  ...["caption", "td", "th", "tr", ...sections]
])

/** Drops elements without readable content; unknown or misplaced elements become lines or spans. */
const understood = (node: Element, parent: string): Element | undefined => {
  const { tagName } = node
  if (wordless.includes(tagName)) return undefined
  // A formula made by a converter, not MathML.
  if (tagName === "math" && node.properties["tex"] !== undefined) return node
  const within = parents[tagName]
  if (within?.includes(parent) === true) return node
  if (within === undefined && (blocks.has(tagName) || inline.has(tagName))) return node
  return { ...node, tagName: unknownBlocks.has(tagName) ? "div" : "span", properties: {} }
}

/** A link around blocks, as a link in each of them. */
const linkEach = (link: Element, children: ReadonlyArray<ElementContent>): Array<ElementContent> => {
  const made: Array<ElementContent> = []
  let run: Array<ElementContent> = []
  const endRun = (): void => {
    made.push(...(run.every(isNothing) ? run : [{ ...link, children: run }]))
    run = []
  }
  for (const child of children) {
    const isLine = isBlock(child) || (isElement(child) && ownLine.has(child.tagName))
    if (!isLine && !isElement(child, "a", "input")) run.push(child)
    else {
      endRun()
      // Code and links cannot contain a link.
      const isWhole = !isElement(child) || ["a", "pre"].includes(child.tagName) || child.children.length === 0
      made.push(isWhole ? child : { ...child, children: linkEach(link, child.children) })
    }
  }
  endRun()
  return made
}

const hasLink = (node: Nodes, href: unknown): boolean =>
  isElement(node) &&
  ((node.tagName === "a" && node.properties["href"] === href) || node.children.some((child) => hasLink(child, href)))

/** Moves blocks out of an inline element; a link is repeated in each of them. */
const unwrapped = (node: Element, children: Array<ElementContent>): Array<ElementContent> => {
  const { href } = node.properties
  if (node.tagName !== "a" || typeof href !== "string") return children
  const made = linkEach(node, children)
  return made.some((each) => hasLink(each, href))
    ? made
    : [...made, element("p", [element("a", [text(href)], { href })])]
}

/** A table of rows and cells only; its caption and other content go above it. */
const tableOf = (table: Element): Array<ElementContent> => {
  const above: Array<ElementContent> = []
  const cellsOf = (row: Element): Element => {
    const cells: Array<ElementContent> = []
    for (const child of row.children) {
      if (isElement(child, "td", "th")) cells.push(child)
      else if (!isBlank(child)) cells.push(element("td", linesOf([child], "cell-break")))
    }
    return { ...row, children: cells }
  }
  const rowsOf = (nodes: ReadonlyArray<ElementContent>): Array<ElementContent> =>
    nodes.flatMap((node) => {
      if (node.type === "element") {
        if (sections.includes(node.tagName)) return [{ ...node, children: rowsOf(node.children) }]
        if (node.tagName === "tr") return [cellsOf(node)]
      }
      above.push(isElement(node, "caption") ? element("div", node.children) : node)
      return []
    })
  const rows = rowsOf(table.children)
  const isEmpty = !rows.some((row) => isElement(row) && (row.tagName === "tr" || row.children.length > 0))
  return [...flow(above), ...(isEmpty ? [] : [{ ...table, children: rows }])]
}

/** Terms and their descriptions without the groups around them. */
const termsOf = (list: Element): Element => ({
  ...list,
  children: list.children
    .flatMap((child) => (isElement(child, "div") ? child.children : [child]))
    .map((child) => (isBlank(child) || isElement(child, "dd", "dt") ? child : element("dd", [child])))
})

/** Inline code without links and images, which code would hide. */
const inlineCode = (node: Element, children: ReadonlyArray<ElementContent>): Array<ElementContent> =>
  children.some((child) => isElement(child))
    ? children.flatMap((child) => {
        if (child.type === "text" && !isBlank(child)) return [{ ...node, children: [child] }]
        const isWhole = !isElement(child) || codeLike.has(child.tagName) || ["img", "input"].includes(child.tagName)
        if (isWhole) return [child]
        return child.tagName === "br" ? [text(" ")] : [{ ...child, children: inlineCode(node, child.children) }]
      })
    : [{ ...node, children: [...children] }]

/** Brings the HTML of any program into shape: styles, lists, tables and empty emphasis. */
export const normalizeHtml = (source: ElementContent): ReadonlyArray<ElementContent> => regularIn(source, "")

const regularIn = (source: ElementContent, parent: string): ReadonlyArray<ElementContent> => {
  if (!isElement(source)) return source.type === "comment" ? [] : [source]
  const node = understood(source, parent)
  if (node === undefined) return []
  if (node.tagName === "pre") {
    const codes = node.children.filter((child) => isElement(child, "code"))
    const isCode = codes.length === 1 && node.children.length === 1 && codes[0]!.children.every(isText)
    if (isCode) return [node]
    const language = codes.flatMap(classesOf).find((name) => /^language-[\w+#-]{1,30}$/.test(name))
    return [codeBlock(codeIn(node), language?.slice("language-".length)), ...imagesInCode(node)]
  }
  if (node.tagName === "li" && !lists.includes(parent)) return regularIn(element("ul", [node]), parent)
  const shaped = lists.includes(node.tagName) ? listOf(node) : node.tagName === "dl" ? termsOf(node) : node
  const children = shaped.children.flatMap((child) => regularIn(child, node.tagName))
  switch (node.tagName) {
    case "table":
      return tableOf({ ...node, children })
    case "td":
    case "th":
      return [{ ...node, children: linesOf(children, "cell-break") }]
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return [{ ...node, children: children.some(isBlock) ? linesOf(children, "br") : children }]
    case "li":
      return [{ ...node, children: itemOf(children) }]
    case "address":
    case "aside":
    case "blockquote":
    case "dd":
    case "dt":
    case "fieldset":
    case "figure":
    case "form":
      return [{ ...node, children: flow(children) }]
    case "details": {
      const summary = children.filter((child) => isElement(child, "summary"))
      return [{ ...node, children: [...summary, ...flow(children.filter((child) => !isElement(child, "summary")))] }]
    }
  }
  if (inline.has(node.tagName) && children.some(isBlock)) return unwrapped(node, children)
  if (emphasised.has(node.tagName)) {
    const isEmpty = children.every((child) => isBlank(child) || isElement(child, "br"))
    return isEmpty ? children : [{ ...node, children }]
  }
  if (codeLike.has(node.tagName)) return inlineCode(node, children)
  if (["span", "font"].includes(node.tagName)) {
    const names = styled(styleOf(node))
    return names.length === 0 || children.every(isBlank) ? [{ ...node, children }] : wrap(names, children)
  }
  return [{ ...shaped, children }]
}

/** A tight item has its first line without a paragraph; its check box stays before that line. */
const itemOf = (children: Array<ElementContent>): Array<ElementContent> => {
  const box = children.findIndex((child) => isElement(child, "input"))
  const made = flow(children.filter((_, index) => index !== box))
  const [first] = made
  const inner =
    isElement(first, "p") && made.filter((child) => isElement(child, "p")).length === 1
      ? [...first.children, ...made.slice(1)]
      : made
  return box < 0 ? inner : [children[box]!, ...inner]
}
