import type { Element, ElementContent, Nodes, Root } from "hast"
import rehypeParse from "rehype-parse"
import { unified } from "unified"
import { fragmentOf, type Converted } from "./Converted.ts"
import { classesOf, codeBlock, element, flow, isBlank, isElement, regular, styleOf, text, textIn } from "./Html.ts"
import { Marks } from "./HtmlMarkdown.ts"
import { ofProperties, type Property } from "./NotionValues.ts"
import { texOf } from "./Tex.ts"

/** A page of Notion as HTML. */

const parser = unified().use(rehypeParse).freeze()

const elementsIn = function* (node: Nodes): Generator<Element> {
  if (isElement(node)) yield node
  if ("children" in node) for (const child of node.children) yield* elementsIn(child)
}
const first = (node: Nodes, test: (element: Element) => boolean): Element | undefined => {
  for (const each of elementsIn(node)) if (test(each)) return each
  return undefined
}
const hasClass = (node: Nodes | undefined, name: string): node is Element =>
  isElement(node) && classesOf(node).includes(name)

const isOutside = (url: string): boolean => /^[a-z][a-z0-9+.-]*:|^\/\//i.test(url)

/** Pages of the workspace may be named by their address on the web. */
const webPage = /^https?:\/\/(?:www\.)?notion\.(?:so|com|site)\/\S*?([0-9a-f]{32})(?:[?#]|$)/i

const itemsOf = ["bulleted-list", "numbered-list", "to-do-list"]

/** Each item of a list is a list of its own in an export. */
const joinLists = (nodes: ReadonlyArray<ElementContent>): Array<ElementContent> => {
  const made: Array<ElementContent> = []
  for (const node of nodes) {
    const last = made.findLast((each) => !isBlank(each))
    const kind = isElement(node, "ul", "ol") ? itemsOf.find((name) => hasClass(node, name)) : undefined
    if (isElement(node) && isElement(last) && kind !== undefined && hasClass(last, kind)) {
      made[made.lastIndexOf(last)] = { ...last, children: [...last.children, ...node.children] }
    } else made.push(node)
  }
  return made
}

const formats = ["a", "code", "del", "em", "mark", "strong", "u"]

/** After a line break in a block, an export has one more before each change of format: a space stands before that. */
const withoutSpareBreaks = (nodes: ReadonlyArray<ElementContent>): ReadonlyArray<ElementContent> => {
  const firstBreak = nodes.findIndex((node) => isElement(node, "br"))
  return nodes.filter((node, index) => {
    const before = nodes[index - 1]
    const isSpare = isElement(node, "br") && index > firstBreak && isElement(nodes[index + 1], ...formats)
    return !(isSpare && before?.type === "text" && before.value.endsWith(" "))
  })
}

const headings: Readonly<Record<string, string>> = { "1.25em": "h3", "1.5em": "h2", "1.875em": "h1" }

class Page {
  readonly marks: Marks
  /** What is named by an id in it. */
  private readonly headings = new Map<string, string>()

  constructor(source: string, tree: Root) {
    this.marks = new Marks(source)
    for (const node of elementsIn(tree)) {
      const { id } = node.properties
      if (/^h[1-6]$/.test(node.tagName) && typeof id === "string") this.headings.set(id, textIn(node).trim())
    }
  }

  nodes(nodes: ReadonlyArray<ElementContent>): Array<ElementContent> {
    return joinLists(withoutSpareBreaks(nodes)).flatMap((node) => {
      if (isElement(node)) return this.element(node)
      // A sign of no width stands behind each formula.
      return node.type === "text" ? [text(node.value.replaceAll("\ufeff", ""))] : [node]
    })
  }

  private inner(node: Element): Element {
    return { ...node, children: this.nodes(node.children) }
  }

  private element(node: Element): Array<ElementContent> {
    const { properties, tagName } = node
    const classes = classesOf(node)
    if (classes.includes("katex") || classes.includes("equation")) return this.equation(node)
    if (classes.includes("table_of_contents")) return this.contents(node)
    if (classes.includes("checkbox")) return []
    switch (tagName) {
      case "a":
        return this.link(node)
      case "img":
        return this.image(node, undefined)
      case "figure":
        return this.figure(node)
      case "time":
        return [text(textIn(node).replace(/^@/, ""))]
      case "mark":
        // A colour of its letters only is none of the marker's.
        return classes.some((name) => name.endsWith("_background")) ? [this.inner(node)] : this.nodes(node.children)
      case "details":
        return this.toggle(node)
      case "ul":
        if (classes.includes("toggle"))
          return node.children.flatMap((item) => (isElement(item) ? this.nodes(item.children) : []))
        return [this.inner(node)]
      case "li": {
        const box = node.children.find((child) => hasClass(child, "checkbox"))
        const item = this.inner(node)
        if (!isElement(box)) return [item]
        const isChecked = hasClass(box, "checkbox-on")
        return [
          {
            ...item,
            children: [
              element("input", [], { type: "checkbox", ...(isChecked ? { checked: true } : {}) }),
              ...item.children
            ]
          }
        ]
      }
      case "pre": {
        const code = first(node, (each) => each.tagName === "code")
        const language = classesOf(code ?? node)
          .find((name) => name.startsWith("language-"))
          ?.slice(9)
          .toLowerCase()
        return [
          codeBlock(textIn(node), language !== undefined && /^[\w+#-]{1,30}$/.test(language) ? language : undefined)
        ]
      }
      case "td":
      case "th": {
        const box = first(node, (each) => classesOf(each).includes("checkbox"))
        return [
          box === undefined ? this.inner(node) : { ...node, children: [text(hasClass(box, "checkbox-on") ? "☑" : "☐")] }
        ]
      }
      case "span":
        if (classes.includes("selected-value") || classes.includes("user"))
          return [...this.nodes(node.children), text(" ")]
        return [this.inner(node)]
      default:
        return properties["hidden"] === true ? [] : [this.inner(node)]
    }
  }

  private equation(node: Element): Array<ElementContent> {
    const tex = first(node, (each) => each.tagName === "annotation")
    const isLarge = classesOf(node).includes("equation")
    if (tex === undefined)
      return isLarge ? [this.inner({ ...node, tagName: "div", properties: {} })] : this.nodes(node.children)
    const said = texOf(textIn(tex), isLarge)
    return said === "" ? [] : [element("math", [], { tex: said, ...(isLarge ? { display: "block" } : {}) })]
  }

  private contents(node: Element): Array<ElementContent> {
    const links = [...elementsIn(node)].filter((each) => each.tagName === "a")
    // Of a heading that can be folded the page has no id: it is known by what it says.
    const heading = (link: Element) =>
      this.headings.get(String(link.properties["href"]).slice(1)) ?? textIn(link).trim()
    const linked = (link: Element) => element("a", this.nodes(link.children), { href: fragmentOf(heading(link)) })
    return [
      element(
        "ul",
        links.map((link) => element("li", [linked(link)]))
      )
    ]
  }

  private link(node: Element): Array<ElementContent> {
    const { href } = node.properties
    const children = this.nodes(node.children)
    if (typeof href !== "string" || href === "") return children
    if (href.startsWith("#")) {
      const heading = this.headings.get(href.slice(1))
      return heading === undefined ? children : [element("a", children, { href: fragmentOf(heading) })]
    }
    const shown = children.filter((child) => !isBlank(child))
    // An image that leads to itself.
    if (shown.length === 1 && isElement(shown[0], "img")) {
      const image = first(node, (each) => each.tagName === "img")
      if (image?.properties["src"] === href) return shown
    }
    const isOurs = !isOutside(href) || webPage.test(href)
    return [
      element("a", shown.length === 0 ? [text(href)] : children, {
        href: isOurs ? this.marks.add(href, "path", false) : href
      })
    ]
  }

  private image(node: Element, caption: string | undefined): Array<ElementContent> {
    const { alt, src } = node.properties
    if (typeof src !== "string" || src === "") return []
    const label = caption ?? (typeof alt === "string" ? alt : "")
    return [element("img", [], { src: isOutside(src) ? src : this.marks.add(src, "path", true), alt: label })]
  }

  private figure(node: Element): Array<ElementContent> {
    if (classesOf(node).includes("callout")) return this.callout(node)
    const caption = first(node, (each) => each.tagName === "figcaption")
    const bookmark = first(node, (each) => classesOf(each).includes("bookmark"))
    const said = caption === undefined ? [] : [element("p", this.nodes(caption.children))]
    if (bookmark !== undefined) {
      const part = (name: string) => first(bookmark, (each) => classesOf(each).includes(name))
      const title = part("bookmark-title")
      const about = part("bookmark-description")
      const label =
        title === undefined || textIn(title).trim() === ""
          ? String(bookmark.properties["href"] ?? "")
          : textIn(title).trim()
      const link = this.link({ ...bookmark, children: [text(label)] })
      const rest =
        about === undefined || textIn(about).trim() === "" ? [] : [element("p", [text(textIn(about).trim())])]
      return [element("p", link), ...rest, ...said]
    }
    const rest = node.children.filter((child) => child !== caption)
    return [element("p", this.nodes(rest)), ...said]
  }

  private callout(node: Element): Array<ElementContent> {
    const icon = first(node, (each) => classesOf(each).includes("icon"))
    const sign = icon?.tagName === "img" || icon === undefined ? "" : `${textIn(icon).trim()} `
    const parts = node.children.filter(
      (child) => isElement(child) && !(icon !== undefined && [...elementsIn(child)].includes(icon))
    )
    const blocks = flow(parts.flatMap((part) => (isElement(part) ? this.nodes(part.children) : [])).flatMap(regular))
    const [title] = blocks
    const mark = [element("callout-mark", []), ...(sign === "" ? [] : [text(sign)])]
    return [
      element(
        "blockquote",
        isElement(title, "p")
          ? [element("p", [...mark, ...title.children]), ...blocks.slice(1)]
          : [element("p", mark), ...blocks]
      )
    ]
  }

  private toggle(node: Element): Array<ElementContent> {
    const summary = node.children.find((child) => isElement(child, "summary"))
    const rest = this.nodes(node.children.filter((child) => child !== summary))
    if (!isElement(summary)) return rest
    const heading = headings[styleOf(summary).get("font-size") ?? ""]
    if (heading !== undefined) return [element(heading, this.nodes(summary.children)), ...rest]
    return [{ ...node, children: [{ ...summary, children: this.nodes(summary.children) }, ...rest] }]
  }
}

const propertyOf = (row: Element, page: Page): ReadonlyArray<Property> => {
  const [th, td] = row.children.filter((child) => isElement(child, "th", "td"))
  if (!isElement(th) || !isElement(td)) return []
  const kind =
    classesOf(row)
      .find((name) => name.startsWith("property-row-"))
      ?.slice("property-row-".length) ?? ""
  const name = textIn({ ...th, children: th.children.filter((child) => !hasClass(child, "icon")) }).trim()
  const box = first(td, (each) => classesOf(each).includes("checkbox"))
  if (box !== undefined) return [{ name, kind, value: hasClass(box, "checkbox-on") }]
  const chosen = td.children.filter((child) => hasClass(child, "selected-value")).map((child) => textIn(child).trim())
  if (chosen.length > 0) return [{ name, kind, value: kind === "multi_select" ? chosen : chosen.join(", ") }]
  const links = [...elementsIn(td)].filter(
    ({ properties, tagName }) => tagName === "a" && typeof properties["href"] === "string"
  )
  const within = links.filter(({ properties }) => !isOutside(String(properties["href"])))
  if (within.length > 0) {
    const value = within.map(
      (link) => `[${textIn(link).trim()}](${page.marks.add(String(link.properties["href"]), "path", false)})`
    )
    return [{ name, kind, value: value.length === 1 ? value[0]! : value }]
  }
  const said = textIn(td).trim()
  return [
    {
      name,
      kind,
      value: first(td, (each) => each.tagName === "time") === undefined ? said : said.replaceAll(/@(?=\w)/g, "")
    }
  ]
}

export const convertNotionHtml = (source: string, now: Date): Converted => {
  const tree = parser.parse(source)
  const page = new Page(source, tree)
  const article =
    first(tree, ({ tagName }) => tagName === "article") ?? first(tree, ({ tagName }) => tagName === "body")
  const title = first(tree, (each) => classesOf(each).includes("page-title"))
  const table = first(
    tree,
    ({ tagName, ...each }) => tagName === "table" && classesOf({ tagName, ...each }).includes("properties")
  )
  const rows = table === undefined ? [] : [...elementsIn(table)].filter(({ tagName }) => tagName === "tr")
  const header = article?.children.find((child) => isElement(child, "header"))
  const icon =
    header === undefined
      ? undefined
      : first(header, (each) => hasClass(each, "icon") && !hasClass(each, "property-icon"))
  const sign = icon === undefined || icon.tagName === "img" ? "" : textIn(icon).trim()
  const properties = rows.flatMap((row) => propertyOf(row, page))
  const icons = sign === "" ? [] : [{ name: "icon", value: sign }]
  const { head, ...said } = ofProperties([...icons, ...properties], now)
  // Their places come before those of the text, and so they do in the Markdown.
  const cover = header === undefined ? undefined : first(header, (each) => hasClass(each, "page-cover-image"))
  const about = header === undefined ? undefined : first(header, (each) => hasClass(each, "page-description"))
  const body = article?.children.find((child) => hasClass(child, "page-body")) ?? article
  const children = page.nodes([
    ...(cover === undefined ? [] : [cover]),
    ...(about === undefined ? [] : [about]),
    ...(isElement(body) ? body.children : [])
  ])
  const cut = page.marks.cut({ type: "root", children: flow(children.flatMap(regular)) }, head)
  return { ...cut, ...said, ...(title === undefined ? {} : { title: textIn(title).trim() }) }
}
