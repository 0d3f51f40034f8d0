import { stringify } from "yaml"
import type { FileLink, LinkedText } from "../markdown/Rendered.ts"
import { ahead, type ExportSource, groups, type NoteHead, type Output, type SourceNotebook } from "./ExportSource.ts"
import { Folder, relativePath, splitName } from "./FileNames.ts"

const attachmentsFolder = "_attachments"

/** Where the links of a body stand; undefined where that cannot be found out. */
export type FindLinks = (text: LinkedText) => Promise<ReadonlyArray<FileLink> | undefined>

interface Written {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
}

interface NamedFile {
  readonly id: string
  readonly filename: string
}

/** Whether a link in it may lead to a file or a note: most bodies need not be parsed. */
const mayLink = (body: string, hasFiles: boolean): boolean =>
  body.includes("note:nt_") || body.includes("attachment:at_") || (hasFiles && body.includes("]"))

/** What stands before the body. */
const frontMatter = ({ archived, created_at, id, pinned, tags, title, updated_at }: Written): string =>
  `---\n${stringify(
    { id, title, tags, created: created_at, updated: updated_at, archived, pinned },
    { lineWidth: 0, version: "1.2" }
  )}---\n`

/** The paths of all that is exported: names, and nothing else, of every note and file. */
class Paths {
  readonly notes = new Map<string, string>()
  readonly files = new Map<string, string>()
  readonly filesOfNote = new Map<string, Array<NamedFile>>()

  /** What a link leads to, as it stands in a file at `from`; undefined for what is not exported. */
  target(from: string, link: string): string | undefined {
    if (!link.startsWith("note:")) {
      const path = this.files.get(link.replace("attachment:", ""))
      return path === undefined ? undefined : relativePath(from, path)
    }
    const [id = "", ...heading] = link.slice("note:".length).split("#")
    const path = this.notes.get(id)
    if (path === undefined) return undefined
    return [relativePath(from, path), ...heading].join("#")
  }
}

/** The names in a notebook: those of its sub-notebooks first, then those of its notes, the oldest first. */
const nameNotes = async (source: ExportSource, notebook_id: string, folder: Folder, paths: Paths) => {
  const heads: Array<NoteHead> = []
  for await (const page of source.heads(notebook_id, false)) heads.push(...page)
  heads.sort((one, other) =>
    one.created_at === other.created_at ? (one.id < other.id ? -1 : 1) : one.created_at < other.created_at ? -1 : 1
  )
  for (const { id, title } of heads) paths.notes.set(id, folder.path + folder.file(title, ".md"))
}

const nameFiles = async (source: ExportSource, paths: Paths) => {
  const folder = new Folder(`${attachmentsFolder}/`)
  for await (const page of source.files()) {
    for (const { filename, id, note_id } of page) {
      const [name, extension] = splitName(filename)
      paths.files.set(id, folder.path + folder.file(name, extension))
      const others = paths.filesOfNote.get(note_id)
      if (others === undefined) paths.filesOfNote.set(note_id, [{ id, filename }])
      else others.push({ id, filename })
    }
  }
}

const nameAll = async (source: ExportSource): Promise<Paths> => {
  const paths = new Paths()
  const top = new Folder("", [attachmentsFolder])
  const folders = new Map<string, Folder>()
  const inside = Map.groupBy(source.notebooks, ({ parent_id }) => parent_id)
  const nameFolder = ({ id, level, name }: SourceNotebook, within: Folder) =>
    folders.set(id, new Folder(`${within.path}${within.folder(name, level)}/`))
  for (const notebook of source.notebooks) {
    if (notebook.level === 1) nameFolder(notebook, top)
    const folder = folders.get(notebook.id)!
    for (const child of inside.get(notebook.id) ?? []) nameFolder(child, folder)
    await nameNotes(source, notebook.id, folder, paths)
  }
  if (source.asked.include_attachments) await nameFiles(source, paths)
  return paths
}

/** A body whose links lead to the files of the export; all between them stays as it is. */
const relinked = (body: string, path: string, links: ReadonlyArray<FileLink>, paths: Paths): string => {
  let text = ""
  let at = 0
  for (const { after, before, end, file, start } of links) {
    const target = paths.target(path, file)
    // One inside of another, such as an image that is a link: the outer one begins behind it.
    if (target === undefined || start < at) continue
    text += body.slice(at, start) + before + target + after
    at = end
  }
  return text + body.slice(at)
}

/** Writes files as note apps read them: folders for notebooks, Markdown with front matter, and attachments beside them. */
export const exportMarkdown = async (
  source: ExportSource,
  { file, progress, zip }: Output,
  findLinks: FindLinks
): Promise<void> => {
  const paths = await nameAll(source)
  const total = Math.max(1, paths.notes.size)
  const columns = "n.title, n.body, n.tags, n.pinned, n.archived, n.created_at, n.updated_at"
  const nothing: ReadonlyArray<NamedFile> = []
  let done = 0

  async function* groupsOf(notebook_id: string) {
    for await (const page of source.heads(notebook_id, false)) yield* groups(page, ({ bytes }) => bytes)
  }
  for (const { id: notebook_id } of source.notebooks) {
    const read = (group: ReadonlyArray<NoteHead>) =>
      source.notes<Written>(
        columns,
        group.map(({ id }) => id)
      )
    for await (const group of ahead(groupsOf(notebook_id), read)) {
      for (const note of group) {
        const path = paths.notes.get(note.id)!
        const files = paths.filesOfNote.get(note.id) ?? nothing
        const links = mayLink(note.body, files.length > 0) ? await findLinks({ body: note.body, files }) : undefined
        const body = links === undefined ? note.body : relinked(note.body, path, links, paths)
        await zip.add(path, note.updated_at, frontMatter(note) + body)
      }
      done += group.length
      progress(done / total)
    }
  }
  if (!source.asked.include_attachments) return
  for await (const page of source.files()) {
    for (const { created_at, id, sha256, size } of page) {
      await zip.addStream(paths.files.get(id)!, created_at, file(sha256), size)
    }
  }
}
