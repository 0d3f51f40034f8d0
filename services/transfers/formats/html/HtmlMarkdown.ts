import type { Element, ElementContent, Root } from "hast"
import type { Root as MdastRoot } from "mdast"
import rehypeRemark, { type Options } from "rehype-remark"
import { unified } from "unified"
import { type Converted, type Link, namedIn } from "../Converted.ts"
import { inlineHtml } from "./Emphasis.ts"
import { element, isElement, text, withLineMath, wordsIn } from "./Html.ts"
import { written } from "./MarkdownWriter.ts"
import { removeScripts } from "../ScriptLinks.ts"
import { withBoundedTables } from "./TableCells.ts"
import { texInCell, texOf } from "./Tex.ts"

/** Converts trees of HTML to Markdown that is split at its links. */

type Handle = NonNullable<Options["handlers"]>[string]

const around =
  (tag: string): Handle =>
  (state, node) => [inlineHtml(`<${tag}>`, tag), ...state.all(node), inlineHtml(`</${tag}>`, tag)]

/** Links and images of a line. */
const shownIn = (node: Element): Array<ElementContent> =>
  node.children.flatMap((child) => {
    if (!isElement(child)) return []
    return isElement(child, "a", "img", "math") ? [...withLineMath([child], "line"), text(" ")] : shownIn(child)
  })

/** Elements without a form in Markdown stay HTML, as pages of shares display it. */
const handlers: NonNullable<Options["handlers"]> = {
  "callout-mark": () => inlineHtml("[!note] ", "span"),
  "cell-break": () => inlineHtml("<br>", "br"),
  details: (state, node: Element) => {
    const summary = node.children.find((child) => isElement(child, "summary"))
    const others = node.children.filter((child) => child !== summary)
    // The summary contains words only: other things that it shows follow below.
    const shown = summary === undefined ? [] : shownIn(summary)
    const rest = { ...node, children: shown.length === 0 ? others : [element("p", shown), ...others] }
    const title = summary === undefined ? "" : wordsIn(summary).replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    return [
      { type: "html", value: `<details><summary>${title}</summary>` },
      ...state.all(rest),
      { type: "html", value: "</details>" }
    ]
  },
  mark: around("mark"),
  // A property keeps its lines.
  math: (_, node: Element) => {
    const { display, tex } = node.properties
    const said = String(tex ?? "").trim()
    if (display === "block") return { type: "html", value: `$$\n${said}\n$$` }
    const line = texOf(said, false)
    return inlineHtml(`$${display === "cell" ? texInCell(line) : line}$`, "span")
  },
  sub: around("sub"),
  sup: around("sup"),
  u: around("u")
}

const toMarkdown = unified().use(rehypeRemark, { handlers }).freeze()

/** An address in Markdown. */
export const addressOf = (url: string): string =>
  /[\s()<>]/.test(url) ? `<${url.replaceAll(/[<>\n]/g, (sign) => encodeURIComponent(sign))}>` : url

/** Placeholders for the links of a tree, by which the links are found again in the Markdown. */
export class LinkPlaceholders {
  readonly #links: Array<Link> = []
  readonly #mark: string

  constructor(source: string) {
    let mark = "link"
    // The text itself must not contain the placeholder.
    for (let count = 0; source.includes(`x-${mark}-`); count++) mark = `link${count}`
    this.#mark = `x-${mark}-`
  }

  /** Returns a temporary address to write. */
  add(target: string, kind: Link["kind"], isEmbed: boolean, was = target): string {
    this.#links.push({ target, kind, was: addressOf(was), before: "", after: "", isEmbed })
    return `${this.#mark}${this.#links.length - 1}-`
  }

  /**
   * Splits the Markdown of a tree, and the text before it, at the placeholders. Links that run a script are removed;
   * `others` are such links that were removed before.
   */
  cut(tree: Root, head = "", others: ReadonlyArray<string> = []): Pick<Converted, "pieces" | "links" | "problems"> {
    const tables = withBoundedTables(tree)
    const mdast: MdastRoot = toMarkdown.runSync(tables.tree)
    const scripts = [...others, ...removeScripts(mdast)]
    const parts = (head + written(mdast)).split(new RegExp(`${this.#mark}(\\d+)-`))
    const links = parts.flatMap((part, index) => (index % 2 === 1 ? [this.#links[Number(part)]!] : []))
    return {
      pieces: parts.filter((_, index) => index % 2 === 0),
      links,
      problems: [
        ...(scripts.length === 0 ? [] : [scriptsRemoved(scripts)]),
        ...(tables.isWhole ? [] : [tableSimplified])
      ]
    }
  }
}

const tableSimplified: Converted["problems"][number] = {
  code: "too_complex",
  message: "A table with too many empty or joined cells is imported without them, or as one line for each row"
}

const scriptsRemoved = (urls: ReadonlyArray<string>): Converted["problems"][number] => ({
  code: "unsafe_link",
  message: `Links that would run a script are removed, and their text is kept: ${namedIn(urls)}`
})
