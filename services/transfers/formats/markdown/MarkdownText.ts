import type { Nodes as HtmlNodes } from "hast"
import type { Nodes, Root } from "mdast"
import rehypeParse from "rehype-parse"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { linkPlaces } from "../../../markdown/FileLinks.ts"
import { escapedLabel, escapedName } from "../../../markdown/LinkText.ts"
import { quoteAt, readQuoted } from "../../../markdown/syntax/QuotedText.ts"
import { inlineTagsOf } from "../../../markdown/syntax/InlineTags.ts"
import type { Converted, Link } from "../Converted.ts"
import { frontMatterOf } from "./FrontMatter.ts"
import { isImageName } from "../ItemNames.ts"
import { convertLogseq, namesOf } from "../logseq/Logseq.ts"
import { partsOf } from "./OwnFrontMatter.ts"
import type { Clock } from "../WrittenTime.ts"

/** Converts a note that is Markdown already: only its links and its front matter change. */

const parser = unified().use(remarkParse).use(remarkGfm).freeze()
/** For outlines, where white space indicates depth and never code. */
const outlineParser = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .data({ micromarkExtensions: [{ disable: { null: ["codeIndented"] } }] })
  .freeze()
const htmlParser = unified().use(rehypeParse, { fragment: true, verbose: true }).freeze()

type Range = readonly [start: number, end: number]
interface PlacedLink extends Link {
  readonly start: number
  readonly end: number
}

/** Whether it may lead to a file of the archive: not to another site, or to a place in the note itself. */
const isWithin = (url: string): boolean =>
  url !== "" && !url.startsWith("#") && !url.startsWith("//") && !/^[a-z][a-z0-9+.-]*:/i.test(url)

const mayHaveLinks = /\]\(|\[\[|\]:|<[a-z]/i
const mayHaveTags = /(?:^|[\s(])#[^\s#]/

const htmlAddresses: Readonly<Record<string, string>> = {
  a: "href",
  audio: "src",
  embed: "src",
  iframe: "src",
  img: "src",
  source: "src",
  video: "src"
}

/** Adds the addresses in the HTML of a text. */
const htmlLinks = (html: string, at: number, links: Array<PlacedLink>): void => {
  const visit = (node: HtmlNodes): void => {
    if (node.type === "element") {
      const name = htmlAddresses[node.tagName]
      const value = name === undefined ? undefined : node.properties[name]
      const place = name === undefined ? undefined : node.data?.position?.properties?.[name]
      const start = place?.start.offset
      const end = place?.end.offset
      if (typeof value === "string" && isWithin(value) && start !== undefined && end !== undefined) {
        const link = {
          target: value,
          kind: "path",
          was: html.slice(start, end),
          before: `${name}="`,
          after: '"'
        } as const
        links.push({ ...link, isEmbed: node.tagName !== "a", start: at + start, end: at + end })
      }
    }
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(htmlParser.parse(html))
}

const wikiLink = /(?<!\\)(#?)(!?)\[\[([^[\]\n]{1,500})\]\]/g
const size = /^\d{1,4}(?:x\d{1,4})?$/

/** The link for a wiki link, before its address is known. */
const wikiOf = (match: RegExpMatchArray, start: number): PlacedLink => {
  const [was, hash = "", mark, inner = ""] = match
  // In a table, the bar is escaped.
  const [bar, parts] = inner.includes("\\|") ? ["\\|", inner.split("\\|")] : ["|", inner.split("|")]
  const target = (parts[0] ?? "").trim()
  const labels = parts.slice(1).map((part) => part.trim())
  const isEmbed = mark === "!"
  const [path = "", ...headings] = target.split("#")
  const name = path.trim() === "" ? (headings.at(-1) ?? "") : target.replaceAll("#", " › ")
  const isImage = isEmbed && isImageName(path)
  const isSized = isImage && size.test(labels.at(-1) ?? "")
  const words = (isSized ? labels.slice(0, -1) : labels).join(bar)
  // The words of a link are Markdown, and a name is none.
  const label = words === "" ? hash + escapedName(name) : escapedLabel(words).replaceAll("\\\\|", "\\|")
  const before = `${isEmbed ? "!" : ""}[${label}${isSized ? bar + labels.at(-1)! : ""}](`
  return { target, kind: "wiki", was, before, after: ")", isEmbed, start, end: start + was.length }
}

/** A link whose address has blanks: text in CommonMark, but a link in many programs. */
const spacedLink = /(?<![\\!])(!?\[(?:[^[\]\n\\]|\\[^\n]){0,500}\]\()((?:[^\n()<>"]|\([^\n()<>"]{0,200}\)){1,500})\)/g

/** `#two words#`, as Bear writes tags with blanks: the last sign follows a word, but not as in `C#`. */
const wordsTag = /(?<=^|[\s(])#([^\s#](?:[^#\n]{0,98}[^\s#])?)(?<![\s(][A-Z])#(?=$|[\s.,;:!?)])/gmu

/** The tags in a part of a text outside of code and links. */
const tagsIn = (text: string): ReadonlyArray<string> => {
  const tags: Array<string> = []
  const rest = text.replaceAll(wordsTag, (whole, tag: string) => {
    if (!/\s/.test(tag)) return whole
    tags.push(tag)
    return ""
  })
  return [...tags, ...inlineTagsOf(rest)]
}

const opaque = new Set(["code", "definition", "html", "image", "imageReference", "inlineCode", "link"])

const placesIn = (source: string, isOutline: boolean) => {
  const hidden: Array<Range> = []
  const links: Array<PlacedLink> = []
  const tags: Array<string> = []
  const tree: Root = (isOutline ? outlineParser : parser).parse(source)
  const visit = (node: Nodes): void => {
    const start = node.position?.start.offset
    const end = node.position?.end.offset
    if (start !== undefined && end !== undefined) {
      if (opaque.has(node.type)) hidden.push([start, end])
      if (node.type === "html") htmlLinks(source.slice(start, end), start, links)
      if (node.type === "text") tags.push(...tagsIn(source.slice(start, end)))
    }
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(tree)
  for (const { after, before, end, isImage, start, url } of linkPlaces(tree, source)) {
    if (!isWithin(url)) continue
    links.push({
      target: url,
      kind: "path",
      was: source.slice(start, end),
      before,
      after,
      isEmbed: isImage,
      start,
      end
    })
  }
  hidden.sort((a, b) => a[0] - b[0])
  let next = 0
  for (const match of source.matchAll(wikiLink)) {
    const end = match.index + match[0].length
    while (next < hidden.length && hidden[next]![1] <= match.index) next++
    // A link in code, or in the label of another link, stays text; its own label may contain code.
    const over = hidden[next]
    if (over !== undefined && over[0] < end && (over[0] < match.index || over[1] > end)) continue
    const link = wikiOf(match, match.index)
    links.push(link)
    if (match[1] === "#") tags.push(link.target)
  }
  next = 0
  for (const match of source.matchAll(spacedLink)) {
    const [was, before = "", target = ""] = match
    const { index: start } = match
    const end = start + was.length
    while (next < hidden.length && hidden[next]![1] <= start) next++
    const over = hidden[next]
    if ((over !== undefined && over[0] < end) || !/\S[ \t]+\S/.test(target) || !isWithin(target)) continue
    links.push({ target, kind: "file", was, before, after: ")", isEmbed: before.startsWith("!"), start, end })
  }
  links.sort((a, b) => a.start - b.start || b.end - a.end)
  return { links, tags }
}

/** Properties of a Logseq page: lines `key:: value` before its text. */
const property = /^(?:[-*] )?([\w-]+):: *(.*)$/
const logseqHead = (text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const row of text.slice(0, 16_384).split("\n")) {
    const [, key, value = ""] = property.exec(row.trimEnd()) ?? []
    if (key === undefined) break
    found.set(key.toLowerCase(), value.trim())
  }
  return found
}

/** Whether a text has the front matter of an export of this service. */
export const isOwn = (text: string, clock: Clock): boolean =>
  partsOf(text) !== undefined || (text.startsWith("---") && frontMatterOf(text, clock).own !== undefined)

/** Other names of a note. They are read from all notes before any link is resolved. */
export const namesIn = (
  text: string,
  clock: Clock
): { readonly title?: string; readonly aliases: ReadonlyArray<string> } => {
  if (/^(?:---|\+\+\+)/.test(text)) {
    const { aliases, title } = frontMatterOf(partsOf(text)?.own ?? text, clock)
    return { aliases, ...(title === undefined ? {} : { title }) }
  }
  const head = logseqHead(text)
  const title = head.get("title")
  return { aliases: namesOf(head.get("alias") ?? ""), ...(title ? { title } : {}) }
}

const propertyLink = /\[\[([^[\]\n|#]{1,500})((?:#[^[\]\n|]{0,500})?(?:\|[^[\]\n]{0,500})?\]\])/g

/** The links in front matter. */
const propertyLinks = (matter: string): ReadonlyArray<PlacedLink> =>
  [...matter.matchAll(propertyLink)].map(({ 0: was, 1: target = "", 2: after = "", index: start }) => ({
    target: readQuoted(target.trim(), quoteAt(matter, start)),
    kind: "property",
    was,
    before: "[[",
    after,
    isEmbed: false,
    start,
    end: start + was.length
  }))

/** Splits a text at its links, after the front matter `head`. */
export const cutAtLinks = (
  source: string,
  head: string,
  isOutline = false
): Pick<Converted, "pieces" | "links" | "tags"> => {
  const found =
    mayHaveLinks.test(source) || mayHaveTags.test(source) ? placesIn(source, isOutline) : { links: [], tags: [] }
  const text = head + source
  const inText = found.links.map((link) => ({ ...link, start: link.start + head.length, end: link.end + head.length }))
  const pieces: Array<string> = []
  const links: Array<Link> = []
  let at = 0
  for (const { end, start, ...link } of [...propertyLinks(head), ...inText]) {
    // Only the outer one of nested links is converted.
    if (start < at) continue
    pieces.push(text.slice(at, start))
    links.push(link)
    at = end
  }
  pieces.push(text.slice(at))
  return { pieces, links, tags: found.tags }
}

const outlineRow = /^(?:\t| {4,})[-*] /m

/**
 * Splits a Markdown text at its links, and removes from its front matter what a note has members for. A Logseq page is
 * first converted to plain Markdown; `blocks` has the words of the blocks that it refers to.
 */
export const convertMarkdown = (source: string, clock: Clock, blocks?: ReadonlyMap<string, string>): Converted => {
  const parts = partsOf(source)
  // An export of this service is plain Markdown, even in the folders of a Logseq graph.
  if (blocks !== undefined && parts === undefined) {
    const { end } = frontMatterOf(source, clock)
    const page = convertLogseq(source.slice(end), blocks, end > 0, clock)
    const { problems, ...text } = convertMarkdown(source.slice(0, end) + page.text, clock)
    return { ...text, problems: [...page.problems, ...problems], remind_at: page.remind_at }
  }
  const matter = frontMatterOf(parts?.own ?? source, clock)
  const body = parts?.rest ?? source.slice(matter.end)
  const problems = matter.notRead
  // Nothing else marks an exported outline.
  const isOwnOutline = matter.own !== undefined && outlineRow.test(body)
  const cut = cutAtLinks(body, matter.rest + (parts?.properties ?? ""), isOwnOutline)
  if (matter.own !== undefined) {
    const { created_at, own, tags, title, updated_at } = matter
    // Further tags in the text are not tags of the note.
    return {
      ...cut,
      ...own,
      tags,
      areOwnTags: true,
      files: parts?.files ?? matter.files ?? [],
      ...(title === undefined ? {} : { title }),
      ...(created_at === undefined ? {} : { created_at }),
      ...(updated_at === undefined ? {} : { updated_at }),
      problems
    }
  }
  const head = logseqHead(body)
  const title = matter.title ?? head.get("title")
  return {
    ...cut,
    ...(title ? { title } : {}),
    tags: [...matter.tags, ...namesOf(head.get("tags") ?? ""), ...cut.tags],
    ...(matter.created_at === undefined ? {} : { created_at: matter.created_at }),
    ...(matter.updated_at === undefined ? {} : { updated_at: matter.updated_at }),
    problems
  }
}
