import type { Blockquote, Heading, Paragraph, PhrasingContent, Root, RootContent, Text } from "mdast"
import type { FileLink } from "./Rendered.ts"
import type { Targets } from "./Targets.ts"

/**
 * The syntax of note apps beyond CommonMark and GFM: `[[title]]`, `![[file]]`, sizes of images, names of blocks, line
 * breaks, and quotes that are callouts.
 */

const wikiLink = /(!?)\[\[([^[\]\n]{1,500})\]\]/g
const size = /^(\d{1,4})(?:x(\d{1,4}))?$/

/** Parses a size into properties of an image. */
const sizeOf = (text: string): Record<string, string | Array<string>> | undefined => {
  const [, width, height] = size.exec(text) ?? []
  if (width === undefined) return undefined
  return height === undefined ? { width } : { width, height, className: ["sized"] }
}

/** `![alt|100x50](…)`: splits the alternative text of an image from the size after it. */
const sized = (alt: string) => {
  const bar = alt.lastIndexOf("|")
  const hProperties = bar < 0 ? undefined : sizeOf(alt.slice(bar + 1).trim())
  return hProperties === undefined ? { alt } : { alt: alt.slice(0, bar).trim(), hProperties }
}
export const withoutSize = (alt: string): string => sized(alt).alt

/** Escapes a text for the label of a link. */
export const escapedLabel = (text: string): string => text.replaceAll(/[[\]\\]/g, "\\$&")

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

interface Found {
  readonly node: PhrasingContent
  readonly link?: Pick<FileLink, "before" | "file" | "after">
}

const read = (isEmbed: boolean, inner: string, { noteLinks, targets }: Options): Found => {
  const [address = "", ...aliases] = inner.split("|").map((part) => part.trim())
  const hProperties = isEmbed ? sizeOf(aliases.at(-1) ?? "") : undefined
  const alias = (hProperties === undefined ? aliases : aliases.slice(0, -1)).join("|")
  const file = targets.find(address)
  if (file !== undefined) {
    const label = alias === "" ? file.filename : alias
    const isImage = isEmbed && file.isImage
    const link = { before: `${isImage ? "!" : ""}[${escapedLabel(label)}](`, file: file.id, after: ")" }
    const url = `attachment:${file.id}`
    if (!isImage) return { node: { type: "link", url, children: [{ type: "text", value: label }] }, link }
    return { node: { type: "image", url, alt: label, data: hProperties === undefined ? {} : { hProperties } }, link }
  }
  if (address.startsWith("attachment:")) {
    return { node: { type: "link", url: address, children: alias === "" ? [] : [{ type: "text", value: alias }] } }
  }
  const heading = address.slice(address.indexOf("#") + 1)
  const named = address.replace(/#\^.*$/, "").replace("#", " › ")
  const value = alias === "" ? (address.startsWith("#") ? heading : named) : alias
  const text: Text = { type: "text", value }
  if (!address.startsWith("#")) {
    const isLink = noteLinks && address !== ""
    return { node: isLink ? { type: "link", url: `note:${encodeURIComponent(address)}`, children: [text] } : text }
  }
  if (isEmbed) return { node: text }
  return { node: { type: "link", url: `#${encodeURIComponent(heading)}`, children: [text] } }
}

/** Replaces the wiki links of a text by nodes. Links to files are added to `links`. */
const linked = (node: Text, options: Options): ReadonlyArray<PhrasingContent> => {
  const { links, source } = options
  if (!node.value.includes("[[")) return [node]
  const matches = [...node.value.matchAll(wikiLink)]
  const start = node.position?.start.offset ?? 0
  // The links in the source, where escaped ones do not match. The others are in the same order.
  const written = [...source.slice(start, node.position?.end.offset ?? 0).matchAll(wikiLink)]
  if (matches.length !== written.length) return [node]
  const nodes: Array<PhrasingContent> = []
  let at = 0
  for (const [index, match] of matches.entries()) {
    if (match.index > at) nodes.push({ type: "text", value: node.value.slice(at, match.index) })
    const { link, node: found } = read(match[1] === "!", match[2]!, options)
    nodes.push(found)
    const place = start + written[index]!.index
    if (link !== undefined) links.push({ ...link, start: place, end: place + written[index]![0].length })
    at = match.index + match[0].length
  }
  if (at < node.value.length) nodes.push({ type: "text", value: node.value.slice(at) })
  return nodes
}

/** The id of the anchor of a block. */
export const blockId = (name: string): string => `b-${name}`

const blockName = /^[A-Za-z0-9-]{1,100}$/

/** An anchor for links. mdast has no such node: it is emphasis with another element name. */
const anchor = (name: string): PhrasingContent => ({
  type: "emphasis",
  children: [],
  data: { hName: "span", hProperties: { id: blockId(name) } }
})

/** Removes `^name` from the end of a block, and returns the name. */
const takeName = (block: Paragraph | Heading): string | undefined => {
  const last = block.children.at(-1)
  if (last?.type !== "text") return undefined
  const at = last.value.lastIndexOf("^")
  const name = last.value.slice(at + 1).trim()
  const before = last.value.slice(0, Math.max(at, 0))
  if (at < 0 || !blockName.test(name) || (before === "" ? block.children.length > 1 : !/\s$/.test(before))) {
    return undefined
  }
  last.value = before.trimEnd()
  if (last.value === "") block.children.pop()
  return name
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
        case "text": {
          const found = linked(node, options)
          for (const each of breaks ? found.flatMap(broken) : found) made.push(each)
          continue
        }
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
