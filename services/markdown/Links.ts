import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"
import { linksToFiles } from "./FileLinks.ts"
import { parser } from "./Parse.ts"
import { frontMatter } from "./PrivateParts.ts"
import type { FileLink, LinkedText } from "./Rendered.ts"
import { Targets } from "./Targets.ts"

const noteTarget = /^note:nt_[0-9A-Za-z_-]{16,40}(?:#.*)?$/s

const canonical = /\b(?:note:nt_|attachment:at_)/g

/** Without what GFM adds to CommonMark, which takes a third of the time. */
const plainParser = unified().use(remarkParse).freeze()
/** Where none of these is, GFM adds nothing: tables, strikethrough, tasks, footnotes, addresses that are links by themselves. */
const gfmSigns = /[|~@]|:-|-:|\[[\s^x]|www\.|https?:/i

/** Of outlines, which tell depth by white space: what is indented is no code. */
const outlineParser = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .data({ micromarkExtensions: [{ disable: { null: ["codeIndented"] } }] })
  .freeze()

/**
 * Where the links, images and definitions of a body lead to notes and to files (contract 5, "Links in a body"), in their
 * order. `file` is the id of the file, by whichever name it is linked, or the target of another kind as it is written.
 * What is code, or HTML, has no links; but where canonical ones are in what is indented, that is an outline.
 */
export const linksOf = ({ body, files }: LinkedText): ReadonlyArray<FileLink> => {
  const targets = new Targets(files.map((file) => ({ ...file, isImage: false })))
  const matter = frontMatter.exec(body)
  const moved = matter?.[0].length ?? 0
  const source = body.slice(moved)
  const find = (url: string) => {
    const file = targets.find(url)
    if (file !== undefined) return file
    // A file of another note, or a place in this one; who asks knows whether there is one.
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
