import type { Entry } from "./ArchiveDirectory.ts"
import { type FileItem, type Limits, type NoteItem, problem } from "./Item.ts"
import { filenameOf, isImageName, notebookOf } from "./ItemNames.ts"
import type { Items } from "./NoteMaking.ts"
import type { Reading } from "./Options.ts"
import { baseOf, folderOf } from "./Paths.ts"
import { escapedLabel } from "../markdown/WikiLinks.ts"

/** Files of one note that lists those which no note uses. */
const listed = 1_000

/** How files are called for their users. */
interface Called {
  readonly nameOf: (name: string) => string
  readonly pathOf: (entry: Entry) => string
}
const asTheyAre: Called = { nameOf: (name) => name, pathOf: ({ path }) => path }

/** Which notes use which files of an archive; a file that is used by several is read once. */
export class UsedFiles {
  private readonly uses = new Map<Entry, Array<FileItem["uses"][number]>>()
  private readonly limits: Limits
  private readonly names: Reading["names"]
  private count = 0
  private isFull = false

  constructor({ limits, names }: Reading) {
    this.limits = limits
    this.names = names
  }

  /** What links of one note lead to. */
  forNote(note: string): {
    readonly use: (entry: Entry) => string | undefined
    readonly keys: () => ReadonlyArray<string>
  } {
    const keys = new Map<Entry, string>()
    return {
      use: (entry) => {
        let key = keys.get(entry)
        if (key === undefined) {
          if (this.count >= this.limits.uses) {
            this.isFull = true
            return undefined
          }
          this.count++
          key = `${note}///${entry.key}`
          keys.set(entry, key)
          const known = this.uses.get(entry)
          if (known === undefined) this.uses.set(entry, [{ key, note }])
          else known.push({ key, note })
        }
        return `attachment:${this.names.file(key)}`
      },
      keys: () => [...keys.values()]
    }
  }

  /** Notes that list the files which no note uses, and then all files. */
  async *items(
    stream: (entry: Entry) => AsyncIterable<Uint8Array>,
    files: ReadonlyArray<Entry>,
    { nameOf, pathOf }: Called = asTheyAre
  ): Items {
    if (this.isFull) {
      yield problem(
        "",
        "too_many_links",
        `Notes use files more than ${this.limits.uses} times; later links stay as they are`
      )
    }
    yield* this.lists(
      files.filter((entry) => !this.uses.has(entry)),
      { nameOf, pathOf }
    )
    for (const entry of files) {
      const uses = this.uses.get(entry)
      if (uses === undefined) continue
      yield {
        type: "file",
        path: pathOf(entry),
        uses,
        filename: filenameOf(nameOf(baseOf(entry.path))),
        size: entry.size,
        open: () => stream(entry)
      }
    }
  }

  private *lists(
    unused: ReadonlyArray<Entry>,
    { nameOf, pathOf }: Called
  ): Generator<NoteItem | ReturnType<typeof problem>> {
    const byFolder = Map.groupBy(unused, (entry) => folderOf(pathOf(entry)))
    for (const [folder, entries] of byFolder) {
      const folders = folder === "" ? [] : folder.split("/")
      for (let at = 0; at < entries.length; at += listed) {
        const key = `${folder}///files${at === 0 ? "" : at / listed + 1}`
        const files = this.forNote(key)
        const rows = entries.slice(at, at + listed).flatMap((entry) => {
          const url = files.use(entry)
          const name = filenameOf(nameOf(baseOf(entry.path)))
          return url === undefined ? [] : [`- ${isImageName(name) ? "!" : ""}[${escapedLabel(name)}](${url})`]
        })
        if (rows.length === 0) continue
        const title = at === 0 ? "Files" : `Files ${at / listed + 1}`
        yield {
          type: "note",
          key,
          notebook: notebookOf(folders),
          title,
          body: `${rows.join("\n")}\n`,
          original: { path: "", links: [] },
          tags: [],
          reminders: [],
          files: files.keys(),
          progress: 1
        }
        yield problem(
          folder,
          "unused_files",
          `No note uses ${rows.length} files of this folder; the note "${title}" has them`
        )
      }
    }
  }
}
