import { decoded, noteEnding } from "../../markdown/LinkText.ts"
import { fragmentOf } from "../formats/Converted.ts"
import type { NamedNote, SourceNotebook } from "./ExportRows.ts"
import type { ExportSource } from "./ExportSource.ts"
import { attachmentsFolder, Folder, relativePath, splitName } from "../formats/FileNames.ts"
import { notebookOf, stemOf, titleOf } from "../formats/ItemNames.ts"
import { journalOf, journalPath, pageOf } from "../formats/markdown/MarkdownEntries.ts"
import { targetOf } from "../formats/markdown/MarkdownReader.ts"
import { writtenTarget } from "../formats/markdown/OriginalLinks.ts"
import { baseOf, folderOf, Paths, resolved } from "../formats/Paths.ts"

export interface NamedFile {
  readonly id: string
  readonly filename: string
}

/** The target of a link, as an import of the export would find it. */
type Found = { readonly note: string } | { readonly file: string }

/** The paths of all exported notes and files. It holds only their names. */
export class ExportPaths {
  readonly notes = new Map<string, string>()
  readonly files = new Map<string, string>()
  readonly filesOfNote = new Map<string, Array<NamedFile>>()
  /** The folder of their import, by the ids of imported notes that are exported to their original path in it. */
  readonly kept = new Map<string, string>()
  /** Further names of notes that are exported to their original path. */
  readonly called: Array<{ readonly id: string; readonly name: string }> = []
  #tree: Paths<Found> | undefined

  /** Returns the address of the target of a link for the file at `from`; undefined if the target is not exported. */
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

  /**
   * Whether other programs find the file of a note by a name or path, from the file at `from`. They do not read titles.
   */
  finds(from: string, kind: "wiki" | "path", target: string, note: string): boolean {
    const paths = this.#searched()
    const found = (kind === "wiki" ? paths.wiki(target, from, false) : paths.path(target, from))?.found
    return found !== undefined && "note" in found && found.note === note
  }

  /** Whether the original text of a link (`was`) leads to the current target of the link. */
  leads(note_id: string, link: string, was: string): boolean {
    // A link to a heading of the same note.
    if (link.startsWith("#")) return true
    const written = writtenTarget(was)
    const from = this.notes.get(note_id)
    if (written === undefined || from === undefined) return false
    const target = targetOf(this.#searched(), written, from)
    if (target === undefined) return false
    const { found, heading } = target
    const isIt =
      "note" in found
        ? link === `note:${found.note}${fragmentOf(heading)}`
        : found.file === this.files.get(link.replace("attachment:", ""))
    if (!isIt || written.kind === "wiki" || written.target.startsWith("[[")) return isIt
    // Note apps find a file by its name alone. Other programs need the exact path, or an unchanged relative position.
    const path = "note" in found ? this.notes.get(found.note)! : found.file
    const [address = ""] = written.target.split(/[?#]/, 1)
    const place = resolved(folderOf(from), decoded(address))
    if (place === path || place === path.replace(noteEnding, "")) return true
    const folder = "note" in found ? this.kept.get(found.note) : undefined
    return folder !== undefined && folder === this.kept.get(note_id)
  }

  /** The paths in the form in which an import searches them. They are only needed for imported notes. */
  #searched(): Paths<Found> {
    if (this.#tree !== undefined) return this.#tree
    const tree = new Paths<Found>()
    for (const [note, path] of this.notes) tree.add(path, { note }, noteEnding.exec(path)?.[0])
    for (const file of new Set(this.files.values())) tree.add(file, { file })
    for (const { id, name } of this.called) tree.addName(name, { note: id })
    this.#tree = tree
    return tree
  }
}

/** Returns the title that an import makes from a file name, and other names that links may use. */
const namesOf = (path: string): ReadonlyArray<string> => {
  const stem = stemOf(baseOf(path))
  return [stem, pageOf(stem), ...(journalPath.test(path) ? (journalOf(stem)?.names ?? []) : [])]
}

/** Whether the path of notebooks of a note ends like the path of folders that it was imported from. */
const isInFolders = (notebooks: ReadonlyArray<string>, original: string): boolean => {
  const folder = folderOf(original)
  const were = folder === "" ? [] : notebookOf(folder.split("/"))
  const common = Math.min(were.length, notebooks.length)
  return were.slice(were.length - common).join("\n") === notebooks.slice(notebooks.length - common).join("\n")
}

class Naming {
  readonly paths = new ExportPaths()
  readonly #source: ExportSource
  readonly #top = new Folder("", [attachmentsFolder])
  readonly #folders = new Map<string, Folder>()
  /** The names of the notebooks from the top, by the id of the last one. */
  readonly #chains = new Map<string, ReadonlyArray<string>>()

  constructor(source: ExportSource) {
    this.#source = source
  }

  async all(): Promise<ExportPaths> {
    const inside = Map.groupBy(this.#source.notebooks, ({ parent_id }) => parent_id)
    for (const notebook of this.#source.notebooks) if (notebook.level === 1) this.#folder(notebook, this.#top, [])
    for (const notebook of this.#source.notebooks) {
      const folder = this.#folders.get(notebook.id)!
      const chain = this.#chains.get(notebook.id)!
      for (const child of inside.get(notebook.id) ?? []) this.#folder(child, folder, chain)
      await this.#notes(notebook.id, folder, chain)
    }
    if (this.#source.parameters.include_attachments) await this.#files()
    return this.paths
  }

  #folder({ id, level, name }: SourceNotebook, within: Folder, chain: ReadonlyArray<string>): void {
    this.#folders.set(id, new Folder(`${within.path}${within.folder(name, level)}/`))
    this.#chains.set(id, [...chain, name])
  }

  /** Names the notes of a notebook, the oldest first. Its sub-notebooks have their names already. */
  async #notes(notebook_id: string, folder: Folder, chain: ReadonlyArray<string>): Promise<void> {
    for await (const page of this.#source.named(notebook_id)) {
      for (const note of page) {
        this.paths.notes.set(
          note.id,
          this.#original(note, folder, chain) ?? folder.path + folder.file(note.title, ".md")
        )
      }
    }
  }

  /** The original path of an imported note, if its title and its notebook have not changed. */
  #original(
    { first_title, id, original, title }: NamedNote,
    folder: Folder,
    chain: ReadonlyArray<string>
  ): string | undefined {
    if (original === null || !noteEnding.test(original)) return undefined
    const names = namesOf(original)
    if (title !== first_title && !names.some((name) => titleOf(name) === title)) return undefined
    if (!isInFolders(chain, original)) return undefined
    // Notes without a folder were imported into the Inbox.
    const isAtTop =
      !original.includes("/") &&
      this.#source.parameters.scope === "workspace" &&
      chain.length === 1 &&
      chain[0] === "Inbox"
    const place = isAtTop ? this.#top : folder
    const name = baseOf(original).normalize("NFC")
    if (!place.take(name)) return undefined
    const path = place.path + name
    const were = original.normalize("NFC")
    if (path.endsWith(were)) this.paths.kept.set(id, path.slice(0, -were.length))
    for (const each of new Set([title, ...names])) this.paths.called.push({ id, name: each })
    return path
  }

  /** Names the files. Attachments with the same name and the same bytes are one file. */
  async #files(): Promise<void> {
    const folder = new Folder(`${attachmentsFolder}/`)
    const { files, filesOfNote } = this.paths
    const known = new Map<string, string>()
    for await (const page of this.#source.files()) {
      for (const { filename, id, note_id, sha256 } of page) {
        const content = `${sha256} ${filename}`
        let path = known.get(content)
        if (path === undefined) {
          const [name, extension] = splitName(filename)
          path = folder.path + folder.file(name, extension)
          known.set(content, path)
        }
        files.set(id, path)
        const others = filesOfNote.get(note_id)
        if (others === undefined) filesOfNote.set(note_id, [{ id, filename }])
        else others.push({ id, filename })
      }
    }
  }
}

export const namePaths = (source: ExportSource): Promise<ExportPaths> => new Naming(source).all()
