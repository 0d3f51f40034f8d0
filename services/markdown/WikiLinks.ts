import type { Paragraph, PhrasingContent, Root, RootContent, Text } from "mdast"
import type { FileLink } from "./Rendered.ts"
import type { Targets } from "./Targets.ts"

/** What Markdown of note apps has beside CommonMark and GFM: `[[title]]`, `![[file]]`, and quotes that are callouts. */

const wikiLink = /(!?)\[\[([^[\]\n]{1,500})\]\]/g
const size = /^(\d{1,4})(?:x(\d{1,4}))?$/

/** A text in the label of a link. */
export const escapedLabel = (text: string): string => text.replaceAll(/[[\]\\]/g, "\\$&")

interface Found {
  readonly node: PhrasingContent
  readonly link?: Pick<FileLink, "before" | "file" | "after">
}

const read = (isEmbed: boolean, inner: string, targets: Targets): Found => {
  const [address = "", ...aliases] = inner.split("|").map((part) => part.trim())
  const [, width, height] = size.exec(aliases.at(-1) ?? "") ?? []
  const alias = (width === undefined || !isEmbed ? aliases : aliases.slice(0, -1)).join("|")
  const file = targets.find(address)
  if (file !== undefined) {
    const label = alias === "" ? file.filename : alias
    const isImage = isEmbed && file.isImage
    const link = { before: `${isImage ? "!" : ""}[${escapedLabel(label)}](`, file: file.id, after: ")" }
    const url = `attachment:${file.id}`
    if (!isImage) return { node: { type: "link", url, children: [{ type: "text", value: label }] }, link }
    const hProperties = { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) }
    return { node: { type: "image", url, alt: label, data: { hProperties } }, link }
  }
  const heading = address.slice(address.indexOf("#") + 1)
  const value = alias === "" ? (address.startsWith("#") ? heading : address.replace("#", " › ")) : alias
  const text: Text = { type: "text", value }
  if (!address.startsWith("#") || isEmbed) return { node: text }
  return { node: { type: "link", url: `#${encodeURIComponent(heading)}`, children: [text] } }
}

/** A text with its wiki links as nodes; `links` takes those that lead to files. */
const linked = (
  node: Text,
  source: string,
  targets: Targets,
  links: Array<FileLink>
): ReadonlyArray<PhrasingContent> => {
  if (!node.value.includes("[[")) return [node]
  const matches = [...node.value.matchAll(wikiLink)]
  const start = node.position?.start.offset ?? 0
  // As it was written: what is escaped there is none, and the others stand in the same order.
  const written = [...source.slice(start, node.position?.end.offset ?? 0).matchAll(wikiLink)]
  if (matches.length !== written.length) return [node]
  const nodes: Array<PhrasingContent> = []
  let at = 0
  for (const [index, match] of matches.entries()) {
    if (match.index > at) nodes.push({ type: "text", value: node.value.slice(at, match.index) })
    const { link, node: found } = read(match[1] === "!", match[2]!, targets)
    nodes.push(found)
    const place = start + written[index]!.index
    if (link !== undefined) links.push({ ...link, start: place, end: place + written[index]![0].length })
    at = match.index + match[0].length
  }
  if (at < node.value.length) nodes.push({ type: "text", value: node.value.slice(at) })
  return nodes
}

const calloutMark = /^\[!([a-z][a-z-]{0,30})\][+-]?[ \t]*/i

/** `> [!tip] Title`: its kind, the paragraph of its title, and what is left of the first one. */
const calloutOf = (paragraph: Paragraph) => {
  const [first, ...rest] = paragraph.children
  const mark = first?.type === "text" ? calloutMark.exec(first.value) : null
  if (first?.type !== "text" || mark === null) return undefined
  const kind = mark[1]!.toLowerCase()
  const children: Array<PhrasingContent> = [{ ...first, value: first.value.slice(mark[0].length) }, ...rest]
  const title: Array<PhrasingContent> = []
  while (children.length > 0) {
    const child = children.shift()!
    const end = child.type === "text" ? child.value.indexOf("\n") : -1
    if (child.type !== "text" || end < 0) {
      if (child.type === "break") break
      title.push(child)
      continue
    }
    title.push({ type: "text", value: child.value.slice(0, end) })
    children.unshift({ type: "text", value: child.value.slice(end + 1) })
    break
  }
  const isNamed = title.some((child) => child.type !== "text" || child.value.trim() !== "")
  const named: Array<PhrasingContent> = isNamed
    ? title
    : [{ type: "text", value: kind[0]!.toUpperCase() + kind.slice(1) }]
  const isEmpty = children.every((child) => child.type === "text" && child.value.trim() === "")
  return { kind, title: named, rest: isEmpty ? [] : children }
}

/** Turns wiki links and callouts of a tree into what HTML has for them. */
export const understand = (tree: Root, source: string, targets: Targets, links: Array<FileLink>): void => {
  const visit = (parent: { children: Array<RootContent> }): void => {
    parent.children = parent.children.flatMap((node): ReadonlyArray<RootContent> => {
      if (node.type === "text") return linked(node, source, targets, links)
      if ("children" in node) visit(node as { children: Array<RootContent> })
      if (node.type !== "blockquote" || node.children[0]?.type !== "paragraph") return [node]
      const callout = calloutOf(node.children[0])
      if (callout === undefined) return [node]
      const { kind, rest, title } = callout
      const heading: Paragraph = {
        type: "paragraph",
        children: title,
        data: { hProperties: { className: ["callout-title"] } }
      }
      const text: ReadonlyArray<Paragraph> = rest.length === 0 ? [] : [{ type: "paragraph", children: rest }]
      return [
        {
          ...node,
          children: [heading, ...text, ...node.children.slice(1)],
          data: { hProperties: { className: ["callout", `callout-${kind}`] } }
        }
      ]
    })
  }
  visit(tree)
}
