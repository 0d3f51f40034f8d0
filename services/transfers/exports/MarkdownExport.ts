import type { FileLink, LinkedText } from "../../markdown/Rendered.ts"
import type { ListedFile } from "../formats/Converted.ts"
import { type ExportPaths, type NamedFile, namePaths } from "./ExportPaths.ts"
import { withFileNames } from "./NamedLinks.ts"
import type { NoteHead, WrittenNote } from "./ExportRows.ts"
import type { ExportSource, Output } from "./ExportSource.ts"
import { writeFiles } from "./ExportFiles.ts"
import { ahead, groups } from "./NoteGroups.ts"
import { missingFilesName, plainPath } from "../formats/FileNames.ts"
import { OriginalLinks } from "../formats/markdown/OriginalLinks.ts"
import { fileOf } from "../formats/markdown/OwnFrontMatter.ts"
import { baseOf } from "../formats/Paths.ts"
import { pack } from "../formats/zip/ZipWriter.ts"

/** Returns the positions of the links in bodies; undefined for a body that cannot be parsed within the limits. */
export type FindLinks = (
  texts: ReadonlyArray<LinkedText>
) => Promise<ReadonlyArray<ReadonlyArray<FileLink> | undefined>>

/** Whether a note may contain links to files or notes. Most bodies need not be parsed. */
const mayLink = ({ body, original_links }: WrittenNote, hasFiles: boolean): boolean =>
  (original_links !== null && original_links.length > 0) ||
  body.includes("note:nt_") ||
  body.includes("attachment:at_") ||
  (hasFiles && body.includes("]"))

/**
 * Returns a body whose links lead to the files of the export, by the original text of a link or by a path. The rest of
 * the body is unchanged. `linked` has the paths of the files that the body links to.
 */
const relinked = ({ body, id, original_links }: WrittenNote, found: ReadonlyArray<FileLink>, paths: ExportPaths) => {
  const linked = new Set<string>()
  const path = paths.notes.get(id)!
  const originals = new OriginalLinks(original_links ?? [])
  const links = [...found, ...originals.inHtml(body)].sort((one, other) => one.start - other.start)
  const were = originals.in(body, links)
  let text = ""
  let at = 0
  for (const link of links) {
    const { after, before, end, file, start } = link
    // A nested link, such as an image in a link. The place of the outer link is after that of the inner one.
    if (start < at) continue
    const original = were.get(link)
    if (original !== undefined && original.start >= at && paths.leads(id, file, original.was)) {
      text += body.slice(at, original.start) + original.was
    } else {
      const target = paths.target(path, file)
      if (target === undefined) continue
      text += body.slice(at, start) + before + target + after
    }
    at = end
    const target = paths.files.get(file.replace("attachment:", ""))
    if (target !== undefined) linked.add(target)
  }
  return { body: text + body.slice(at), linked }
}

/** Returns the files of a note that its text does not link to or that have another name in the export. */
const listedOf = (note: string, files: ReadonlyArray<NamedFile>, linked: ReadonlySet<string>, paths: ExportPaths) => {
  const listed = new Map<string, ListedFile>()
  for (const { filename, id } of files) {
    const target = paths.files.get(id)!
    const isNamed = baseOf(target) === filename
    if (isNamed && linked.has(target)) continue
    listed.set(target, { path: plainPath(note, target), ...(isNamed ? {} : { name: filename }) })
  }
  // The order does not depend on ids, which may change in an import.
  return [...listed.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** Writes a Markdown export: notebooks as folders, notes with front matter, and a folder of attachments. */
export const exportMarkdown = async (source: ExportSource, output: Output, findLinks: FindLinks): Promise<void> => {
  const { progress, zip } = output
  const paths = await namePaths(source)
  const total = Math.max(1, paths.notes.size)
  const nothing: ReadonlyArray<NamedFile> = []
  let done = 0

  async function* groupsOf(notebook_id: string) {
    for await (const page of source.heads(notebook_id)) yield* groups(page, ({ bytes }) => bytes)
  }
  const ready = async (group: ReadonlyArray<NoteHead>) => {
    const written = await source.writtenNotes(group.map(({ id }) => id))
    const notes = written.map((note) => ({ ...note, body: withFileNames(note, paths) }))
    const filesOf = ({ id }: WrittenNote) => paths.filesOfNote.get(id) ?? nothing
    const linking = notes.filter((note) => mayLink(note, filesOf(note).length > 0))
    const found = await findLinks(linking.map((note) => ({ body: note.body, files: filesOf(note) })))
    const links = new Map(linking.map((note, index) => [note, found[index]]))
    return notes.map((note) => {
      const own = links.get(note)
      const path = paths.notes.get(note.id)!
      const { body, linked } =
        own === undefined ? { body: note.body, linked: new Set<string>() } : relinked(note, own, paths)
      const listed = listedOf(path, filesOf(note), linked, paths)
      return { path, time: note.updated_at, content: pack(fileOf(note, body, listed)) }
    })
  }
  for (const { id: notebook_id } of source.notebooks) {
    for await (const files of ahead(groupsOf(notebook_id), ready)) {
      for (const { content, path, time } of files) await zip.add(path, time, content)
      done += files.length
      progress(done / total)
    }
  }
  if (!source.parameters.include_attachments) return
  const { missing } = await writeFiles(source.files(), output, ({ id }) => paths.files.get(id)!)
  if (missing.length === 0) return
  const lines = missing.map(({ filename, id, note_id, reason }) =>
    [paths.files.get(id)!, reason, `${filename} of ${paths.notes.get(note_id)!}`].join("\t")
  )
  const notice = "These files are not in this export, because their bytes are missing or damaged:"
  await zip.add(missingFilesName, source.workspace.created_at, pack(`${notice}\n\n${lines.join("\n")}\n`))
}
