import { createReadStream } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { Archive } from "./Archive.ts"
import { type Entry, Unpacked } from "./ArchiveDirectory.ts"
import type { Converted, Link } from "./Converted.ts"
import { fragmentOf } from "./Converted.ts"
import { textOf } from "./Decoding.ts"
import { Damaged, problem, type ProblemItem, textRepaired } from "./Item.ts"
import { filenameOf, stemOf } from "./ItemNames.ts"
import { labelledBlocks, referredBlocks } from "./Logseq.ts"
import { namesIn } from "./MarkdownText.ts"
import { converted, type Items, noteOf } from "./NoteMaking.ts"
import type { Reading } from "./Options.ts"
import { baseOf, folderOf, Paths, type Target } from "./Paths.ts"
import { UsedFiles } from "./UsedFiles.ts"

/** Markdown files, alone or in a ZIP: the vaults of Obsidian, the graphs of Logseq, and plain trees. */

export const noteEnding = /\.(?:md|markdown)$/i
/** What machines leave behind in archives. */
export const junk = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)/i
const bundle = /^(.+)\.textbundle\/(?:text\.(?:md|markdown)|info\.json)$/i

/** What leads somewhere in an archive. */
type Found = { readonly note: string } | { readonly file: Entry }

export const journalPath = /(?:^|\/)journals\/\d{4}_\d\d_\d\d\.md$/

const isLogseq = (entries: ReadonlyArray<Entry>): boolean =>
  entries.some(({ path }) => /(?:^|\/)logseq\/config\.edn$/.test(path)) ||
  (entries.some(({ path }) => journalPath.test(path)) && entries.some(({ path }) => /(?:^|\/)pages\//.test(path)))

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const ordinal = (day: number): string =>
  `${day}${day % 100 >= 11 && day % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th")}`

/** A page of a day, and how Logseq calls it in links. */
export const journalOf = (stem: string) => {
  const [, year = "", month = "", day = ""] = /^(\d{4})[_-](\d\d)[_-](\d\d)$/.exec(stem) ?? []
  const name = months[Number(month) - 1]
  if (name === undefined) return undefined
  const title = `${year}-${month}-${day}`
  return { title, names: [title, `${name} ${ordinal(Number(day))}, ${year}`, `${year}/${month}/${day}`] }
}

/** What Logseq calls a page: slashes are written otherwise in names of files. */
export const pageOf = (stem: string): string => stem.replaceAll("___", "/").replaceAll(/%2F/gi, "/")

interface Note {
  readonly entry: Entry
  /** How it is called by its file. */
  readonly name: string
  readonly folders: ReadonlyArray<string>
}

const noteFor = (entry: Entry, logseq: boolean): Note => {
  const whole = bundle.exec(entry.path)?.[1] ?? entry.path.replace(noteEnding, "")
  const stem = baseOf(whole) === "" ? baseOf(entry.path) : baseOf(whole)
  const folder = folderOf(whole)
  const folders = folder === "" ? [] : folder.split("/")
  return { entry, name: logseq ? (journalOf(stem)?.title ?? pageOf(stem)) : stem, folders }
}

/** Folders whose name begins with a dot are of programs, not of their users. */
const hiddenFolder = (path: string): string | undefined => /^(?:.*?\/)?\.[^/]+(?=\/)/.exec(path)?.[0]

const sort = (entries: ReadonlyArray<Entry>) => {
  const logseq = isLogseq(entries)
  const notes: Array<Note> = []
  const files: Array<Entry> = []
  const skipped = new Map<string, number>()
  for (const entry of entries) {
    if (junk.test(entry.path)) continue
    const hidden =
      hiddenFolder(entry.path) ??
      (logseq ? /^(?:.*?\/)?logseq(?=\/(?:config\.edn|custom\.css|bak\/|\.))/.exec(entry.path)?.[0] : undefined)
    if (hidden !== undefined) skipped.set(hidden, (skipped.get(hidden) ?? 0) + 1)
    else if (noteEnding.test(entry.path)) notes.push(noteFor(entry, logseq))
    else if (!bundle.test(entry.path)) files.push(entry)
  }
  const problems = [...skipped].map(([folder, count]) =>
    problem(folder, "skipped", `A folder of a program, or a trash, with ${count} files is not read`)
  )
  return { notes, files, problems, logseq }
}

interface Called {
  readonly names: ReadonlyArray<string>
  /** The first words of the blocks of a page of Logseq that have an id, by that. */
  readonly blocks: ReadonlyMap<string, string>
}

const nothing: Called = { names: [], blocks: new Map() }

/** Reads what notes are called in their texts, so that links to those names are known from the first note on. */
const called = async (
  archive: Archive,
  { entry, name }: Note,
  { limits, now }: Reading,
  logseq: boolean
): Promise<Called> => {
  if (entry.size > limits.textBytes) return nothing
  try {
    const { text } = textOf(await archive.bytes(entry, limits.textBytes))
    const { aliases, title } = namesIn(text, now)
    const names = [...(title === undefined ? [] : [title]), name, ...aliases]
    return { names, blocks: logseq ? labelledBlocks(text) : nothing.blocks }
  } catch (error) {
    // The note itself reports it when it is read.
    if (error instanceof Damaged) return nothing
    throw error
  }
}

/** Logseq also writes names of pages, and of blocks, as addresses: `[text]([[page]])`, `[text](((id)))`. */
export const targetOf = <A extends object>(
  paths: Paths<A>,
  { kind, target }: Pick<Link, "kind" | "target">,
  from: string
): Target<A> | undefined => {
  if (kind === "wiki") return paths.wiki(target, from)
  const page = /^\[\[(.+)\]\]$/.exec(target)?.[1]
  if (page !== undefined) return paths.wiki(page, from)
  const [, id] = /^\(\((.+)\)\)$/.exec(target) ?? []
  const block = id === undefined ? undefined : paths.called(target)
  return block === undefined ? paths.path(target, from) : { found: block, heading: `^${id!.toLowerCase()}` }
}

const urlOf = (
  target: Target<Found>,
  { kind }: Link,
  names: Reading["names"],
  use: (file: Entry) => string | undefined
) => {
  const { found, heading } = target
  if ("file" in found) return use(found.file)
  return `note:${names.note(found.note)}${kind === "wiki" || kind === "path" ? fragmentOf(heading) : ""}`
}

export async function* readMarkdownArchive(path: string, reading: Reading): Items {
  const { convert, limits, names, now } = reading
  const archive = await Archive.open(path, limits, new Unpacked(limits))
  try {
    yield* archive.problems
    const { files, logseq, notes, problems } = sort(archive.entries)
    yield* problems

    const paths = new Paths<Found>()
    for (const { entry } of notes) paths.add(entry.path, { note: entry.key }, noteEnding.exec(entry.path)?.[0])
    for (const entry of files) paths.add(entry.path, { file: entry })
    const blocks = new Map<string, string>()
    for (const note of notes) {
      const found = { note: note.entry.key }
      const own = await called(archive, note, reading, logseq)
      for (const name of own.names) paths.addName(name, found)
      for (const [id, words] of own.blocks) {
        if (blocks.size === limits.uses) break
        paths.addName(`((${id}))`, found)
        if (!blocks.has(id)) blocks.set(id, words)
      }
      if (logseq) for (const name of journalOf(note.name)?.names ?? []) paths.addName(name, found)
    }

    const used = new UsedFiles(reading)
    const whole = new Set<Entry>()
    for (const [index, { entry, folders, name }] of notes.entries()) {
      let text: Converted
      try {
        const { isRepaired, text: read } = textOf(await archive.bytes(entry, limits.textBytes))
        const mine = logseq ? { blocks: referredBlocks(read, blocks) } : {}
        text = await converted(convert, { kind: "markdown", text: read, now, ...mine }, () => read)
        if (isRepaired) yield textRepaired(entry.path)
      } catch (error) {
        if (!(error instanceof Damaged)) throw error
        yield problem(entry.path, error.code, error.message)
        if (error.code === "too_large") whole.add(entry)
        continue
      }
      const mine = used.forNote(entry.key)
      const { note, problems: mended } = noteOf(
        {
          key: entry.key,
          path: entry.path,
          folders,
          title: text.title ?? name,
          text,
          updated_at: entry.modified,
          progress: (index + 1) / notes.length,
          urlOf: (link) => {
            if (link.target.startsWith("#")) return fragmentOf(link.target.slice(link.target.lastIndexOf("#") + 1))
            const target = targetOf(paths, link, entry.path)
            return target === undefined ? undefined : urlOf(target, link, names, mine.use)
          },
          files: mine.keys,
          keepWhole: () => {
            const url = mine.use(entry)
            whole.add(entry)
            return url
          }
        },
        limits
      )
      yield* mended
      yield note
    }
    yield* used.items((entry) => archive.stream(entry), [...files, ...whole])
  } finally {
    await archive.close()
  }
}

/** One note in a file of its own: nothing lies beside it. */
export async function* readMarkdownFile(path: string, reading: Reading): Items {
  const { convert, filename, limits, names, now } = reading
  const key = filenameOf(filename)
  const { size } = await stat(path)
  if (size > limits.textBytes) {
    const failed: ProblemItem = {
      ...problem("", "too_large", `The file has more than ${limits.textBytes} bytes`),
      isFatal: true
    }
    yield failed
    return
  }
  const { isRepaired, text: read } = textOf(await readFile(path))
  if (isRepaired) yield textRepaired(key)
  const text = await converted(convert, { kind: "markdown", text: read, now }, () => read)
  const file = `${key}///${key}`
  let isKept = false
  const { note, problems } = noteOf(
    {
      key,
      path: key,
      folders: [],
      title: text.title ?? stemOf(key),
      text,
      progress: 1,
      urlOf: (link) =>
        link.target.startsWith("#") ? fragmentOf(link.target.slice(link.target.lastIndexOf("#") + 1)) : undefined,
      files: () => (isKept ? [file] : []),
      keepWhole: () => {
        isKept = true
        return `attachment:${names.file(file)}`
      }
    },
    limits
  )
  yield* problems
  yield note
  if (isKept) {
    yield {
      type: "file",
      path: key,
      uses: [{ key: file, note: key }],
      filename: key,
      size,
      open: () => createReadStream(path)
    }
  }
}
