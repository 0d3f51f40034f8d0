import type { Entry } from "../zip/ArchiveDirectory.ts"
import { problem, type ProblemItem } from "../Item.ts"
import { decoded, noteEnding } from "../../../markdown/LinkText.ts"
import { baseOf, folderOf, junk } from "../Paths.ts"
import type { Form } from "../recognition/Forms.ts"
import { isPage, mayBeNote, noteEndingOf } from "./NotePaths.ts"
import { bundleOf, describedBundle } from "./TextBundle.ts"

/** Finds the notes and files of an archive by their paths. */

export const journalPath = /(?:^|\/)journals\/\d{4}_\d\d_\d\d\.md$/

const isLogseq = (entries: ReadonlyArray<Entry>): boolean =>
  entries.some(({ path }) => /(?:^|\/)logseq\/config\.edn$/.test(path)) ||
  (entries.some(({ path }) => journalPath.test(path)) && entries.some(({ path }) => /(?:^|\/)pages\//.test(path)))

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const ordinal = (day: number): string =>
  `${day}${day % 100 >= 11 && day % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th")}`

/** The title of a journal page, and its names in links of Logseq. */
export const journalOf = (stem: string) => {
  const [, year = "", month = "", day = ""] = /^(\d{4})[_-](\d\d)[_-](\d\d)$/.exec(stem) ?? []
  const name = months[Number(month) - 1]
  if (name === undefined) return undefined
  const title = `${year}-${month}-${day}`
  return { title, names: [title, `${name} ${ordinal(Number(day))}, ${year}`, `${year}/${month}/${day}`] }
}

/** The name of a page in Logseq: file names encode slashes and other signs that they cannot contain. */
export const pageOf = (stem: string): string => decoded(stem.replaceAll("___", "/"))

export interface Note {
  readonly entry: Entry
  /** The name that its file gives it. */
  readonly name: string
  readonly folders: ReadonlyArray<string>
  /** The folder of its bundle, if it has one: the files in it are files of the note. */
  readonly bundle?: string
}

const noteFor = (entry: Entry, logseq: boolean): Note => {
  const bundle = bundleOf(entry.path)
  const whole = bundle?.name ?? entry.path.slice(0, entry.path.length - (noteEndingOf(entry.path) ?? "").length)
  const stem = baseOf(whole) === "" ? baseOf(entry.path) : baseOf(whole)
  const folder = folderOf(whole)
  return {
    entry,
    name: logseq ? (journalOf(stem)?.title ?? pageOf(stem)) : stem,
    folders: folder === "" ? [] : folder.split("/"),
    ...(bundle === undefined ? {} : { bundle: bundle.folder })
  }
}

/** Folders whose names begin with a dot belong to programs, not to users. */
const hiddenFolder = (path: string): string | undefined => /^(?:.*?\/)?\.[^/]+(?=\/)/.exec(path)?.[0]

/** One problem for all folders: users cannot do anything about them. */
const foldersSkipped = (skipped: ReadonlyMap<string, number>): ProblemItem => {
  const folders = [...skipped].map(([folder, count]) => `${folder} (${count === 1 ? "1 file" : `${count} files`})`)
  const [first = ""] = skipped.keys()
  const shown = folders.slice(0, 10).join(", ") + (folders.length > 10 ? ", …" : "")
  return problem(first, "skipped", `Folders of programs, and trash folders, are skipped: ${shown}`)
}

/** Sorts the entries of an archive: notes, files, descriptions of bundles, and skipped folders. */
export const sorted = (entries: ReadonlyArray<Entry>, own: ReadonlySet<string>, form: Form) => {
  const logseq = isLogseq(entries)
  const notes: Array<Note> = []
  const files: Array<Entry> = []
  const described = new Map<string, Entry>()
  const skipped = new Map<string, number>()
  const isNote = (path: string) => mayBeNote(path) || (form === "html" && isPage(path))
  for (const entry of entries) {
    if (own.has(entry.path)) {
      files.push(entry)
      continue
    }
    if (junk.test(entry.path)) continue
    const hidden =
      hiddenFolder(entry.path) ??
      (logseq ? /^(?:.*?\/)?logseq(?=\/(?:config\.edn|custom\.css|bak\/|\.))/.exec(entry.path)?.[0] : undefined)
    if (hidden !== undefined) skipped.set(hidden, (skipped.get(hidden) ?? 0) + 1)
    else if (isNote(entry.path) || bundleOf(entry.path) !== undefined) notes.push(noteFor(entry, logseq))
    else {
      const bundle = describedBundle(entry.path)
      if (bundle === undefined) files.push(entry)
      else described.set(bundle, entry)
    }
  }
  const problems = skipped.size === 0 ? [] : [foldersSkipped(skipped)]
  // If files differ only in their ending, a link by name leads to the Markdown.
  const isPlain = ({ entry }: Note) => (noteEnding.test(entry.path) ? 0 : 1)
  return { notes: notes.toSorted((a, b) => isPlain(a) - isPlain(b)), files, described, problems, logseq }
}
