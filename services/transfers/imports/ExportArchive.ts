import { createHash } from "node:crypto"
import { Archive } from "../formats/zip/Archive.ts"
import { type Entry } from "../formats/zip/ArchiveDirectory.ts"
import { namedIn } from "../formats/Converted.ts"
import { type OwnFile } from "../formats/EarlierNotes.ts"
import { Damaged, problem, type ProblemItem, Unreadable } from "../formats/Item.ts"
import { baseOf, folderOf, junk } from "../formats/Paths.ts"
import { membersOf, valueOf } from "../formats/JsonMembers.ts"
import { AttachmentRecord, recordReader } from "./JsonRecords.ts"

/** The files of a JSON export in a ZIP archive. */

export const attachmentOf = recordReader(AttachmentRecord)
/** Maximum bytes of a member: a body of 1 MB may take 6 MB in JSON. */
export const maxOfMember = 8 * 1024 * 1024
export const noExport = (why: string) =>
  new Unreadable("not_readable", `The file is not a JSON export of this service, or has another version: ${why}`)

/** The paths of the files of an export. */
const ofExport = /^(?:(?:manifest|notebooks|tags)\.json|(?:notes|templates)\/[^/]+\.json|files\/[0-9a-f]{64})$/

export const idIn = (path: string, folder: string): string | undefined =>
  path.startsWith(`${folder}/`) && ofExport.test(path) ? path.slice(folder.length + 1, -".json".length) : undefined

/** Maximum depth of the folder of the export: it may have been unpacked and packed again with its parent folders. */
const deepestRoot = 2

/** Returns the folder of the export (empty, or with a final slash), then further exports, which are not read. */
const rootsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  entries
    .flatMap(({ path }) => {
      const [, root = ""] = /^(|.+\/)manifest\.json$/.exec(path) ?? []
      const isRoot = path === `${root}manifest.json` && !junk.test(path)
      return isRoot && root.split("/").length - 1 <= deepestRoot ? [root] : []
    })
    .toSorted((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1))

export class ExportArchive {
  readonly problems: ReadonlyArray<ProblemItem>
  readonly #archive: Archive
  readonly #byPath: ReadonlyMap<string, Entry>

  constructor(archive: Archive) {
    this.#archive = archive
    const [root = "", ...others] = rootsOf(archive.entries)
    this.#byPath = new Map(
      archive.entries.flatMap((entry) => {
        const path = entry.path.slice(root.length)
        return entry.path.startsWith(root) && !junk.test(entry.path) ? [[path, { ...entry, path }] as const] : []
      })
    )
    const foreign = archive.entries.filter(
      ({ path }) =>
        !junk.test(path) &&
        !others.some((other) => path.startsWith(other)) &&
        !(path.startsWith(root) && ofExport.test(path.slice(root.length)))
    )
    this.problems = [
      ...others.map((other) => problem(other, "skipped", "It is another export; import it separately")),
      ...[...Map.groupBy(foreign, ({ path }) => folderOf(path))].map(([folder, files]) => {
        const what = files.length === 1 ? "1 file is" : `${files.length} files are`
        const names = namedIn(files.map(({ path }) => baseOf(path)))
        return problem(folder, "skipped", `${what} left out, not part of a JSON export: ${names}`)
      })
    ]
  }

  in(folder: string): ReadonlyArray<Entry> {
    return [...this.#byPath.values()].filter(({ path }) => idIn(path, folder) !== undefined)
  }

  async value(path: string, most: number): Promise<unknown> {
    const entry = this.#byPath.get(path)
    if (entry === undefined) {
      const inner = this.#archive.entries.find((each) => each.path.endsWith(".zip") && !junk.test(each.path))
      const advice = inner === undefined ? "" : `; unpack it and import the archive ${namedIn([inner.path])} in it`
      throw noExport(`it has no ${path}${advice}`)
    }
    return valueOf((await this.#archive.bytes(entry, most)).toString())
  }

  stream(entry: Entry): AsyncIterable<Uint8Array> {
    return this.#archive.stream(entry)
  }

  /** The hash of the file of a note. The same records always have the same bytes in an export. */
  async content(entry: Entry): Promise<string> {
    const hash = createHash("sha256")
    for await (const chunk of this.#archive.stream(entry)) hash.update(chunk)
    return hash.digest("hex")
  }

  /** Returns the attachments of a note. */
  async filesOf(entry: Entry): Promise<ReadonlyArray<OwnFile>> {
    const files: Array<OwnFile> = []
    for await (const { name, text } of membersOf(this.#archive.stream(entry), maxOfMember)) {
      if (name !== "attachments") continue
      try {
        const { filename, id, sha256 } = attachmentOf(valueOf(text))
        files.push({ key: id, filename, sha256: async () => sha256 })
      } catch (error) {
        // Reported when the note itself is read.
        if (!(error instanceof Damaged)) throw error
      }
    }
    return files
  }

  file(sha256: string): (() => AsyncIterable<Uint8Array>) | undefined {
    const entry = this.#byPath.get(`files/${sha256}`)
    return entry === undefined ? undefined : () => this.#archive.stream(entry)
  }
}
