import type { Element, Root } from "hast"
import type { Nodes as MdastNodes, Root as MdastRoot } from "mdast"
import rehypeRemark, { type Options } from "rehype-remark"
import remarkGfm from "remark-gfm"
import remarkStringify from "remark-stringify"
import { unified } from "unified"
import type { Converted, Link } from "./Converted.ts"
import { emphasisHandlers, inlineHtml, phrasing } from "./Emphasis.ts"
import { isElement, textIn } from "./Html.ts"

/** Trees of HTML made Markdown, cut where their links are. */

/** Makes of a tree what Markdown can say. */
const tidy = (node: MdastNodes): void => {
  if (!("children" in node)) return
  for (const child of node.children) tidy(child)
  switch (node.type) {
    // An item of one paragraph, and lists below that, has no empty lines.
    case "listItem":
      node.spread = node.children.filter((child) => child.type !== "list").length > 1
      break
    case "list":
      node.spread = node.children.some((item) => item.spread === true)
      break
    case "heading":
    case "paragraph":
    case "tableCell":
      node.children = phrasing(node.children)
  }
}

type Handle = NonNullable<Options["handlers"]>[string]

const around =
  (tag: string): Handle =>
  (state, node) => [inlineHtml(`<${tag}>`, tag), ...state.all(node), inlineHtml(`</${tag}>`, tag)]

/** What Markdown has no sign for is HTML in it, as pages of shares show it. */
const handlers: NonNullable<Options["handlers"]> = {
  "callout-mark": () => inlineHtml("[!note] ", "span"),
  "cell-break": () => inlineHtml("<br>", "br"),
  details: (state, node: Element) => {
    const summary = node.children.find((child) => isElement(child, "summary"))
    const rest = { ...node, children: node.children.filter((child) => child !== summary) }
    const title = summary === undefined ? "" : textIn(summary).trim().replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    return [
      { type: "html", value: `<details><summary>${title}</summary>` },
      ...state.all(rest),
      { type: "html", value: "</details>" }
    ]
  },
  mark: around("mark"),
  // As a property it keeps its lines.
  math: (_, node: Element) => {
    const tex = String(node.properties["tex"] ?? "").trim()
    return node.properties["display"] === "block"
      ? {
          type: "html",
          value: `$$
${tex}
$$`
        }
      : inlineHtml(`$${tex}$`, "span")
  },
  sub: around("sub"),
  sup: around("sup"),
  u: around("u")
}

const toMarkdown = unified().use(rehypeRemark, { handlers }).freeze()
const stringify = unified()
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkStringify, { bullet: "-", rule: "*", listItemIndent: "one", fences: true, handlers: emphasisHandlers })
  .freeze()

/** An address as Markdown has it. */
export const addressOf = (url: string): string =>
  /[\s()<>]/.test(url) ? `<${url.replaceAll(/[<>\n]/g, (sign) => encodeURIComponent(sign))}>` : url

/** Where links of a tree are put, so that they can be found again in the Markdown. */
export class Marks {
  private readonly links: Array<Link> = []
  private readonly mark: string

  constructor(source: string) {
    let mark = "link"
    // What the text itself says is no mark of ours.
    for (let count = 0; source.includes(`x-${mark}-`); count++) mark = `link${count}`
    this.mark = `x-${mark}-`
  }

  /** The address to write for now. */
  add(target: string, kind: Link["kind"], isEmbed: boolean, was = target): string {
    this.links.push({ target, kind, was: addressOf(was), before: "", after: "", isEmbed })
    return `${this.mark}${this.links.length - 1}-`
  }

  /** Cuts the Markdown of a tree where they stand, and what stands before it. */
  cut(tree: Root, head = ""): Pick<Converted, "pieces" | "links"> {
    const mdast: MdastRoot = toMarkdown.runSync(tree)
    tidy(mdast)
    const parts = (head + stringify.stringify(mdast)).split(new RegExp(`${this.mark}(\\d+)-`))
    const links = parts.flatMap((part, index) => (index % 2 === 1 ? [this.links[Number(part)]!] : []))
    return { pieces: parts.filter((_, index) => index % 2 === 0), links }
  }
}
