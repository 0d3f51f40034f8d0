import type { Element, ElementContent, Nodes, Root } from "hast"
import { fragmentOf } from "../Converted.ts"
import {
  classesOf,
  codeBlock,
  element,
  flow,
  imagesInCode,
  isBlank,
  isElement,
  styleOf,
  text,
  textIn,
  wordsIn
} from "../html/Html.ts"
import { LinkPlaceholders } from "../html/HtmlMarkdown.ts"
import { normalizeHtml } from "../html/NormalizeHtml.ts"
import { texOf } from "../html/Tex.ts"
import { elementsIn, first, hasClass, isOutside, without } from "./NotionElements.ts"

/** Links may lead to pages of the workspace by their address on the web. */
const webPage = /^https?:\/\/(?:www\.)?notion\.(?:so|com|site)\/\S*?([0-9a-f]{32})(?:[?#]|$)/i

const itemsOf = ["bulleted-list", "numbered-list", "to-do-list"]

/** Joins lists: in an export each item of a list is a separate list. */
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

/** After a line break in a block, an export repeats it before each change of format, after a space. */
const withoutSpareBreaks = (nodes: ReadonlyArray<ElementContent>): ReadonlyArray<ElementContent> => {
  const firstBreak = nodes.findIndex((node) => isElement(node, "br"))
  return nodes.filter((node, index) => {
    const before = nodes[index - 1]
    const isSpare = isElement(node, "br") && index > firstBreak && isElement(nodes[index + 1], ...formats)
    return !(isSpare && before?.type === "text" && before.value.endsWith(" "))
  })
}

const headings: Readonly<Record<string, string>> = { "1.25em": "h3", "1.5em": "h2", "1.875em": "h1" }

/** Converts the blocks of a page to plain HTML. */
export class NotionPage {
  readonly marks: LinkPlaceholders
  /** Headings and other targets by id. */
  readonly #headings = new Map<string, string>()

  constructor(source: string, tree: Root) {
    this.marks = new LinkPlaceholders(source)
    for (const node of elementsIn(tree)) {
      const { id } = node.properties
      if (/^h[1-6]$/.test(node.tagName) && typeof id === "string") this.#headings.set(id, textIn(node).trim())
    }
  }

  nodes(nodes: ReadonlyArray<ElementContent>): Array<ElementContent> {
    return joinLists(withoutSpareBreaks(nodes)).flatMap((node) => {
      if (isElement(node)) return this.#element(node)
      // A character of no width follows each formula.
      return node.type === "text" ? [text(node.value.replaceAll("\ufeff", ""))] : [node]
    })
  }

  #inner(node: Element): Element {
    return { ...node, children: this.nodes(node.children) }
  }

  #element(node: Element): Array<ElementContent> {
    const { tagName } = node
    const classes = classesOf(node)
    if (classes.includes("katex") || classes.includes("equation")) return this.#equation(node)
    if (classes.includes("table_of_contents")) return this.#contents(node)
    if (classes.includes("checkbox")) return this.nodes(node.children)
    switch (tagName) {
      case "a":
        return this.#link(node)
      case "img":
        return this.#image(node, undefined)
      case "figure":
        return this.#figure(node)
      case "time":
        return this.nodes(node.children).map((child, index) =>
          index === 0 && child.type === "text" ? text(child.value.replace(/^@/, "")) : child
        )
      case "mark":
        // A marker has a background colour; other colours are ignored.
        return classes.some((name) => name.endsWith("_background")) ? [this.#inner(node)] : this.nodes(node.children)
      case "details":
        return this.#toggle(node)
      case "ul":
        if (classes.includes("toggle"))
          return node.children.flatMap((item) => this.nodes(isElement(item) ? item.children : [item]))
        return [this.#inner(node)]
      case "li": {
        const box = node.children.find((child) => hasClass(child, "checkbox"))
        const item = this.#inner(node)
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
        const isKnown = language !== undefined && /^[\w+#-]{1,30}$/.test(language)
        return [codeBlock(textIn(node), isKnown ? language : undefined), ...this.nodes(imagesInCode(node))]
      }
      case "td":
      case "th": {
        const box = first(node, (each) => classesOf(each).includes("checkbox"))
        if (box === undefined) return [this.#inner(node)]
        const rest = this.nodes(node.children)
        const space = rest.every(isBlank) ? [] : [text(" ")]
        return [{ ...node, children: [text(hasClass(box, "checkbox-on") ? "☑" : "☐"), ...space, ...rest] }]
      }
      case "span":
        if (classes.includes("selected-value") || classes.includes("user"))
          return [...this.nodes(node.children), text(" ")]
        return [this.#inner(node)]
      default:
        return [this.#inner(node)]
    }
  }

  #equation(node: Element): Array<ElementContent> {
    const tex = first(node, (each) => each.tagName === "annotation")
    const isLarge = classesOf(node).includes("equation")
    if (tex === undefined)
      return isLarge ? [this.#inner({ ...node, tagName: "div", properties: {} })] : this.nodes(node.children)
    const said = texOf(textIn(tex), isLarge)
    if (said === "") return []
    const math = element("math", [], { tex: said, ...(isLarge ? { display: "block" } : {}) })
    return [isLarge ? element("figure", [math]) : math]
  }

  #contents(node: Element): Array<ElementContent> {
    const links = [...elementsIn(node)].filter((each) => each.tagName === "a")
    // A toggle heading has no id: it is found by its text.
    const heading = (link: Element) =>
      this.#headings.get(String(link.properties["href"]).slice(1)) ?? textIn(link).trim()
    const linked = (link: Element) => element("a", this.nodes(link.children), { href: fragmentOf(heading(link)) })
    const others = node.children.flatMap((child) => without(child, new Set(links)))
    return [
      ...this.nodes(others),
      element(
        "ul",
        links.map((link) => element("li", [linked(link)]))
      )
    ]
  }

  #link(node: Element): Array<ElementContent> {
    const { href } = node.properties
    const children = this.nodes(node.children)
    if (typeof href !== "string" || href === "") return children
    if (href.startsWith("#")) {
      const heading = this.#headings.get(href.slice(1))
      return heading === undefined ? children : [element("a", children, { href: fragmentOf(heading) })]
    }
    const shown = children.filter((child) => !isBlank(child))
    // An image that links to itself.
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

  #image(node: Element, caption: string | undefined): Array<ElementContent> {
    const { alt, src } = node.properties
    const label = caption ?? (typeof alt === "string" ? alt : "")
    if (typeof src !== "string" || src === "") return label === "" ? [] : [text(label)]
    return [element("img", [], { src: isOutside(src) ? src : this.marks.add(src, "path", true), alt: label })]
  }

  #figure(node: Element): Array<ElementContent> {
    if (classesOf(node).includes("callout")) return this.#callout(node)
    const caption = first(node, (each) => each.tagName === "figcaption")
    const bookmark = first(node, (each) => each.tagName === "a" && classesOf(each).includes("bookmark"))
    const said = caption === undefined ? [] : [element("p", this.nodes(caption.children))]
    const taken = new Set<Nodes>([caption, bookmark].filter((each) => each !== undefined))
    const rest = this.nodes(node.children.flatMap((child) => without(child, taken)))
    const shown = rest.every(isBlank) ? [] : [element("p", rest)]
    return [...(bookmark === undefined ? [] : this.#bookmark(bookmark)), ...shown, ...said]
  }

  #bookmark(node: Element): Array<ElementContent> {
    const part = (name: string) => first(node, (each) => classesOf(each).includes(name))
    const url = String(node.properties["href"] ?? "")
    const [title, about, address] = ["bookmark-title", "bookmark-description", "bookmark-href"].map(part)
    const words = title === undefined ? "" : wordsIn(title)
    // The link contains the address already, and its picture belongs to the site.
    const isSaid = address !== undefined && wordsIn(address) === url
    const taken = new Set<Nodes>([title, about, isSaid ? address : undefined].filter((each) => each !== undefined))
    const others = node.children
      .flatMap((child) => without(child, taken))
      .map(wordsIn)
      .filter((line) => line !== "")
    return [
      element("p", this.#link({ ...node, children: [text(words === "" ? url : words)] })),
      ...[...(about === undefined ? [] : [wordsIn(about)]), ...others]
        .filter((line) => line !== "")
        .map((line) => element("p", [text(line)]))
    ]
  }

  #callout(node: Element): Array<ElementContent> {
    const icon = first(node, (each) => classesOf(each).includes("icon"))
    const sign = icon?.tagName === "img" || icon === undefined ? "" : `${textIn(icon).trim()} `
    const parts = node.children.flatMap((child) => without(child, new Set(icon === undefined ? [] : [icon])))
    const blocks = flow(this.nodes(parts).flatMap((part) => normalizeHtml(part)))
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

  #toggle(node: Element): Array<ElementContent> {
    const summary = node.children.find((child) => isElement(child, "summary"))
    const rest = this.nodes(node.children.filter((child) => child !== summary))
    if (!isElement(summary)) return rest
    const heading = headings[styleOf(summary).get("font-size") ?? ""]
    if (heading !== undefined) return [element(heading, this.nodes(summary.children)), ...rest]
    return [{ ...node, children: [{ ...summary, children: this.nodes(summary.children) }, ...rest] }]
  }
}
