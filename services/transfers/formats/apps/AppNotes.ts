import { stringify } from "yaml"
import { escapedName } from "../../../markdown/LinkText.ts"
import { shortened } from "../../../markdown/Rendered.ts"
import { type Converted, fragmentOf, type Link, plain } from "../Converted.ts"
import { cleaned } from "../Decoding.ts"
import { bytesHash, EarlierNotes, type Sought, sourceKey } from "../EarlierNotes.ts"
import { Damaged, type FileItem, problem, type ProblemItem, Unreadable } from "../Item.ts"
import { itemOf, type NoteFile, ofText } from "../evernote/EnexFiles.ts"
import { filenameOf, isImageName, titleOf } from "../ItemNames.ts"
import { embeddedIn, keysOf, newFiles } from "../markdown/EmbeddedFiles.ts"
import { convertedText } from "../markdown/NoteText.ts"
import { type Items, noteOf } from "../NoteMaking.ts"
import { baseOf } from "../Paths.ts"
import type { Reading } from "../ReadOptions.ts"
import { contentWith, UsedFiles } from "../UsedFiles.ts"
import type { Entry } from "../zip/ArchiveDirectory.ts"
import type { Container } from "./Container.ts"

/** Makes notes of the records in exports of other programs. */

/** A note of another program. */
export interface AppNote {
  /** The same each time the file is read, and unique in it. */
  readonly key: string
  /** The id of the note in its program, or its path. */
  readonly id: string
  /** The path or title that is shown to users. */
  readonly path: string
  readonly folders: ReadonlyArray<string>
  /** Empty if the note has none: its text then begins with it, or is its only name. */
  readonly title: string
  readonly text: string
  /** `plain` is text whose lines stay lines; `keep-page` is a page of Google Keep. */
  readonly format: "markdown" | "html" | "plain" | "keep-page"
  /** Markdown after the text. */
  readonly after?: string
  /** Front matter, for what a note has no member for. */
  readonly properties?: Readonly<Record<string, unknown>>
  readonly tags: ReadonlyArray<string>
  readonly created_at?: string | undefined
  readonly updated_at?: string | undefined
  readonly archived?: boolean
  readonly pinned?: boolean
  readonly isTrashed?: boolean
  readonly remind_at?: string | undefined
  /** Files that its text links to. */
  readonly linked?: ReadonlyArray<Entry>
  /** Files that are listed after its text. */
  readonly attached?: ReadonlyArray<Entry>
  readonly problems?: Converted["problems"]
  /** The share of the file that has been read. */
  readonly progress: number
}

export interface App {
  /** Names the program in the keys of its notes. */
  readonly name: string
  readonly files: Container
  /** The files that notes may use; those that none uses get a note of their own. */
  readonly attachments: ReadonlyArray<Entry>
  readonly nameOf?: (entry: string) => string
  /** Yields all notes, in the same order each time. */
  readonly notes: () => AsyncIterable<AppNote | ProblemItem>
  readonly find?: (
    link: Link,
    note: AppNote
  ) => { readonly note: string; readonly heading: string } | { readonly file: Entry } | undefined
}

/** Ends the lines of plain text, which Markdown would join. */
const withBreaks = (text: string): string => text.replaceAll(/(\S)[ \t]*\n(?=[^\S\n]*\S)/g, "$1  \n")

const headOf = ({ properties = {} }: AppNote): string => {
  const said = Object.entries(properties).filter(([, value]) => value !== undefined && value !== "")
  return said.length === 0 ? "" : `---\n${stringify(Object.fromEntries(said), { lineWidth: 0 })}---\n`
}

/** Maximum characters of a title that is the beginning of a text. */
const longestTitle = 80

/** The first words of a text, for a note without a title. */
const firstWords = (text: string): string =>
  shortened(
    (/^.*\S.*$/m.exec(text.slice(0, 10_000))?.[0] ?? "").replaceAll(/^[\s>#*-]+(?:\[[ xX]\]\s*)?|<[^<>]*>/g, "").trim(),
    longestTitle
  )

const isProblem = (item: AppNote | ProblemItem): item is ProblemItem => "type" in item

const contentHash = ({ attached = [], linked = [], progress: _, ...note }: AppNote): string =>
  contentWith(bytesHash(Buffer.from(JSON.stringify(note))), new Set([...attached, ...linked]))

/** The text of a note, and the files that are embedded in it; throws `Damaged` if it is too long. */
const textOf = async (
  note: AppNote,
  reading: Reading
): Promise<{ readonly text: Converted; readonly files: ReadonlyArray<FileItem> }> => {
  const source = cleaned(note.text.replaceAll("\r\n", "\n"))
  const head = headOf(note)
  if (note.format === "plain") return { text: plain(head + withBreaks(source)), files: [] }
  // A line of hyphens is no front matter in other programs.
  const body = note.format === "markdown" && /^(?:---|\+\+\+)/.test(source) ? `\n${source}` : source
  const { files, text } = await convertedText(body, note, reading, { format: note.format })
  const [first = "", ...others] = text.pieces
  return { text: { ...text, pieces: [head + first, ...others] }, files }
}

/** The text with Markdown after it. */
const followed = (text: Converted, after: string): Converted => {
  if (after.trim() === "") return text
  const last = text.pieces.length - 1
  const body = (text.pieces[last] ?? "").trimEnd()
  return { ...text, pieces: [...text.pieces.slice(0, last), (body === "" && last === 0 ? "" : `${body}\n\n`) + after] }
}

export async function* readApp({ attachments, files, find, name, nameOf, notes }: App, reading: Reading): Items {
  const { limits, names } = reading
  const earlier = new EarlierNotes(names, reading.findEarlier, reading.onExisting)
  const used = new UsedFiles(reading, earlier, { stream: files.stream, ...(nameOf === undefined ? {} : { nameOf }) })
  const sourceOf = ({ id }: AppNote): string => sourceKey(name, id)
  if (reading.findEarlier !== undefined) {
    const sought: Array<Sought & { readonly content: string }> = []
    try {
      for await (const note of notes()) {
        if (isProblem(note)) continue
        used.remember(note.key, new Set([...(note.attached ?? []), ...(note.linked ?? [])]))
        sought.push({ key: note.key, source: sourceOf(note), content: contentHash(note) })
      }
    } catch (error) {
      // Reported when the notes are imported; the notes before it are imported.
      if (!(error instanceof Damaged)) throw error
    }
    await earlier.decide(sought, async ({ content }) => content)
  }
  try {
    for await (const note of notes()) {
      if (isProblem(note)) yield note
      else if (earlier.isSkipped(note.key)) {
        used.leaveOut(note.key)
        yield { type: "skipped", progress: note.progress }
      } else yield* noteItems(note)
    }
  } catch (error) {
    if (!(error instanceof Damaged) || error instanceof Unreadable) throw error
    yield problem("", error.code, `${error.message}; the notes before that are imported`)
  }
  yield* used.items(attachments)

  async function* noteItems(note: AppNote): Items {
    const { attached = [], key, linked = [], path } = note
    let read: Awaited<ReturnType<typeof textOf>>
    try {
      read = await textOf(note, reading)
      if (earlier.updatedBy(key) !== undefined) {
        await earlier.reuse(key, [
          ...used.filesOf(key, [...linked, ...attached]),
          ...embeddedIn({ ...read, problems: [] })
        ])
        read = await textOf(note, { ...reading, names: earlier })
      }
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      yield problem(path, error.code, error.message)
      return
    }
    const mine = used.forNote(key)
    const rows = attached.flatMap((entry) => {
      const filename = filenameOf((nameOf ?? ((base: string) => base))(baseOf(entry.path)))
      const url = mine.use(entry)
      return url === undefined ? [] : [`${isImageName(filename) ? "!" : ""}[${escapedName(filename)}](${url})`]
    })
    const after = [note.after ?? "", ...rows].filter((part) => part.trim() !== "").join("\n\n")
    const text = followed(read.text, after === "" ? "" : `${after}\n`)
    const isTrashed = note.isTrashed === true
    if (isTrashed) {
      yield problem(path, "was_in_trash", "It was in the trash of the source; it is imported as archived")
    }
    for (const { code, message } of note.problems ?? []) yield problem(path, code, message)
    const title = cleaned(note.title) || (text.title ?? "") || firstWords(note.text) || firstWords(note.after ?? "")
    /** Texts that are attached, because the note does not contain all of them. */
    const whole: Array<NoteFile> = []
    const keep = (ending: string, content_type: string, content: string): string => {
      const file = ofText(`${key}///${ending}`, `${titleOf(title)}.${ending}`, content_type, content)
      whole.push(file)
      return `attachment:${earlier.file(file.key)}`
    }
    if (text.keepsSource === true) keep("html", "text/html", note.text)
    const archived = note.archived ?? text.archived
    const pinned = note.pinned ?? text.pinned
    const { note: item, problems } = noteOf(
      {
        key,
        path,
        folders: note.folders,
        title,
        text: {
          ...text,
          ...(archived === undefined && !isTrashed ? {} : { archived: isTrashed || archived === true }),
          ...(pinned === undefined ? {} : { pinned })
        },
        tags: note.tags.map(cleaned),
        created_at: note.created_at,
        updated_at: note.updated_at,
        ...(note.remind_at === undefined ? {} : { reminders: [{ remind_at: note.remind_at }] }),
        progress: note.progress,
        urlOf: (link) => {
          const found = find?.(link, note)
          if (found === undefined) return undefined
          return "file" in found ? mine.use(found.file) : `note:${earlier.note(found.note)}${fragmentOf(found.heading)}`
        },
        files: () => [...mine.keys(), ...keysOf(read.files), ...whole.map((file) => file.key)],
        source: (keys) => earlier.sourceOf(key, sourceOf(note), contentHash(note), keys),
        keepWhole: (body) => keep("md", "text/markdown", body)
      },
      limits
    )
    yield* problems
    yield item
    yield* newFiles(earlier, key, read.files)
    for (const file of whole) if (!earlier.hasFile(file.key)) yield itemOf(key, earlier.updatedBy(key), file)
  }
}
