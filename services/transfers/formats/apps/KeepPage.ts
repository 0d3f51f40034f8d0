import type { ElementContent, Root } from "hast"
import { stringify } from "yaml"
import type { Converted } from "../Converted.ts"
import { classesOf, isElement, textIn, wordsIn } from "../html/Html.ts"
import { elementsIn, firstIn, nodesAsMarkdown, pageOf, withClass } from "../html/PageText.ts"
import { type Clock, timeOf } from "../WrittenTime.ts"

/** Converts the page of a note that Google Keep exports next to its JSON. */
export const convertKeepPage = (source: string, { now, timezone }: Clock): Converted => {
  const tree: Root = pageOf(source)
  const note = withClass(tree, "note") ?? firstIn(tree, ({ tagName }) => tagName === "body")
  const [heading, title] = ["heading", "title"].map((name) => (note === undefined ? undefined : withClass(note, name)))
  const labels = [...elementsIn(tree)].filter((each) => classesOf(each).includes("label-name")).map(wordsIn)
  const written = heading === undefined ? "" : textIn(heading).replaceAll(/\s+/g, " ").trim()
  const time = timeOf(written, timezone)
  const isPast = time !== undefined && Date.parse(time) <= now.getTime()
  const head = written === "" || isPast ? "" : `---\n${stringify({ date: written }, { lineWidth: 0 })}---\n`
  const isLabel = (node: ElementContent): boolean => isElement(node) && classesOf(node).includes("label")
  const without = (node: ElementContent): ReadonlyArray<ElementContent> => {
    if (node === heading || node === title || isLabel(node)) return []
    return [isElement(node) ? { ...node, children: node.children.flatMap(without) } : node]
  }
  const hasSign = (name: string): boolean => heading !== undefined && withClass(heading, name) !== undefined
  return {
    ...nodesAsMarkdown(source, tree, (note?.children ?? []).flatMap(without), head),
    ...(title === undefined ? {} : { title: wordsIn(title) }),
    tags: labels,
    ...(isPast ? { updated_at: time } : {}),
    pinned: hasSign("pinned"),
    archived: hasSign("archived") || hasSign("trashed")
  }
}
