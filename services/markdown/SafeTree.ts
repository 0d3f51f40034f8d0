import type { Element, ElementContent, Nodes, Properties, Root } from "hast"
import { Formulas, isFormula } from "./Formulas.ts"
import { anchorOf, decoded, headingAnchor, slugOf } from "./LinkText.ts"
import { isContact, isOutside, noteTargetOf, type Targets } from "./Targets.ts"

const text = (value: string): ElementContent => ({ type: "text", value })

const element = (tagName: string, properties: Properties, children: Array<ElementContent>): Element => ({
  type: "element",
  tagName,
  properties,
  children
})

const headingDepth = /^h([1-6])$/

const depthOf = (node: Nodes): number | undefined => {
  const depth = node.type === "element" ? headingDepth.exec(node.tagName)?.[1] : undefined
  return depth === undefined ? undefined : Number(depth)
}

export const textOf = (node: Nodes): string =>
  node.type === "text" ? node.value : "children" in node ? node.children.map(textOf).join("") : ""

/** Invisible content, which a screen reader could not name either. */
const isBlank = (node: ElementContent): boolean =>
  node.type === "element" ? node.tagName !== "img" && node.children.every(isBlank) : textOf(node).trim() === ""

const isFootnotesTitle = ({ properties }: Element): boolean =>
  Array.isArray(properties["className"]) && properties["className"].includes("sr-only")

/** The headings of a tree, in order. */
const headingsIn = (node: Nodes): ReadonlyArray<readonly [heading: Element, depth: number]> => {
  if (!("children" in node)) return []
  const depth = depthOf(node)
  if (node.type === "element" && depth !== undefined) {
    return isFootnotesTitle(node) || node.children.every(isBlank) ? [] : [[node, depth]]
  }
  return node.children.flatMap(headingsIn)
}

/**
 * The levels of the headings on the page, and their ids. Levels are below the page's own heading, and each is at most
 * one below the level of the heading before it.
 */
const headingsOf = (tree: Root) => {
  const headings = headingsIn(tree)
  const shift = 2 - headings.reduce((least, [, depth]) => Math.min(least, depth), 7)
  const ids = new Map<Element, string>()
  const levels = new Map<Element, number>()
  const taken = new Set<string>()
  let above = 1
  for (const [heading, depth] of headings) {
    above = Math.min(6, depth + shift, above + 1)
    levels.set(heading, above)
    const slug = slugOf(textOf(heading))
    let id = slug
    for (let count = 1; taken.has(id) && count < 100; count++) id = `${slug}-${count}`
    if (slug === "" || taken.has(id)) continue
    taken.add(id)
    ids.set(heading, headingAnchor(id))
  }
  return { ids, levels, taken }
}

/** The anchors of blocks by id; the first of equal ids. */
const blocksIn = (node: Nodes, found = new Map<string, Element>()): ReadonlyMap<string, Element> => {
  if (node.type === "element" && node.tagName === "span") {
    const id = node.properties["id"]
    if (typeof id === "string" && !found.has(id)) found.set(id, node)
  }
  if ("children" in node) for (const child of node.children) blocksIn(child, found)
  return found
}

/** Whether a link leads to another note, or to a file by its id. */
export const isWithheld = (url: string): boolean => /^(?:attachment|note):/i.test(url)

const isFile = (url: string): boolean => /^attachment:/i.test(url)

/** Maximum number of notes to which a note leads. Links to further ones become plain text. */
const maxNotes = 1_000

/** What is said of a file that the reader cannot have. It also replaces the label of one that has none. */
export const notShared = "File not shared"
export const notOfNote = "Not a file of this note"
export const notHere = "File not on this device"

const footnoteId = /^user-content-fn(?:ref)?-/

const whole = (value: unknown): number | undefined => {
  const number = Number(value)
  return Number.isInteger(number) && number > 0 && number <= 10_000 ? number : undefined
}

interface Finish {
  readonly targets: Targets
  /** What is said of a file that is not among the targets. */
  readonly noFile: string
  /**
   * Returns the placeholder for an address until it is known: that of a file by its id, or that of another note by
   * `note:` and the target of the link.
   */
  readonly placeholder: (target: string) => string
  /** Returns the line of a task from its reference; undefined for what raw HTML says. */
  readonly lineOf: (reference: string) => string | undefined
  /** Whether members read it: links then lead to other notes. */
  readonly isForMembers: boolean
}

/**
 * Finishes a sanitised tree. All addresses in the result are decided here: links lead to the outside, to mail and
 * phone numbers, to places of the page, to files of the note and, for members, to other notes; images are files of the note. Links to
 * anything else become plain text.
 */
export const finish = (tree: Root, { isForMembers, lineOf, noFile, placeholder, targets }: Finish): void => {
  const { ids, levels, taken } = headingsOf(tree)
  const blocks = blocksIn(tree)
  const formulas = new Formulas()
  const notes = new Set<string>()

  /** A placeholder for a file that the note does not have. */
  const missing = (label: ReadonlyArray<ElementContent>): Element =>
    element("span", { className: ["missing"], title: noFile }, [
      ...(label.every((node) => isBlank(node) || isFile(textOf(node))) ? [text(noFile)] : label)
    ])

  const linkOf = (href: string): Properties | undefined => {
    if (isOutside(href) || isContact(href)) return { href, rel: ["noopener", "noreferrer", "nofollow"] }
    if (href.startsWith("#")) {
      const fragment = decoded(href.slice(1))
      if (footnoteId.test(fragment)) return { href: `#${encodeURI(fragment)}` }
      const anchor = anchorOf(fragment)
      const isThere = fragment.startsWith("^") ? blocks.has(anchor) : taken.has(slugOf(fragment))
      return isThere ? { href: `#${encodeURI(anchor)}` } : undefined
    }
    const file = targets.find(href)
    if (file !== undefined) return { href: placeholder(file.id) }
    const note = isForMembers ? noteTargetOf(href) : undefined
    if (note === undefined) return undefined
    if (notes.size < maxNotes) notes.add(note)
    return notes.has(note) ? { href: placeholder(`note:${note}`) } : undefined
  }

  const image = ({ properties }: Element, isInLink: boolean): ReadonlyArray<ElementContent> => {
    const src = String(properties["src"] ?? "")
    const alt = String(properties["alt"] ?? "")
    const file = targets.find(src)
    if (file?.isImage === true) {
      const [width, height] = [whole(properties["width"]), whole(properties["height"])]
      return [
        element(
          "img",
          {
            src: placeholder(file.id),
            // The name of a link that contains only an image.
            alt: alt === "" && isInLink ? file.filename : alt,
            ...(properties["title"] === undefined ? {} : { title: properties["title"] }),
            ...(width === undefined ? {} : { width }),
            ...(height === undefined ? {} : { height }),
            ...(properties["className"] === undefined ? {} : { className: properties["className"] }),
            loading: "lazy",
            decoding: "async"
          },
          []
        )
      ]
    }
    if (file === undefined && isFile(src)) return [missing(alt === "" ? [] : [text(alt)])]
    const label = text(alt === "" ? (file?.filename ?? (isOutside(src) ? src : "")) : alt)
    const link = isInLink ? undefined : linkOf(src)
    return [link === undefined ? label : element("a", link, [label])]
  }

  const link = ({ children, properties }: Element, isInLink: boolean): ReadonlyArray<ElementContent> => {
    const href = String(properties["href"] ?? "")
    const own = isInLink ? undefined : linkOf(href)
    const inner = all(children, isInLink || own !== undefined)
    if (own === undefined && isFile(href) && targets.find(href) === undefined) return [missing(inner)]
    if (own === undefined || inner.every(isBlank)) return inner
    const { ariaDescribedBy, ariaLabel, dataFootnoteBackref, dataFootnoteRef, id, title } = properties
    const isFootnote = dataFootnoteBackref !== undefined || dataFootnoteRef !== undefined
    const kept: Properties = isFootnote
      ? {
          ...(ariaDescribedBy === undefined ? {} : { ariaDescribedBy }),
          ...(ariaLabel === undefined ? {} : { ariaLabel }),
          ...(footnoteId.test(String(id)) ? { id: String(id) } : {})
        }
      : title === undefined
        ? {}
        : { title }
    return [element("a", { ...own, ...kept }, inner)]
  }

  const heading = (node: Element, isInLink: boolean): ReadonlyArray<ElementContent> => {
    // Only its text: raw HTML can have one with any content.
    if (isFootnotesTitle(node)) {
      return [element("h2", { className: ["sr-only"], id: "footnote-label" }, [text(textOf(node))])]
    }
    const level = levels.get(node)
    const inner = all(node.children, isInLink)
    // A heading inside another one, which only raw HTML can have, is part of it.
    if (level === undefined) return inner
    const id = ids.get(node)
    return [element(`h${level}`, id === undefined ? {} : { id }, inner)]
  }

  const one = (node: ElementContent, isInLink: boolean): ReadonlyArray<ElementContent> => {
    if (node.type !== "element") return [node]
    if (depthOf(node) !== undefined) return heading(node, isInLink)
    switch (node.tagName) {
      case "img":
        return image(node, isInLink)
      case "a":
        return link(node, isInLink)
      case "input":
        return [
          element(
            "input",
            { ...node.properties, ariaLabel: node.properties["checked"] === true ? "done" : "to do" },
            []
          )
        ]
      case "code":
        return [isFormula(node) ? formulas.of(node) : { ...node, children: all(node.children, isInLink) }]
      case "pre": {
        const [only, ...others] = node.children
        return only?.type === "element" && others.length === 0 && isFormula(only)
          ? [formulas.of(only)]
          : [element("pre", { tabIndex: 0 }, all(node.children, isInLink))]
      }
      case "span": {
        const { id, ...properties } = node.properties
        const isNamed = typeof id === "string" && blocks.get(id) === node
        return [element("span", isNamed ? { ...properties, id } : properties, all(node.children, isInLink))]
      }
      case "table":
        return [
          element("div", { className: ["table"], tabIndex: 0 }, [element("table", {}, all(node.children, isInLink))])
        ]
      case "th":
        // The corner of a table is no header.
        return [
          { ...node, tagName: node.children.every(isBlank) ? "td" : "th", children: all(node.children, isInLink) }
        ]
      case "li": {
        const { dataLine, id, ...properties } = node.properties
        const line = lineOf(String(dataLine))
        return [
          element(
            "li",
            {
              ...properties,
              ...(footnoteId.test(String(id)) ? { id: String(id) } : {}),
              ...(line === undefined ? {} : { dataLine: line })
            },
            all(node.children, isInLink)
          )
        ]
      }
      default:
        return [{ ...node, children: all(node.children, isInLink) }]
    }
  }

  const all = (nodes: ReadonlyArray<ElementContent>, isInLink: boolean): Array<ElementContent> =>
    nodes.flatMap((node) => one(node, isInLink))

  tree.children = tree.children.flatMap((node) => (node.type === "doctype" ? [] : one(node, false)))
}
