import type { Blockquote, Heading, Paragraph, PhrasingContent, Root, RootContent, Text } from "mdast"
import { type ImageSize, imageSizeIn } from "./ImageSize.ts"
import { blockAnchor, escapedName } from "./LinkText.ts"
import type { FileLink } from "./Rendered.ts"
import type { Targets } from "./Targets.ts"
import type { WikiLink } from "./syntax/WikiLinkSyntax.ts"

/**
 * The syntax of note apps beyond CommonMark and GFM: `[[title]]`, `![[file]]`, sizes of images, names of blocks, line
 * breaks, and quotes that are callouts.
 */

/** The properties of an image with a size. */
const propertiesOf = ({ height, width }: ImageSize) =>
  height === undefined ? { width } : { width, height, className: ["sized"] }

/** `![alt|100x50](…)`: splits the alternative text of an image from the size after it. */
const sized = (alt: string) => {
  const size = imageSizeIn(alt)
  if (size === undefined) return { alt }
  return { alt: alt.slice(0, alt.lastIndexOf("|")).trim(), hProperties: propertiesOf(size) }
}
export const withoutSize = (alt: string): string => sized(alt).alt

interface Options {
  readonly source: string
  readonly targets: Targets
  /** Receives the links that lead to files. */
  readonly links: Array<FileLink>
  /** Whether single line breaks are shown. */
  readonly breaks: boolean
  /** Whether `[[title]]` is a link, with the address `note:` and the percent-encoded title. */
  readonly noteLinks: boolean
}

/** Returns the node of a link in double brackets. A link to a file is added to `links`. */
const linked = ({ isEmbed, position, value }: WikiLink, { links, noteLinks, targets }: Options): PhrasingContent => {
  // In a table, the bar is escaped.
  const [address = "", ...aliases] = value.split(/\\?\|/).map((part) => part.trim())
  const size = isEmbed ? imageSizeIn(value) : undefined
  const alias = (size === undefined ? aliases : aliases.slice(0, -1)).join("|")
  const file = targets.find(address)
  if (file !== undefined) {
    const label = alias === "" ? file.filename : alias
    const isImage = isEmbed && file.isImage
    const before = `${isImage ? "!" : ""}[${escapedName(label)}](`
    const [start, end] = [position?.start.offset, position?.end.offset]
    if (start !== undefined && end !== undefined) links.push({ start, end, before, file: file.id, after: ")" })
    const url = `attachment:${file.id}`
    if (!isImage) return { type: "link", url, children: [{ type: "text", value: label }] }
    return { type: "image", url, alt: label, data: size === undefined ? {} : { hProperties: propertiesOf(size) } }
  }
  if (address.startsWith("attachment:")) {
    return { type: "link", url: address, children: alias === "" ? [] : [{ type: "text", value: alias }] }
  }
  const heading = address.slice(address.indexOf("#") + 1)
  const named = address.replace(/#\^.*$/, "").replace("#", " › ")
  const text: Text = { type: "text", value: alias === "" ? (address.startsWith("#") ? heading : named) : alias }
  if (address.startsWith("#")) {
    return isEmbed ? text : { type: "link", url: `#${encodeURIComponent(heading)}`, children: [text] }
  }
  if (address === "") return { ...text, value: `${isEmbed ? "!" : ""}[[${value}]]` }
  return noteLinks ? { type: "link", url: `note:${encodeURIComponent(address)}`, children: [text] } : text
}

const blockName = /^[A-Za-z0-9-]{1,100}$/

/** An anchor for links. mdast has no such node: it is emphasis with another element name. */
const anchor = (name: string): PhrasingContent => ({
  type: "emphasis",
  children: [],
  data: { hName: "span", hProperties: { id: blockAnchor(name) } }
})

/** The last text of a block that ends with `^name`, what is before it, and the name. */
const namedText = (block: Paragraph | Heading) => {
  const last = block.children.at(-1)
  if (last?.type !== "text") return undefined
  const at = last.value.lastIndexOf("^")
  const name = last.value.slice(at + 1).trim()
  const before = last.value.slice(0, Math.max(at, 0))
  if (at < 0 || !blockName.test(name) || (before === "" ? block.children.length > 1 : !/\s$/.test(before))) {
    return undefined
  }
  return { last, before: before.trimEnd(), name }
}

/** The name at the end of a block. */
export const blockNameOf = (block: Paragraph | Heading): string | undefined => namedText(block)?.name

/** Removes `^name` from the end of a block, and returns the name. */
const takeName = (block: Paragraph | Heading): string | undefined => {
  const found = namedText(block)
  if (found === undefined) return undefined
  found.last.value = found.before
  if (found.before === "") block.children.pop()
  return found.name
}

/** Splits a text at its line endings into lines and breaks. */
const broken = (node: PhrasingContent): ReadonlyArray<PhrasingContent> =>
  node.type === "text" && node.value.includes("\n")
    ? node.value
        .split("\n")
        .flatMap((value, index): Array<PhrasingContent> => [
          ...(index === 0 ? [] : [{ type: "break" } as const]),
          ...(value === "" ? [] : [{ type: "text", value } as const])
        ])
    : [node]

const calloutMark = /^\[!([a-z][a-z-]{0,30})\]([+-]?)[ \t]*/i

/** Parses `> [!tip]- Title`: the kind, the fold, the title, and the rest of the first paragraph. */
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
  return { kind, fold: mark[2], title: named, rest: isEmpty ? [] : children }
}

/** Converts a quote that is a callout; a folded one becomes `<details>`. */
const calloutIn = (node: Blockquote): Blockquote => {
  const callout = node.children[0]?.type === "paragraph" ? calloutOf(node.children[0]) : undefined
  if (callout === undefined) return node
  const { fold, kind, rest, title } = callout
  const heading: Paragraph = {
    type: "paragraph",
    children: title,
    data: { ...(fold === "" ? {} : { hName: "summary" }), hProperties: { className: ["callout-title"] } }
  }
  const text: ReadonlyArray<Paragraph> = rest.length === 0 ? [] : [{ type: "paragraph", children: rest }]
  const className = ["callout", `callout-${kind}`]
  return {
    ...node,
    children: [heading, ...text, ...node.children.slice(1)],
    data:
      fold === ""
        ? { hProperties: { className } }
        : { hName: "details", hProperties: { className, ...(fold === "+" ? { open: true } : {}) } }
  }
}

/** Converts the syntax of note apps in a tree to nodes with HTML equivalents. */
export const convertNoteSyntax = (tree: Root, options: Options): void => {
  const { breaks, source } = options
  const visit = (parent: { children: Array<RootContent> }): void => {
    const made: Array<RootContent> = []
    for (const node of parent.children) {
      switch (node.type) {
        case "wikiLink":
          made.push(linked(node, options))
          continue
        case "text":
          made.push(...(breaks ? broken(node) : [node]))
          continue
        case "image":
        case "imageReference": {
          const { alt, hProperties } = sized(node.alt ?? "")
          if (hProperties !== undefined) Object.assign(node, { alt, data: { ...node.data, hProperties } })
          break
        }
        case "inlineMath":
          // `$$x$$` within a paragraph is a display formula, too.
          if (source.startsWith("$$", node.position?.start.offset)) {
            node.data = { ...node.data, hProperties: { className: ["language-math", "math-display"] } }
          }
          break
        case "heading":
        case "paragraph": {
          const name = takeName(node)
          visit(node)
          if (name === undefined) break
          // A paragraph with only a name names the block before it.
          if (node.children.length === 0) made.splice(-1, 0, anchor(name))
          else made.push({ ...node, children: [anchor(name), ...node.children] })
          continue
        }
      }
      if (node.type !== "paragraph" && node.type !== "heading" && "children" in node) {
        visit(node as { children: Array<RootContent> })
      }
      made.push(node.type === "blockquote" ? calloutIn(node) : node)
    }
    parent.children = made
  }
  visit(tree)
}
