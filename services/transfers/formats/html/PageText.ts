import type { Element, ElementContent, Nodes, Root } from "hast"
import rehypeParse from "rehype-parse"
import { unified } from "unified"
import { type Converted, fragmentOf } from "../Converted.ts"
import { isScript } from "../ScriptLinks.ts"
import { type Clock, timeOf } from "../WrittenTime.ts"
import { classesOf, element, flow, isElement, text, textIn, wordsIn } from "./Html.ts"
import { LinkPlaceholders } from "./HtmlMarkdown.ts"
import { plainer } from "./HtmlMedia.ts"
import { normalizeHtml } from "./NormalizeHtml.ts"

/** Converts pages in HTML of any program. */

const parser = unified().use(rehypeParse).freeze()

export const elementsIn = function* (node: Nodes): Generator<Element> {
  if (isElement(node)) yield node
  if ("children" in node) for (const child of node.children) yield* elementsIn(child)
}

/** The first element that passes a test. */
export const firstIn = (node: Nodes, test: (element: Element) => boolean): Element | undefined => {
  for (const each of elementsIn(node)) if (test(each)) return each
  return undefined
}

export const pageOf = (source: string): Root => ({
  type: "root",
  children: plainer(parser.parse(source).children.filter((node): node is ElementContent => node.type !== "doctype"))
})

/** Whether it leads out of the file. Scripts are included, because their scheme may be disguised. */
const isOutside = (url: string): boolean => /^[a-z][a-z0-9+.-]*:|^\/\//i.test(url) || isScript(url)

/** A box at the beginning of an item, as a character. */
const box = /^\s*([☐☑☒✓✔])\s*/u

class Page {
  readonly marks: LinkPlaceholders
  readonly #headings = new Map<string, string>()

  constructor(source: string, tree: Nodes) {
    this.marks = new LinkPlaceholders(source)
    for (const node of elementsIn(tree)) {
      const { id } = node.properties
      if (/^h[1-6]$/.test(node.tagName) && typeof id === "string") this.#headings.set(id, textIn(node).trim())
    }
  }

  nodes(nodes: ReadonlyArray<ElementContent>): Array<ElementContent> {
    return nodes.flatMap((node) => (isElement(node) ? this.#element(node) : [node]))
  }

  #element(node: Element): Array<ElementContent> {
    const { alt, href, src } = node.properties
    if (node.tagName === "a") return this.#link(node, href)
    if (node.tagName === "img") {
      const label = typeof alt === "string" ? alt : ""
      if (typeof src !== "string" || src.trim() === "") return label === "" ? [] : [text(label)]
      return [element("img", [], { src: isOutside(src) ? src : this.marks.add(src, "path", true), alt: label })]
    }
    const children = this.nodes(node.children)
    const sign = node.tagName === "li" ? box.exec(textIn(node))?.[1] : undefined
    if (sign === undefined) return [{ ...node, children }]
    const checked = sign === "☐" ? {} : { checked: true }
    return [{ ...node, children: [element("input", [], { type: "checkbox", ...checked }), ...withoutBox(children)] }]
  }

  #link(node: Element, href: Element["properties"][string]): Array<ElementContent> {
    const children = this.nodes(node.children)
    if (typeof href !== "string" || href.trim() === "") return children
    if (href.startsWith("#")) {
      const heading = this.#headings.get(href.slice(1))
      return heading === undefined ? children : [element("a", children, { href: fragmentOf(heading) })]
    }
    const label = children.length === 0 ? [text(href)] : children
    return [element("a", label, { href: isOutside(href) ? href : this.marks.add(href, "path", false) })]
  }
}

/** The nodes of an item without the box that their text begins with. */
const withoutBox = (nodes: ReadonlyArray<ElementContent>): Array<ElementContent> => {
  let isDone = false
  const visit = (each: ElementContent): ElementContent => {
    if (isDone) return each
    if (each.type === "text" && each.value.trim() !== "") {
      isDone = true
      return text(each.value.replace(box, ""))
    }
    return isElement(each) ? { ...each, children: each.children.map(visit) } : each
  }
  return nodes.map(visit)
}

/** Members of a page in its head: keywords as tags, and times. */
const aboutOf = (tree: Root, { now, timezone }: Clock) => {
  const tags: Array<string> = []
  const times: { created_at?: string; updated_at?: string } = {}
  for (const { properties, tagName } of elementsIn(tree)) {
    const { content, name } = properties
    if (tagName !== "meta" || typeof name !== "string" || typeof content !== "string") continue
    const key = name.toLowerCase()
    if (key === "keywords") tags.push(...content.split(",").filter((tag) => tag.trim() !== ""))
    const field = /^(?:created|creation-?date|date)$/.test(key)
      ? "created_at"
      : /^(?:updated|modified|last-modified)$/.test(key)
        ? "updated_at"
        : undefined
    const time = field === undefined ? undefined : timeOf(content, timezone)
    if (field !== undefined && time !== undefined && Date.parse(time) <= now.getTime()) times[field] = time
  }
  return { tags, ...times }
}

/** The Markdown of nodes of a page. */
export const nodesAsMarkdown = (source: string, tree: Root, nodes: ReadonlyArray<ElementContent>, head = "") => {
  const page = new Page(source, tree)
  const children = flow(page.nodes(nodes).flatMap((node) => normalizeHtml(node)))
  return page.marks.cut({ type: "root", children }, head)
}

const isTitle = ({ tagName }: Element): boolean => tagName === "title"

export const convertHtml = (source: string, clock: Clock): Converted => {
  const tree = pageOf(source)
  const body = firstIn(tree, ({ tagName }) => tagName === "body")
  const named = firstIn(tree, isTitle) ?? firstIn(tree, ({ tagName }) => tagName === "h1")
  const title = named === undefined ? "" : wordsIn(named)
  return {
    ...nodesAsMarkdown(source, tree, body?.children ?? []),
    ...aboutOf(tree, clock),
    ...(title === "" ? {} : { title })
  }
}

/** The first element with a class. */
export const withClass = (node: Nodes, name: string): Element | undefined =>
  firstIn(node, (each) => classesOf(each).includes(name))
