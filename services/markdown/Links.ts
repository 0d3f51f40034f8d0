import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { linksToFiles } from "./FileLinks.ts"
import { frontMatter } from "./PrivateParts.ts"
import type { FileLink, LinkedText } from "./Rendered.ts"
import { Targets } from "./Targets.ts"

const noteTarget = /^note:nt_[0-9A-Za-z_-]{16,40}(?:#.*)?$/s

const canonical = /\b(?:note:nt_|attachment:at_)/g

/** Without the extensions of GFM, which take a third of the time. */
const plainParser = unified().use(remarkParse).freeze()
/** Signs of GFM: tables, strikethrough, tasks, footnotes, bare URLs. Without any of them, GFM changes nothing. */
const gfmSigns = /[|~@]|:-|-:|\[[\s^x]|www\.|https?:/i

/** For outlines, which show depth by white space: indented text is no code. */
const outlineParser = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .data({ micromarkExtensions: [{ disable: { null: ["codeIndented"] } }] })
  .freeze()

/**
 * Returns the places where links, images and definitions of a body lead to notes and files, in order (contract 5,
 * "Links in a body"). `file` is the id of the file, whichever name the link uses, or the target of another kind as
 * written. Code and HTML have no links. But if indented code contains canonical links, the body is parsed as an
 * outline.
 */
export const linksOf = ({ body, files }: LinkedText): ReadonlyArray<FileLink> => {
  const targets = new Targets(files.map((file) => ({ ...file, isImage: false })))
  const matter = frontMatter.exec(body)
  const moved = matter?.[0].length ?? 0
  const source = body.slice(moved)
  const find = (url: string) => {
    const file = targets.find(url)
    if (file !== undefined) return file
    // A file of another note, or a place in this one. The caller checks whether it exists.
    return noteTarget.test(url) || url.startsWith("attachment:at_") || url.startsWith("#") ? { id: url } : undefined
  }
  const tree = (gfmSigns.test(source) ? parser : plainParser).parse(source)
  const found = linksToFiles(tree, source, { find })
  const isFound = (at: number) => found.some(({ end, start }) => start <= at && at < end)
  const isOutline = [...source.matchAll(canonical)].some(({ index }) => !isFound(index))
  if (isOutline) {
    const isCanonical = (url: string) => noteTarget.test(url) || url.startsWith("attachment:at_")
    const all = linksToFiles(outlineParser.parse(source), source, {
      find: (url) => (isCanonical(url) ? find(url) : undefined)
    })
    found.push(...all.filter(({ end, start }) => !found.some((each) => start < each.end && each.start < end)))
  }
  return found
    .toSorted((one, other) => one.start - other.start)
    .map((link) => ({ ...link, start: link.start + moved, end: link.end + moved }))
}

/** Parses Markdown of notes: CommonMark and GFM. */
export const parser = unified().use(remarkParse).use(remarkGfm).freeze()
