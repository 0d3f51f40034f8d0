import { embeddedIn, keysOf, missingFiles, newFiles } from "./EmbeddedFiles.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { noteEnding } from "../../../markdown/LinkText.ts"
import type { Entry } from "../zip/ArchiveDirectory.ts"
import { binaryFormat } from "../BinaryFormats.ts"
import { fragmentOf, type Link } from "../Converted.ts"
import { textOf } from "../Decoding.ts"
import { bytesHash, EarlierNotes, sourceKey } from "../EarlierNotes.ts"
import { Damaged, problem, readingShare } from "../Item.ts"
import { filenameOf } from "../ItemNames.ts"
import { Paths, type Target } from "../Paths.ts"
import { labelledBlocks } from "../logseq/LogseqReferences.ts"
import { journalOf, type Note, sorted } from "./MarkdownEntries.ts"
import { namesIn } from "./MarkdownText.ts"
import { hasNoEnding, isPage, noteEndingOf } from "./NotePaths.ts"
import { type Items, noteOf } from "../NoteMaking.ts"
import { NoteTitles } from "./NoteTitles.ts"
import { described, readText } from "./NoteText.ts"
import type { Reading } from "../ReadOptions.ts"
import { ownFilesOf } from "./OwnFiles.ts"
import { Parts } from "../Parts.ts"
import { bundleFolder, isPack, pathInBundle } from "./TextBundle.ts"
import { contentWith, UsedFiles } from "../UsedFiles.ts"

/** Reads Markdown files, alone or in a ZIP: Obsidian vaults, Logseq graphs, Bear bundles, and plain folders. */

/** The target of a link in an archive. */
type Found = { readonly note: string } | { readonly file: Entry }

/** Number of notes after whose reading progress is reported. */
const progressEvery = 50

interface Called {
  readonly names: ReadonlyArray<string>
  /** The first words of the blocks of a Logseq page that have an id, by id. */
  readonly blocks: ReadonlyMap<string, string>
  /** The format of a file that is not text. */
  readonly format?: string
}

const nothing: Called = { names: [], blocks: new Map() }

/** Reads the names of notes from their texts, so that links to these names are resolved from the first note on. */
const called = async (parts: Parts, { entry, name }: Note, reading: Reading, logseq: boolean): Promise<Called> => {
  const { limits } = reading
  if (entry.size > limits.embeddingBytes) return nothing
  try {
    const bytes = await parts.bytes(entry, limits.embeddingBytes)
    const format = binaryFormat(bytes)
    if (format !== undefined) return { ...nothing, format }
    if (bytes.length === 0 && hasNoEnding(entry.path)) return { ...nothing, format: "empty" }
    if (isPage(entry.path)) return { ...nothing, names: [name] }
    const { text } = await textOf(bytes)
    const { aliases, title } = namesIn(text, reading)
    const names = [...(title === undefined ? [] : [title]), name, ...aliases]
    return { names, blocks: logseq ? labelledBlocks(text) : nothing.blocks }
  } catch (error) {
    // The problem is reported when the note itself is read.
    if (error instanceof Damaged) return nothing
    throw error
  }
}

/** Logseq also writes names of pages and blocks as addresses: `[text]([[page]])`, `[text](((id)))`. */
export const targetOf = <A extends object>(
  paths: Paths<A>,
  { kind, target }: Pick<Link, "kind" | "target">,
  from: string
): Target<A> | undefined => {
  if (kind === "wiki" || kind === "property") return paths.wiki(target, from)
  const page = /^\[\[(.+)\]\]$/.exec(target)?.[1]
  if (page !== undefined) return paths.wiki(page, from)
  const [, id] = /^\(\((.+)\)\)$/.exec(target) ?? []
  const block = id === undefined ? undefined : paths.called(target)
  return block === undefined ? paths.path(target, from) : { found: block, heading: `^${id!.toLowerCase()}` }
}

const urlOf = (
  target: Target<Found>,
  { kind, target: written }: Link,
  names: Reading["names"],
  titles: NoteTitles,
  use: (file: Entry) => string | undefined
) => {
  const { found, heading } = target
  if (kind === "property") {
    return "file" in found || titles.isName(written, found.note) ? undefined : names.note(found.note)
  }
  if ("file" in found) return use(found.file)
  return `note:${names.note(found.note)}${kind === "wiki" || kind === "path" ? fragmentOf(heading) : ""}`
}

/** Hashes a note of an archive, for the comparison with an earlier import; undefined if it cannot be read. */
export const compared = async (
  used: UsedFiles,
  key: string,
  read: () => Promise<{ readonly content: string; readonly entries: ReadonlySet<Entry> }>
): Promise<string | undefined> => {
  try {
    const { content, entries } = await read()
    used.remember(key, entries)
    return content
  } catch (error) {
    // Reported when the note itself is read.
    if (!(error instanceof Damaged)) throw error
    return undefined
  }
}

export async function* readMarkdownArchive(path: string, reading: Reading): Items {
  const scratch = await mkdtemp(join(reading.scratch, "markdown-"))
  let own: ReadonlySet<string> = new Set()
  const parts = new Parts(scratch, reading, {
    begin: async (archive) => {
      own = await ownFilesOf(archive, reading)
    },
    isPart: (path) => isPack(path) && !own.has(path),
    pathIn: pathInBundle
  })
  const filename = filenameOf(reading.filename)
  try {
    yield* parts.open(path, isPack(filename) ? { path: filename, key: "" } : undefined)
    yield* notesOf(parts, own, reading)
  } finally {
    await parts.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Finds the notes among the files, and what links can lead to: paths, names, and blocks by id. */
async function* indexed(parts: Parts, ownFiles: ReadonlySet<string>, reading: Reading) {
  const { limits } = reading
  const { described: infos, files, logseq, notes: named, problems } = sorted(parts.entries, ownFiles, reading.form)
  yield* problems
  const paths = new Paths<Found>()
  for (const entry of files) paths.add(entry.path, { file: entry })
  const notes: Array<Note> = []
  const blocks = new Map<string, string>()
  const titles = new NoteTitles()
  for (const [index, note] of named.entries()) {
    const { entry } = note
    if (index % progressEvery === progressEvery - 1) {
      yield { type: "progress" as const, progress: (readingShare * index) / named.length }
    }
    const own = await called(parts, note, reading, logseq)
    const found = own.format === undefined ? { note: entry.key } : { file: entry }
    paths.add(entry.path, found, noteEndingOf(entry.path))
    if (own.format !== undefined) {
      files.push(entry)
      if (!hasNoEnding(entry.path))
        yield problem(entry.path, "not_converted", `It is ${own.format}, not Markdown; it is attached as a file`)
      continue
    }
    notes.push(note)
    titles.add(entry.key, own.names[0] ?? note.name)
    for (const name of own.names) paths.addName(name, found)
    for (const [id, words] of own.blocks) {
      if (blocks.size === limits.uses) break
      paths.addName(`((${id}))`, found)
      if (!blocks.has(id)) blocks.set(id, words)
    }
    if (logseq) for (const name of journalOf(note.name)?.names ?? []) paths.addName(name, found)
  }
  return { blocks, files, infos, logseq, notes, paths, titles }
}

async function* notesOf(parts: Parts, ownFiles: ReadonlySet<string>, reading: Reading): Items {
  const { limits, names } = reading
  const { blocks, files, infos, logseq, notes, paths, titles } = yield* indexed(parts, ownFiles, reading)
  const earlier = new EarlierNotes(names, reading.findEarlier, reading.onExisting)
  const used = new UsedFiles(reading, earlier, { stream: (entry) => parts.stream(entry) })
  const byBundle = Map.groupBy(files, ({ path }) => bundleFolder(path))
  const targetIn = (link: Link, entry: Entry) =>
    link.target.startsWith("#") ? undefined : targetOf(paths, link, entry.path)
  /** The text of a note, and the files that it uses. */
  const readNote = async ({ bundle, entry }: Note, names = reading.names) => {
    const { info, problems: ofInfo } = await described(parts, infos.get(bundle ?? ""), reading)
    const bytes = await parts.bytes(entry, limits.embeddingBytes)
    const read = await readText(
      bytes,
      entry,
      { ...reading, names },
      {
        ...(logseq && noteEnding.test(entry.path) ? { blocks } : {}),
        ...(info === undefined ? {} : { properties: info.properties }),
        ...(isPage(entry.path) ? { format: "html" } : {})
      }
    )
    const linked = read.text.links.flatMap((link) => {
      const found = link.kind === "property" ? undefined : targetIn(link, entry)?.found
      return found !== undefined && "file" in found ? [found.file] : []
    })
    const missing: Array<string> = []
    const listed = (read.text.files ?? []).flatMap(({ name, path }) => {
      const found = paths.exactly(path, entry.path)
      if (found === undefined || !("file" in found)) {
        missing.push(path)
        return []
      }
      used.isExported(found.file, name)
      return [found.file]
    })
    // Files of a bundle belong to its note, even if its text does not show them.
    const bundled = bundle === undefined ? [] : (byBundle.get(bundle) ?? [])
    const entries = new Set([...linked, ...listed, ...bundled])
    if (read.text.areOwnTags === true) for (const each of entries) used.isExported(each)
    const content = contentWith(`${bytesHash(bytes)} ${JSON.stringify(info ?? null)}`, entries)
    const lacking = missing.length === 0 ? [] : [missingFiles(entry.path, missing)]
    return { read, info, own: [...listed, ...bundled], entries, content, problems: [...ofInfo, ...lacking] }
  }
  const sourceOf = (entry: Entry): string => sourceKey("markdown", entry.key)

  const sought = notes.map((note) => ({ note, key: note.entry.key, source: sourceOf(note.entry) }))
  await earlier.decide(sought, ({ key, note }) => compared(used, key, () => readNote(note)))

  const whole = new Set<Entry>()
  for (const [index, each] of notes.entries()) {
    const { entry, folders, name } = each
    const progress = (index + 1) / notes.length
    if (earlier.isSkipped(entry.key)) {
      used.leaveOut(entry.key)
      yield { type: "skipped", progress }
      continue
    }
    let found: Awaited<ReturnType<typeof readNote>>
    try {
      found = await readNote(each)
      if (earlier.updatedBy(entry.key) !== undefined) {
        await earlier.reuse(entry.key, [...used.filesOf(entry.key, found.entries), ...embeddedIn(found.read)])
        found = await readNote(each, earlier)
      }
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      yield problem(entry.path, error.code, error.message)
      if (error.code === "too_large") whole.add(entry)
      continue
    }
    const { content, info, own, read } = found
    const embedded = newFiles(earlier, entry.key, read.files)
    yield* found.problems
    yield* read.problems
    const mine = used.forNote(entry.key)
    if (read.text.keepsSource === true) whole.add(entry)
    const { note, problems: mended } = noteOf(
      {
        key: entry.key,
        path: entry.path,
        folders,
        title: read.text.title ?? name,
        text: { ...read.text, ...(info === undefined ? {} : { archived: info.archived, pinned: info.pinned }) },
        updated_at: entry.modified,
        progress,
        urlOf: (link) => {
          if (link.target.startsWith("#")) return fragmentOf(link.target.slice(link.target.lastIndexOf("#") + 1))
          const target = targetIn(link, entry)
          return target === undefined ? undefined : urlOf(target, link, earlier, titles, mine.use)
        },
        files: () => {
          for (const file of own) mine.use(file)
          if (read.text.keepsSource === true) mine.use(entry)
          return [...mine.keys(), ...keysOf(read.files)]
        },
        source: (files) => earlier.sourceOf(entry.key, sourceOf(entry), content, files),
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
    yield* embedded
  }
  yield* used.items([...files, ...whole])
}
