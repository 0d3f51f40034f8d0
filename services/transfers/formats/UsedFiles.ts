import { createHash } from "node:crypto"
import type { Entry } from "./zip/ArchiveDirectory.ts"
import { contentOf, type EarlierNotes, type OwnFile, sourceKey } from "./EarlierNotes.ts"
import { Damaged, type FileItem, type FileUse, type Limits, problem } from "./Item.ts"
import { filenameOf, isImageName, notebookOf } from "./ItemNames.ts"
import { baseOf, folderOf, junk } from "./Paths.ts"
import type { Items } from "./NoteMaking.ts"
import type { Reading } from "./ReadOptions.ts"
import { escapedName } from "../../markdown/LinkText.ts"

/** Maximum number of files in a note that lists unused files. */
const listed = 1_000

/** The names of files for users, and access to their bytes. */
interface Called {
  readonly stream: (entry: Entry) => AsyncIterable<Uint8Array>
  readonly nameOf?: (name: string) => string
  /** The name of a folder's notebook. */
  readonly folderNameOf?: (name: string) => string
  readonly pathOf?: (entry: Entry) => string
}

/** Metadata of a file in the directory of an archive; its bytes are verified against it when they are read. */
const metadataOf = ({ path, place, size }: Entry): ReadonlyArray<unknown> => [baseOf(path), size, place.crc]

/** The content hash of a note with a text and the files that it uses. */
export const contentWith = (text: string, files: Iterable<Entry>): string =>
  contentOf(text, ...[...files].map(metadataOf))

/** The SHA-256 of a file; empty if it cannot be read, which is reported when the file is stored. */
export const hashOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const hash = createHash("sha256")
  try {
    for await (const chunk of chunks) hash.update(chunk)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return ""
  }
  return hash.digest("hex")
}

/** Which notes use which files of an archive; a file that several notes use is read once. */
export class UsedFiles {
  readonly #uses = new Map<Entry, Array<FileUse>>()
  readonly #remembered = new Map<string, ReadonlySet<Entry>>()
  /** Files of an export of this service, with their names. */
  readonly #exported = new Map<Entry, string>()
  readonly #limits: Limits
  readonly #earlier: EarlierNotes
  readonly #stream: (entry: Entry) => AsyncIterable<Uint8Array>
  readonly #nameOf: (name: string) => string
  readonly #folderNameOf: (name: string) => string
  readonly #pathOf: (entry: Entry) => string
  #count = 0
  #isFull = false

  constructor(
    { limits }: Reading,
    earlier: EarlierNotes,
    { folderNameOf = (name) => name, nameOf = (name) => name, pathOf = ({ path }) => path, stream }: Called
  ) {
    this.#limits = limits
    this.#earlier = earlier
    this.#stream = stream
    this.#nameOf = nameOf
    this.#folderNameOf = folderNameOf
    this.#pathOf = pathOf
  }

  /** LinkPlaceholders a file as part of an export of this service, with its own name or another one. */
  isExported(entry: Entry, name?: string): void {
    if (name !== undefined || !this.#exported.has(entry)) this.#exported.set(entry, name ?? baseOf(entry.path))
  }

  #filename(entry: Entry): string {
    return filenameOf(this.#exported.get(entry) ?? this.#nameOf(baseOf(entry.path)))
  }

  /** Records the files of a note that may be skipped. */
  remember(note: string, entries: ReadonlySet<Entry>): void {
    this.#remembered.set(note, entries)
  }

  /** LinkPlaceholders the files of a skipped note as used: the workspace has them with that note. */
  leaveOut(note: string): void {
    for (const entry of this.#remembered.get(note) ?? []) this.#mark(entry)
  }

  /** LinkPlaceholders a file as used, and returns its uses. */
  #mark(entry: Entry): Array<FileUse> {
    const known = this.#uses.get(entry) ?? []
    this.#uses.set(entry, known)
    return known
  }

  /** The files of a note, for the comparison with those of its earlier note. */
  filesOf(note: string, entries: Iterable<Entry>): ReadonlyArray<OwnFile> {
    return [...entries].map((entry) => ({
      key: `${note}///${entry.key}`,
      filename: this.#filename(entry),
      sha256: () => hashOf(this.#stream(entry))
    }))
  }

  /** Records the files that the links of one note use. */
  forNote(note: string): {
    readonly use: (entry: Entry) => string | undefined
    readonly keys: () => ReadonlyArray<string>
  } {
    const keys = new Map<Entry, string>()
    const note_id = this.#earlier.updatedBy(note)
    return {
      use: (entry) => {
        let key = keys.get(entry)
        if (key === undefined) {
          key = `${note}///${entry.key}`
          if (this.#earlier.hasFile(key)) this.#mark(entry)
          else if (this.#count >= this.#limits.uses) {
            this.#isFull = true
            return undefined
          } else {
            this.#count++
            this.#mark(entry).push({ key, note, ...(note_id === undefined ? {} : { note_id }) })
          }
          keys.set(entry, key)
        }
        return `attachment:${this.#earlier.file(key)}`
      },
      keys: () => [...keys.values()]
    }
  }

  /** Yields notes that list the unused files, and then all files. */
  async *items(files: ReadonlyArray<Entry>): Items {
    if (this.#isFull) {
      yield problem(
        "",
        "too_many_links",
        `Notes use files more than ${this.#limits.uses} times; later links stay as they are`
      )
    }
    yield* this.#lists(files.filter((entry) => !this.#uses.has(entry) && !junk.test(entry.path)))
    let last = 0
    for (const entry of files) {
      // Oldest files come first in an export, and must in the next one; archives store times in steps of 2 s.
      const isExported = this.#exported.has(entry) && entry.modified !== undefined
      if (isExported) last = Math.max(last + 1, Date.parse(entry.modified))
      const uses = this.#uses.get(entry)
      if (uses === undefined || uses.length === 0) continue
      yield {
        type: "file",
        path: this.#pathOf(entry),
        uses,
        filename: this.#filename(entry),
        size: entry.size,
        ...(isExported ? { created_at: new Date(last).toISOString() } : {}),
        open: () => this.#stream(entry)
      } satisfies FileItem
    }
  }

  async *#lists(unused: ReadonlyArray<Entry>): Items {
    const byFolder = Map.groupBy(unused, (entry) => folderOf(this.#pathOf(entry)))
    const lists = [...byFolder].flatMap(([folder, entries]) =>
      Array.from({ length: Math.ceil(entries.length / listed) }, (_, index) => {
        const key = `${folder}///files${index === 0 ? "" : index + 1}`
        const some = entries.slice(index * listed, (index + 1) * listed)
        const title = index === 0 ? "Files" : `Files ${index + 1}`
        return { key, folder, title, entries: some, source: sourceKey("files", key), content: contentWith("", some) }
      })
    )
    await this.#earlier.decide(lists, async ({ content }) => content)
    for (const { content, entries, folder, key, source, title } of lists) {
      if (this.#earlier.isSkipped(key)) {
        yield { type: "skipped", progress: 1 }
        continue
      }
      await this.#earlier.reuse(key, this.filesOf(key, entries))
      const files = this.forNote(key)
      const rows = entries.flatMap((entry) => {
        const url = files.use(entry)
        const name = this.#filename(entry)
        return url === undefined ? [] : [`- ${isImageName(name) ? "!" : ""}[${escapedName(name)}](${url})`]
      })
      if (rows.length === 0) continue
      // The time of its files: that of the import would put it before all notes in the lists.
      const updated_at = entries
        .flatMap(({ modified = [] }) => modified)
        .toSorted()
        .at(-1)
      yield {
        type: "note",
        key,
        ...(updated_at === undefined ? {} : { updated_at }),
        notebook: notebookOf(folder === "" ? [] : folder.split("/").map(this.#folderNameOf)),
        title,
        body: `${rows.join("\n")}\n`,
        original: { path: "", links: [] },
        tags: [],
        reminders: [],
        source: this.#earlier.sourceOf(key, source, content, files.keys()),
        files: files.keys(),
        progress: 1
      }
      yield problem(
        folder,
        "unused_files",
        `No note uses ${rows.length === 1 ? "1 file" : `${rows.length} files`} of this folder; the note "${title}" has them`
      )
    }
  }
}
