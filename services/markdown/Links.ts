import { linksToFiles } from "./FileLinks.ts"
import { frontMatter, parser } from "./Render.ts"
import type { FileLink, LinkedText } from "./Rendered.ts"
import { Targets } from "./Targets.ts"

const noteTarget = /^note:nt_[0-9A-Za-z_-]{16,40}(?:#.*)?$/s

/**
 * Where the links, images and definitions of a body lead to notes and to files (contract 5, "Links in a body"), in their
 * order. `file` is the id of the file, by whichever name it is linked, or the target of another kind as it is written.
 * What is code, or HTML, has no links.
 */
export const linksOf = ({ body, files }: LinkedText): ReadonlyArray<FileLink> => {
  const targets = new Targets(files.map((file) => ({ ...file, isImage: false })))
  const matter = frontMatter.exec(body)
  const moved = matter?.[0].length ?? 0
  const source = body.slice(moved)
  const find = (url: string) => {
    const file = targets.find(url)
    if (file !== undefined) return file
    // A file of another note; who asks knows whether there is one.
    return noteTarget.test(url) || url.startsWith("attachment:at_") ? { id: url } : undefined
  }
  return linksToFiles(parser.parse(source), source, { find })
    .toSorted((one, other) => one.start - other.start)
    .map((link) => ({ ...link, start: link.start + moved, end: link.end + moved }))
}
