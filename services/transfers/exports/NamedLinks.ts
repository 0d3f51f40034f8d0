import { placeById } from "../../markdown/LinkedPlace.ts"
import { noteEnding } from "../../markdown/LinkText.ts"
import { quoteAt, readQuoted } from "../../markdown/syntax/QuotedText.ts"
import { readdressed, retargeted } from "../../markdown/contents/LinkRewriting.ts"
import { fragmentOf } from "../formats/Converted.ts"
import { writtenTarget } from "../formats/markdown/OriginalLinks.ts"
import { baseOf } from "../formats/Paths.ts"
import type { ExportPaths } from "./ExportPaths.ts"
import type { WrittenNote } from "./ExportRows.ts"
import type { NoteLink } from "./NoteLink.ts"

/** The text of a link that leads to its note in other programs; undefined if the link does so as it is, or cannot. */
const replacedBy = (
  link: NoteLink,
  text: string,
  { body, id, original_links }: WrittenNote,
  paths: ExportPaths
): string | undefined => {
  const [from, to] = [paths.notes.get(id)!, paths.notes.get(link.to)]
  const isWiki = /^!?\[\[/.test(text)
  // The address is that of the note, which is replaced as any other one.
  if (!isWiki && placeById(link.target) !== undefined) return undefined
  if (to === undefined || paths.finds(from, isWiki ? "wiki" : "path", link.target, link.to)) return undefined
  const place = link.anchor === "" ? "" : link.target.slice(link.target.lastIndexOf("#") + 1)
  if (link.kind !== "property") {
    return readdressed(text, {
      address: () => paths.target(from, `note:${link.to}${fragmentOf(place)}`)!,
      words: link.target
    })
  }
  const quote = quoteAt(body, link.start)
  // An import has changed it.
  const was = original_links?.find(({ now }) => now === text)?.was
  const written = was === undefined ? undefined : writtenTarget(was)
  if (written !== undefined && paths.finds(from, "wiki", readQuoted(written.target, quote), link.to)) return was
  const whole = to.replace(noteEnding, "")
  const path = [baseOf(whole), whole].find((each) => paths.finds(from, "wiki", each, link.to))
  return path === undefined ? undefined : retargeted(text, path, place === "" ? "" : `#${place}`, quote)
}

/** The body of a note, in which links by names lead to the files of an export where they would lead elsewhere. */
export const withFileNames = (note: WrittenNote, paths: ExportPaths): string => {
  let [made, at] = ["", 0]
  for (const link of note.note_links ?? []) {
    const { end, start } = link
    // A link in the label of another one.
    if (start < at) continue
    const text = replacedBy(link, note.body.slice(start, end), note, paths)
    if (text === undefined) continue
    made += note.body.slice(at, start) + text
    at = end
  }
  return made + note.body.slice(at)
}
