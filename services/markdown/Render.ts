import type { Nodes, Root } from "mdast"
import rehypeRaw from "rehype-raw"
import rehypeSanitize from "rehype-sanitize"
import rehypeStringify from "rehype-stringify"
import remarkRehype from "remark-rehype"
import { unified } from "unified"
import * as Ids from "../Ids.ts"
import { linksToFiles } from "./FileLinks.ts"
import { frontMatter, parser } from "./Parse.ts"
import { type NoteText, type Rendered, shortened } from "./Rendered.ts"
import { allowed, finish } from "./SafeTree.ts"
import { Targets } from "./Targets.ts"
import { understand } from "./WikiLinks.ts"

const toHtml = unified().use(remarkRehype, { allowDangerousHtml: true }).freeze()
/** What is written as HTML is read as HTML, so that it is sanitised as what it is, and not shown as text. */
const readHtml = unified().use(rehypeRaw).freeze()
const sanitize = unified().use(rehypeSanitize, allowed).freeze()
const stringify = unified().use(rehypeStringify).freeze()

const langOf = /^(?:lang|language|locale):[ \t]*["']?([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3})["']?[ \t]*$/m

const isBlock = ({ type }: Nodes): boolean => type === "list" || type === "listItem" || type === "blockquote"

const plainText = (node: Nodes): string =>
  node.type === "text" || node.type === "inlineCode"
    ? node.value
    : node.type === "break"
      ? " "
      : "children" in node
        ? node.children.map(plainText).join(isBlock(node) ? " " : "")
        : ""

const longestDescription = 200

const descriptionOf = (tree: Root): string => {
  let text = ""
  for (const node of tree.children) {
    if (node.type !== "paragraph" && node.type !== "list" && node.type !== "blockquote") continue
    text += ` ${plainText(node).slice(0, 2 * longestDescription)}`
    if (text.trim().length > longestDescription) break
  }
  return shortened(text, longestDescription)
}

const hasHtml = (node: Nodes): boolean =>
  node.type === "html" || ("children" in node && node.children.some((child) => hasHtml(child)))

/** A first heading that says the title again: the page has it already. */
const dropTitle = (tree: Root, title: string): void => {
  const [first] = tree.children
  if (first?.type === "heading" && first.depth === 1 && plainText(first).trim() === title.trim()) tree.children.shift()
}

/** Makes HTML of Markdown: whatever is written there, nothing of it runs, and nothing is asked of elsewhere. */
export const render = ({ body, files, title }: NoteText): Rendered => {
  const targets = new Targets(files)
  const matter = frontMatter.exec(body)
  const source = matter === null ? body : body.slice(matter[0].length)
  const tree = parser.parse(source)
  const links = linksToFiles(tree, source, targets)
  understand(tree, source, targets, links)
  dropTitle(tree, title)
  const description = descriptionOf(tree)
  const html = toHtml.runSync(tree)
  const safe = sanitize.runSync(hasHtml(tree) ? readHtml.runSync(html) : html)
  // Nobody can have written it: it stands for addresses.
  const mark = Ids.random(24)
  const named: Array<string> = []
  finish(safe, targets, (file) => `${mark}${named.push(file) - 1}${mark}`)
  const parts = stringify.stringify(safe).split(new RegExp(`${mark}(\\d+)${mark}`))
  const moved = matter?.[0].length ?? 0
  return {
    pieces: parts.filter((_, index) => index % 2 === 0),
    files: parts.filter((_, index) => index % 2 === 1).map((index) => named[Number(index)]!),
    links: links
      .toSorted((one, other) => one.start - other.start)
      .map((link) => ({ ...link, start: link.start + moved, end: link.end + moved })),
    description,
    lang: langOf.exec(matter?.[1] ?? "")?.[1] ?? null
  }
}
