import type { Element, ElementContent, Nodes, Root } from "hast"
import rehypeParse from "rehype-parse"
import { unified } from "unified"
import type { Converted } from "../Converted.ts"
import { classesOf, flow, wordsIn } from "../html/Html.ts"
import { plainer } from "../html/HtmlMedia.ts"
import { normalizeHtml } from "../html/NormalizeHtml.ts"
import type { Clock } from "../WrittenTime.ts"
import { elementsIn, first, hasClass, without } from "./NotionElements.ts"
import { NotionPage } from "./NotionPage.ts"
import { propertyOf } from "./NotionProperties.ts"
import { ofProperties } from "./NotionValues.ts"

/** Converts Notion pages in HTML. */

const parser = unified().use(rehypeParse).freeze()

export const convertNotionHtml = (source: string, clock: Clock): Converted => {
  const parsed = parser.parse(source)
  const tree: Root = {
    type: "root",
    children: plainer(parsed.children.filter((node): node is ElementContent => node.type !== "doctype"))
  }
  const page = new NotionPage(source, tree)
  const body = first(tree, ({ tagName }) => tagName === "body")
  const header = first(tree, ({ tagName }) => tagName === "header")
  const title = first(tree, (each) => classesOf(each).includes("page-title"))
  const named = title ?? first(tree, ({ tagName }) => tagName === "title")
  const table = first(tree, (each) => each.tagName === "table" && classesOf(each).includes("properties"))
  const rows = table === undefined ? [] : [...elementsIn(table)].filter(({ tagName }) => tagName === "tr")
  const ofHeader = (name: string, not = "") =>
    header === undefined ? undefined : first(header, (each) => hasClass(each, name) && !hasClass(each, not))
  const icon = ofHeader("icon", "property-icon")
  const cover = ofHeader("page-cover-image")
  const sign = icon === undefined ? "" : icon.tagName === "img" ? outsideOf(icon) : wordsIn(icon)
  const scripts: Array<string> = []
  const properties = rows.flatMap((row) => propertyOf(row, page, scripts))
  const icons = sign === "" ? [] : [{ name: "icon", value: sign }]
  const { head, problems, ...said } = ofProperties([...icons, ...properties], clock)
  // Links of properties are marked before those of the text, because they precede them in the Markdown.
  const taken = new Set<Nodes>(
    [title, icon, cover, rows.length === 0 ? undefined : table].filter((each) => each !== undefined)
  )
  const rest = (body?.children ?? []).flatMap((node) => without(node, taken))
  const children = page.nodes([...(cover === undefined ? [] : [cover]), ...rest])
  const cut = page.marks.cut(
    { type: "root", children: flow(children.flatMap((node) => normalizeHtml(node))) },
    head,
    scripts
  )
  return {
    ...cut,
    ...said,
    problems: [...problems, ...cut.problems],
    ...(named === undefined ? {} : { title: wordsIn(named) })
  }
}

/** The address of a picture on the web; empty if it is a file of the export, or there is none. */
const outsideOf = ({ properties }: Element): string =>
  typeof properties["src"] === "string" && /^https?:/i.test(properties["src"]) ? properties["src"] : ""
