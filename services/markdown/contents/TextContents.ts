import type { Definition, Nodes } from "mdast"
import { blockAnchor, headingAnchor, slugOf } from "../LinkText.ts"
import { frontMatterBlockOf } from "../FrontMatterBlock.ts"
import { nodeText, wikiWords } from "../NodeText.ts"
import { frontMatter } from "../PrivateParts.ts"
import { type Property, propertiesOf } from "../Properties.ts"
import { type PublicText, publicText } from "../PublicText.ts"
import { noteTargetOf } from "../Targets.ts"
import { boxOf } from "./TaskLines.ts"
import { mayHaveContent } from "./ContentSigns.ts"
import { quoteAt, readQuoted } from "../syntax/QuotedText.ts"
import { taskLines } from "./TaskReferences.ts"
import { blockNameOf } from "../WikiLinks.ts"

/** What other notes and programs refer to in a note, read by the parser that renders it (contract 5, Contents of notes). */

/** A link of a body that may lead to a note. */
export interface ContentLink {
  /** `property`: a link in the front matter. */
  readonly kind: "link" | "embed" | "property"
  /** The target as written, without `note:` and percent-encoding. */
  readonly target: string
  /** Where it is in the body, in UTF-16 code units. */
  readonly start: number
  readonly end: number
  /** The line on which it begins, from 1. */
  readonly line: number
  /** The words that it shows. */
  readonly text: string
  /** The words around it. */
  readonly context: string
}

export interface ContentTask {
  /** From 1. */
  readonly line: number
  readonly done: boolean
  /** The line behind the box. */
  readonly text: string
}

export interface TextContents {
  readonly links: ReadonlyArray<ContentLink>
  readonly tasks: ReadonlyArray<ContentTask>
  /** The ids of the places that links can lead to. */
  readonly anchors: ReadonlyArray<string>
  /** Those of the front matter. */
  readonly properties: ReadonlyArray<Property>
}

/** Maximum number of links, of tasks and of anchors that are read of a note. Further ones are left out. */
const maxOfEach = 2_000
/** Maximum characters of the words of a link, and of the words around it on each side. */
const maxWords = 200
const around = 120

const nothing: TextContents = { links: [], tasks: [], anchors: [], properties: [] }

/** The line with a place of a text, from 1. */
export const lineAt = (body: string, place: number): number => lineCounter(body)(place)

/** Counts lines up to ascending places of a text. */
const lineCounter = (body: string) => {
  let line = 1
  let at = 0
  return (place: number): number => {
    for (let end = body.indexOf("\n", at); end >= 0 && end < place; end = body.indexOf("\n", at)) {
      at = end + 1
      line++
    }
    return line
  }
}

/** The words around a part of a text, cut at whole words. */
const cutAround = (text: string, start: number, length: number): string => {
  const from = start <= around ? 0 : text.indexOf(" ", start - around) + 1
  const end = start + length + around
  const until = end >= text.length ? text.length : Math.max(text.lastIndexOf(" ", end), start + length)
  const cut = text.slice(from > start ? start : from, until)
  return `${from > 0 ? "…" : ""}${cut}${until < text.length ? "…" : ""}`.replaceAll(/\s+/g, " ").trim().toWellFormed()
}

/** The words around others in the text of a block. */
export const contextOf = (block: string, words: string, from: number): string => {
  const place = block.indexOf(words, from)
  return place < 0 ? words : cutAround(block, place, words.length)
}

interface Written extends Pick<ContentLink, "kind" | "target" | "text"> {
  /** Where it is in the public text. */
  readonly start: number
  readonly end: number
  readonly context: string
}

export const isContext = ({ type }: Nodes): boolean =>
  type === "paragraph" || type === "heading" || type === "tableCell"

/** The link of a node; undefined if it cannot lead to a note. */
const linkOf = (node: Nodes, definitions: ReadonlyMap<string, Definition>) => {
  switch (node.type) {
    case "wikiLink": {
      const target = node.value.split(/\\?\|/, 1)[0]!.trim()
      const isOther = target === "" || target.startsWith("#") || target.startsWith("attachment:")
      return isOther ? undefined : { kind: node.isEmbed ? "embed" : "link", target, text: wikiWords(node.value), node }
    }
    case "link":
    case "image": {
      const target = noteTargetOf(node.url)
      const text = node.type === "image" ? (node.alt ?? "") : nodeText(node)
      return target === undefined ? undefined : { kind: node.type === "image" ? "embed" : "link", target, text, node }
    }
    case "linkReference": {
      const definition = definitions.get(node.identifier)
      const target = definition === undefined ? undefined : noteTargetOf(definition.url)
      return target === undefined ? undefined : { kind: "link", target, text: nodeText(node), node: definition! }
    }
    default:
      return undefined
  }
}

/** The links of a tree. A link by a reference is where its address is defined. */
const linksIn = ({ tree }: PublicText): ReadonlyArray<Written> => {
  const definitions = new Map<string, Definition>()
  const define = (node: Nodes): void => {
    if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node)
    if ("children" in node) node.children.forEach(define)
  }
  define(tree)
  const found: Array<Written> = []
  const known = new Set<number>()
  const visit = (node: Nodes, block: { readonly text: string; at: number } | undefined): void => {
    if (found.length === maxOfEach) return
    const link = linkOf(node, definitions)
    if (link !== undefined) {
      const [start, end] = [link.node.position?.start.offset, link.node.position?.end.offset]
      if (start !== undefined && end !== undefined && !known.has(start)) {
        known.add(start)
        const text = link.text.slice(0, maxWords).toWellFormed()
        const context = block === undefined ? text : contextOf(block.text, link.text, block.at)
        if (block !== undefined)
          block.at = Math.max(block.at, block.text.indexOf(link.text, block.at) + link.text.length)
        found.push({ kind: link.kind as ContentLink["kind"], target: link.target, text, start, end, context })
      }
    }
    if (!("children" in node)) return
    const inner = isContext(node) ? { text: nodeText(node), at: 0 } : block
    for (const child of node.children) visit(child, inner)
  }
  visit(tree, undefined)
  return found.toSorted((one, other) => one.start - other.start)
}

const inBrackets = /\[\[([^[\]\n]{1,500})\]\]/g

/** The links in values of the front matter. */
const linksInMatter = (body: string): ReadonlyArray<Omit<ContentLink, "line">> => {
  const matter = frontMatter.exec(body)?.[0] ?? ""
  return [...matter.matchAll(inBrackets)].slice(0, maxOfEach).flatMap(({ 0: all, 1: value = "", index }) => {
    const target = readQuoted(value.split("|", 1)[0]!.trim(), quoteAt(matter, index))
    if (target === "" || target.startsWith("#")) return []
    const line = matter.slice(matter.lastIndexOf("\n", index) + 1).split("\n", 1)[0]!
    const [text, context] = [wikiWords(value), line].map((words) => words.trim().slice(0, maxWords).toWellFormed())
    return [
      { kind: "property" as const, target, start: index, end: index + all.length, text: text!, context: context! }
    ]
  })
}

/** The anchors of headings and of named blocks. Headings with equal words are numbered as on pages. */
const anchorsIn = ({ tree }: PublicText): ReadonlyArray<string> => {
  const anchors = new Set<string>()
  const visit = (node: Nodes): void => {
    if (anchors.size >= maxOfEach) return
    if (node.type === "heading" || node.type === "paragraph") {
      const name = blockNameOf(node)
      if (name !== undefined) anchors.add(blockAnchor(name))
    }
    if (node.type === "heading") {
      const slug = slugOf(nodeText(node).replace(/\s\^[A-Za-z0-9-]{1,100}$/, ""))
      let own = slug
      for (let count = 1; anchors.has(headingAnchor(own)) && count < 100; count++) own = `${slug}-${count}`
      if (slug !== "") anchors.add(headingAnchor(own))
    }
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(tree)
  return [...anchors]
}

const tasksIn = (shown: PublicText, body: string): ReadonlyArray<ContentTask> => {
  const lines = body.split("\n")
  return taskLines(shown, body)
    .slice(0, maxOfEach)
    .map(({ line }) => {
      const text = lines[line]!.replace(/\r$/, "")
      const { column, isTicked } = boxOf(text)!
      return { line: line + 1, done: isTicked, text: text.slice(column + 2).trim() }
    })
}

const propertiesIn = (body: string): ReadonlyArray<Property> => {
  const block = frontMatterBlockOf(body.replace(/^\uFEFF/, ""))
  return block === undefined ? [] : propertiesOf(block)
}

/** Reads the links, tasks, places and properties of a body. */
export const contentsOf = (body: string): TextContents => {
  if (!mayHaveContent(body)) return nothing
  const shown = publicText(body)
  const written = linksIn(shown)
  const starts = shown.inBody(written.map(({ start }) => start))
  // The last character of a link: a comment that was cut may follow it.
  const lasts = shown.inBody(written.map(({ end }) => end - 1))
  const lineAt = lineCounter(body)
  const links = [
    ...linksInMatter(body),
    ...written.map((link, index) => ({ ...link, start: starts[index]!, end: lasts[index]! + 1 }))
  ]
  return {
    links: links.slice(0, maxOfEach).map((link) => ({ ...link, line: lineAt(link.start) })),
    tasks: tasksIn(shown, body),
    anchors: anchorsIn(shown),
    properties: propertiesIn(body)
  }
}
