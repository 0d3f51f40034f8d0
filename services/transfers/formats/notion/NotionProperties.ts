import type { Element, ElementContent } from "hast"
import { classesOf, element, isBlank, isElement, textIn, wordsIn } from "../html/Html.ts"
import { addressOf } from "../html/HtmlMarkdown.ts"
import { baseOf } from "../Paths.ts"
import { isScript } from "../ScriptLinks.ts"
import { elementsIn, first, hasClass, isOutside } from "./NotionElements.ts"
import type { NotionPage } from "./NotionPage.ts"
import type { Property } from "./NotionValues.ts"

const wordsOf = (nodes: ReadonlyArray<ElementContent>): string => wordsIn(element("div", [...nodes]))

/** The text of a property's cell, with its links as Markdown; links that run a script are added to `scripts`. */
const linked = (nodes: ReadonlyArray<ElementContent>, page: NotionPage, scripts: Array<string>): string =>
  nodes
    .map((node): string => {
      if (!isElement(node)) return textIn(node)
      const { href } = node.properties
      const isLink = node.tagName === "a" && typeof href === "string" && href !== ""
      if (!isLink) {
        const isLine = ["br", "div", "li", "p"].includes(node.tagName)
        return `${isLine ? " " : ""}${linked(node.children, page, scripts)}${isLine ? " " : ""}`
      }
      const words = wordsIn(node)
      if (isScript(href)) scripts.push(href)
      if (isScript(href) || href === words) return words
      const url = isOutside(href) ? addressOf(href) : page.marks.add(href, "path", false)
      return `[${words === "" ? baseOf(href) : words}](${url})`
    })
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim()

/** The property in a row of the table of properties; none if the row has no name. */
export const propertyOf = (row: Element, page: NotionPage, scripts: Array<string>): ReadonlyArray<Property> => {
  const [th, ...cells] = row.children.filter((child) => isElement(child, "th", "td"))
  if (!isElement(th)) return []
  const kind =
    classesOf(row)
      .find((name) => name.startsWith("property-row-"))
      ?.slice("property-row-".length) ?? ""
  const name = wordsOf(th.children.filter((child) => !hasClass(child, "icon")))
  const content = cells.flatMap((cell) => (isElement(cell) ? cell.children : []))
  const box = content
    .map((child) => first(child, (each) => classesOf(each).includes("checkbox")))
    .find((each) => each !== undefined)
  if (box !== undefined && wordsOf(content) === "") return [{ name, kind, value: hasClass(box, "checkbox-on") }]
  const shown = content.filter((child) => !isBlank(child))
  if (shown.length > 0 && shown.every((child) => hasClass(child, "selected-value"))) {
    const chosen = shown.map((child) => wordsIn(child))
    return [{ name, kind, value: kind === "multi_select" ? chosen : chosen.join(", ") }]
  }
  const isOurs = (child: ElementContent) => {
    const link = first(child, ({ tagName }) => tagName === "a")
    return typeof link?.properties["href"] === "string" && !isOutside(link.properties["href"]) && isLinkAlone(child)
  }
  if (shown.length > 0 && shown.every(isOurs)) {
    const value = shown.map((child) => linked([child], page, scripts))
    return [{ name, kind, value: value.length === 1 ? value[0]! : value }]
  }
  const said = linked(content, page, scripts)
  const hasTime = content.some((child) => first(child, (each) => each.tagName === "time") !== undefined)
  return [{ name, kind, value: hasTime ? said.replaceAll(/@(?=\w)/g, "") : said }]
}

/** Whether it consists of one link, without other text. */
const isLinkAlone = (node: ElementContent): boolean => {
  const links = [...elementsIn(node)].filter(({ tagName }) => tagName === "a")
  return links.length === 1 && wordsIn(links[0]!) === wordsIn(node)
}
