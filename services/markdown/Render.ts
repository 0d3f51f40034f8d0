import type { Element, Nodes as HtmlNodes, Root as HtmlRoot } from "hast"
import type { Nodes, Root } from "mdast"
import rehypeHighlight from "rehype-highlight"
import rehypeRaw from "rehype-raw"
import rehypeSanitize from "rehype-sanitize"
import rehypeStringify from "rehype-stringify"
import remarkRehype from "remark-rehype"
import { unified } from "unified"
import { allowed } from "./AllowedHtml.ts"
import { direct } from "./Direction.ts"
import { linkPlaces, linksToFiles } from "./FileLinks.ts"
import { escapedName } from "./LinkText.ts"
import { nodeText } from "./NodeText.ts"
import { publicText } from "./PublicText.ts"
import { addressBytes, isLargeHtml, isLargeMarkdown, maxBytes } from "./OutputSize.ts"
import { type Cut, type FileLink, type NoteText, plainly, type Rendered, shortened } from "./Rendered.ts"
import { scriptLanguage } from "./ScriptLanguage.ts"
import { finish, isWithheld, notHere, notOfNote, notShared } from "./SafeTree.ts"
import { referToLines } from "./contents/TaskReferences.ts"
import { Targets } from "./Targets.ts"
import { convertNoteSyntax, withoutSize } from "./WikiLinks.ts"

const toHtml = unified().use(remarkRehype, { allowDangerousHtml: true }).freeze()
/** Parses raw HTML as HTML, so that it is sanitised as elements and not shown as text. */
const readHtml = unified().use(rehypeRaw).freeze()
const sanitize = unified().use(rehypeSanitize, allowed).freeze()
const highlight = unified().use(rehypeHighlight).freeze()
const stringify = unified().use(rehypeStringify).freeze()

/** The language in YAML or TOML. */
const langOf = /^(?:lang|language|locale)[ \t]*[:=][ \t]*["']?([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3})["']?[ \t]*$/m

const longestDescription = 200

const descriptionOf = (tree: Root): string => {
  let text = ""
  for (const node of tree.children) {
    if (node.type !== "paragraph" && node.type !== "list" && node.type !== "blockquote") continue
    text += ` ${nodeText(node).slice(0, 2 * longestDescription)}`
    if (text.trim().length > longestDescription) break
  }
  return shortened(text, longestDescription)
}

const hasHtml = (node: Nodes): boolean =>
  node.type === "html" || ("children" in node && node.children.some((child) => hasHtml(child)))

/** Drops a first heading that repeats the title, which the page shows already. */
const dropTitle = (tree: Root, title: string): void => {
  const [first] = tree.children
  if (first?.type === "heading" && first.depth === 1 && nodeText(first).trim() === title.trim()) tree.children.shift()
}

/** Maximum characters of code in a block and in a note. A block beyond them is not coloured. */
const maxOfBlock = 32 * 1024
const maxOfCode = 128 * 1024

const lengthOf = (node: HtmlNodes): number =>
  node.type === "text"
    ? node.value.length
    : "children" in node
      ? node.children.reduce((sum, child) => sum + lengthOf(child), 0)
      : 0

/** Colours code of known languages, by classes. */
const colour = (tree: HtmlRoot): void => {
  let left = maxOfCode
  const plain: Array<Element> = []
  const visit = (node: HtmlNodes): void => {
    if (!("children" in node)) return
    for (const child of node.children) {
      if (child.type === "element" && child.tagName === "code" && node.type === "element" && node.tagName === "pre") {
        const length = lengthOf(child)
        if (length > Math.min(maxOfBlock, left)) plain.push(child)
        else left -= length
      } else visit(child)
    }
  }
  visit(tree)
  const classes = plain.map((code) => code.properties["className"])
  for (const code of plain) code.properties = { ...code.properties, className: ["no-highlight"] }
  highlight.runSync(tree)
  plain.forEach((code, index) => (code.properties = { ...code.properties, className: classes[index] }))
}

/** A range of the text, and its replacement. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly file?: string
  readonly after: string
}

/** Replaces links by their labels where the file or note is not shared. */
const withheld = (tree: Root, text: string, targets: Targets): ReadonlyArray<Edit> =>
  linkPlaces(tree, text).flatMap(({ after, before, end, label, start, text: words, url }): ReadonlyArray<Edit> => {
    if (targets.find(url) !== undefined || !isWithheld(url)) return []
    if (words !== undefined) {
      return [{ start, end, before: escapedName(withoutSize(words) || notShared), after: "" }]
    }
    if (label === undefined) return [{ start, end, before: `${before}<>${after}`, after: "" }]
    const isEmpty = start === label + 1
    return [
      { start: label, end: label + 1, before: "", after: "" },
      { start, end, before: isEmpty ? notShared : "", after: "" }
    ]
  })

const cutAt = (text: string, edits: ReadonlyArray<Edit>): Cut => {
  const pieces: Array<string> = []
  const targets: Array<string> = []
  let piece = ""
  let at = 0
  for (const { after, before, end, file, start } of edits.toSorted((one, other) => one.start - other.start)) {
    piece += text.slice(at, start) + before
    if (file !== undefined) {
      pieces.push(piece)
      targets.push(file)
      piece = ""
    }
    piece += after
    at = end
  }
  return { pieces: [...pieces, piece + text.slice(at)], targets }
}

/**
 * Makes HTML, and Markdown with the addresses of files, from a note without front matter and comments. Whatever the note
 * contains, no script runs and nothing is requested from elsewhere. A note whose HTML would be too large is plain text.
 */
export const render = (note: NoteText): Rendered => {
  const { body, breaks, files, isForMembers, title } = note
  const most = maxBytes(body)
  const targets = new Targets(files ?? [])
  const shown = publicText(body)
  const { matter, text, tree } = shown
  if (isLargeMarkdown(tree, most)) return plainly(note)
  const links: Array<FileLink> = linksToFiles(tree, text, targets)
  const edits = withheld(tree, text, targets)
  convertNoteSyntax(tree, { source: text, targets, links, breaks, noteLinks: isForMembers })
  dropTitle(tree, title)
  const description = descriptionOf(tree)
  // Begins each placeholder: random, so that no note can contain it.
  const mark = crypto.randomUUID()
  if (isForMembers) referToLines(shown, body, mark)
  const html = toHtml.runSync(tree)
  const safe = sanitize.runSync(hasHtml(tree) ? readHtml.runSync(html) : html)
  const named: Array<string> = []
  finish(safe, {
    targets,
    noFile: files === undefined ? notHere : isForMembers ? notOfNote : notShared,
    placeholder: (target) => `${mark}${named.push(target) - 1}${mark}`,
    lineOf: (reference) => (reference.startsWith(mark) ? reference.slice(mark.length) : undefined),
    isForMembers
  })
  colour(safe)
  direct(safe, text)
  const placed = (value: string) =>
    value.startsWith(mark) ? addressBytes(named[Number(value.slice(mark.length, -mark.length))]!) : undefined
  if (isLargeHtml(safe, most, placed)) return plainly(note)
  const parts = stringify.stringify(safe).split(new RegExp(`${mark}(\\d+)${mark}`))
  return {
    html: {
      pieces: parts.filter((_, index) => index % 2 === 0),
      targets: parts.filter((_, index) => index % 2 === 1).map((index) => named[Number(index)]!)
    },
    markdown: cutAt(text, [...links, ...edits]),
    description,
    lang: langOf.exec(matter)?.[1] ?? scriptLanguage(description),
    isPlain: false
  }
}
