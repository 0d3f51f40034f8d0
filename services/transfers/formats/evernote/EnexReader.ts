import { createHash } from "node:crypto"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { type Converted, namedIn, plain } from "../Converted.ts"
import { cleaned } from "../Decoding.ts"
import { bytesHash, contentOf, EarlierNotes, type Sought, sourceKey } from "../EarlierNotes.ts"
import { timeOf } from "./EnexTime.ts"
import { enexNotes, mentions } from "./Enex.ts"
import { frontMatterOf } from "./EnexFrontMatter.ts"
import type { EnexNote } from "./EnexNote.ts"
import { type EnmlText, plainText } from "./Enml.ts"
import { tasksAlone } from "./EnmlTasks.ts"
import { type NoteItem, problem, textRepaired, Unreadable } from "../Item.ts"
import { endingOf, filenameOf, stemOf, titleOf } from "../ItemNames.ts"
import { converted, type Items, noteOf } from "../NoteMaking.ts"
import type { Reading } from "../ReadOptions.ts"
import { escapedName } from "../../../markdown/LinkText.ts"
import { inText, itemOf, type NoteFile, ofText, onDisk } from "./EnexFiles.ts"

/** Maximum number of reminders of one note; further ones remain in its text. */
const maxReminders = 100

const remindersOf = ({ attributes, tasks }: EnexNote, now: Date): NoteItem["reminders"] => {
  const isOver = timeOf(attributes.get("reminder-done-time") ?? "") !== undefined
  const times = [
    isOver ? undefined : timeOf(attributes.get("reminder-time") ?? ""),
    ...tasks.map((task) => task.remind_at)
  ]
  const ahead = times.filter((time) => time !== undefined && Date.parse(time) > now.getTime())
  return [...new Set(ahead)].slice(0, maxReminders).map((remind_at) => ({ remind_at: remind_at! }))
}

const isText = ({ content, title }: EnexNote): boolean =>
  cleaned(content) === content && !(content + title).includes("\ufffd")

/** A note whose text could not be read. It lists the tasks, because the text may not show them. */
const withoutText = ({ tasks }: EnexNote, head: string, filename: string): Converted => ({
  ...plain(head + tasksAlone(tasks)),
  problems: [{ code: "body_too_long", message: `Its text is too long to be read; it is attached as ${filename}` }]
})

const sha256Of = async (file: NoteFile): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of file.open()) hash.update(chunk)
  return hash.digest("hex")
}

/** The key of a note without an Evernote id is made of its file, its title and its creation time. */
const sourceOf = ({ attributes, created, title }: EnexNote, filename: string): string => {
  const guid = attributes.get("guid")
  return guid === undefined ? sourceKey("enex", filename, title, created) : sourceKey("enex", guid)
}

const contentHash = (note: EnexNote): string => {
  const { attributes, content, created, resources, tags, taskHistory, tasks, title, updated, whole } = note
  const files = [...resources, ...(whole === undefined ? [] : [whole])]
  const said = files.map(({ content_type, filename, md5, size }) => [md5, size, filename, content_type])
  return contentOf(
    title,
    bytesHash(Buffer.from(content)),
    created,
    updated,
    tags,
    [...attributes],
    tasks,
    taskHistory,
    said
  )
}

/** Decides on all notes of a file; reads the whole file for that. */
const decide = async (
  path: string,
  scratch: string,
  earlier: EarlierNotes,
  { filename, limits }: Reading
): Promise<void> => {
  const notes: Array<Sought & { readonly content: string }> = []
  try {
    for await (const note of enexNotes(path, scratch, limits)) {
      notes.push({ key: String(note.index + 1), source: sourceOf(note, filename), content: contentHash(note) })
    }
  } catch (error) {
    // Reported when the notes are imported; the notes before it are imported.
    if (!(error instanceof Unreadable)) throw error
  }
  await earlier.decide(notes, async ({ content }) => content)
}

/** The first note with a title, and whether it is the only one. */
interface Titled {
  readonly key: string
  readonly isOne: boolean
}

/** Titles of all notes: links to other notes contain nothing else that is known of them. */
const titlesOf = async (path: string, scratch: string, { limits }: Reading): Promise<ReadonlyMap<string, Titled>> => {
  const titles = new Map<string, Titled>()
  if (!(await mentions(path, "evernote:///")) && !(await mentions(path, "evernote.com/"))) return titles
  for await (const { index, title } of enexNotes(path, scratch, limits)) {
    const name = titleOf(title).toLowerCase()
    const known = titles.get(name)
    titles.set(name, known === undefined ? { key: String(index + 1), isOne: true } : { ...known, isOne: false })
  }
  return titles
}

const textOf = (note: EnexNote, files: ReadonlyArray<NoteFile>, reminders: NoteItem["reminders"]): EnmlText => ({
  text: note.content,
  head: frontMatterOf(note, reminders),
  tasks: note.tasks,
  damaged: files.filter((file) => file.isDamaged === true).map(({ filename }) => filename),
  media: Object.fromEntries(
    files.map(({ content_type, filename, md5 }) => [md5, { filename, isImage: content_type.startsWith("image/") }])
  )
})

/** An Evernote export: one notebook, named after the file. */
export async function* readEnex(path: string, reading: Reading): Items {
  const scratch = await mkdtemp(join(reading.scratch, "enex-"))
  try {
    const { size } = await stat(path)
    const titles = await titlesOf(path, scratch, reading)
    const earlier = new EarlierNotes(reading.names, reading.findEarlier, reading.onExisting)
    if (reading.findEarlier !== undefined) await decide(path, scratch, earlier, reading)
    const folders = reading.hasNotebook === true ? [] : [stemOf(filenameOf(reading.filename))]
    const notes = enexNotes(path, scratch, reading.limits)
    let next = await notes.next()
    try {
      for (; next.done !== true; next = await notes.next()) {
        yield* noteItems(next.value, folders, titles, size, reading, earlier)
      }
    } finally {
      // A consumer that stops early leaves nothing open.
      await notes.return({ isWhole: true, title: "", outside: [] })
    }
    const { isWhole, outside, title } = next.value
    if (!isWhole) {
      const where = title === "" ? "" : ` of the note ${namedIn([title])}`
      yield problem("", "truncated", `The file ends in the middle${where}; the notes before it are imported`)
    }
    if (outside.length > 0) yield problem("", "skipped", `Text outside of its notes is left out: ${namedIn(outside)}`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The source of a text that could not be read completely, or not at all, as a file. */
const sourceOfText = (note: EnexNote, { keepsSource }: Converted, key: string, filename: string): Array<NoteFile> => {
  if (note.whole !== undefined) return [onDisk(key, { ...note.whole, filename }, note.resources.length)]
  return keepsSource === true ? [ofText(`${key}/source`, filename, "application/xml", note.content)] : []
}

function* problemsOf(note: EnexNote, path: string, ambiguous: ReadonlyArray<string>) {
  for (const { code, message } of note.problems) yield problem(path, code, message)
  if (!isText(note)) yield textRepaired(path)
  const unread = [note.created, note.updated].filter((time) => time !== "" && timeOf(time) === undefined)
  if (unread.length > 0) {
    yield problem(path, "date_not_read", `Its times are not valid dates: ${namedIn(unread)}`)
  }
  if (ambiguous.length > 0) {
    const message = `Several notes have the title of a link; it leads to the first of them: ${namedIn(ambiguous)}`
    yield problem(path, "link_ambiguous", message)
  }
}

async function* noteItems(
  note: EnexNote,
  folders: ReadonlyArray<string>,
  titles: ReadonlyMap<string, Titled>,
  size: number,
  { convert, filename, limits, now }: Reading,
  earlier: EarlierNotes
): Items {
  const key = String(note.index + 1)
  const title = cleaned(note.title)
  const path = title === "" ? `note ${key}` : titleOf(title)
  const stem = titleOf(title)
  const progress = size === 0 ? 1 : Math.min(1, note.read / size)
  if (earlier.isSkipped(key)) {
    yield { type: "skipped", progress }
    return
  }
  const resources = note.resources.map((resource, index) => onDisk(key, resource, index))
  const reminders = remindersOf(note, now)
  const { head, ...work } = textOf(note, resources, reminders)
  const text =
    note.whole === undefined
      ? await converted(
          convert,
          { kind: "enml", head, ...work },
          () => head + plainText(note.content) + tasksAlone(note.tasks),
          true
        )
      : withoutText(note, head, `${stem}.enml`)
  const files: Array<NoteFile> = [
    ...resources,
    ...(text.embedded ?? []).map((embedded, index) => inText(key, embedded, index)),
    ...sourceOfText(note, text, key, `${stem}.enml`)
  ]
  await earlier.reuse(
    key,
    files.map((file) => ({ key: file.key, filename: file.filename, sha256: () => sha256Of(file) }))
  )
  const byHash = new Map(resources.map((file) => [file.md5, file]))
  const used = new Set<NoteFile>()
  const url = (file: NoteFile): string => {
    used.add(file)
    return `attachment:${earlier.file(file.key)}`
  }
  const found = (target: string): NoteFile | undefined =>
    target.startsWith("data:") ? files[resources.length + Number(target.slice("data:".length))] : byHash.get(target)
  for (const link of text.links) {
    const file = link.kind === "media" ? found(link.target) : undefined
    if (file !== undefined) used.add(file)
  }
  const listed = files.filter((file) => !used.has(file))
  const ambiguous: Array<string> = []
  const created_at = timeOf(note.created)
  const made = noteOf(
    {
      key,
      path,
      folders,
      title,
      text: {
        ...clean(text),
        pieces: clean(text).pieces.map((piece, index) =>
          index === text.links.length ? piece + listOf(listed, piece, url) : piece
        )
      },
      tags: note.tags.map(cleaned),
      created_at,
      // The export has no time of change for a note that was never changed.
      updated_at: timeOf(note.updated) ?? created_at,
      reminders,
      progress,
      urlOf: (link) => {
        if (link.kind === "media") {
          const file = found(link.target)
          return file === undefined ? undefined : url(file)
        }
        const other = titles.get(titleOf(link.target).toLowerCase())
        if (other === undefined) return undefined
        if (!other.isOne) ambiguous.push(link.target)
        return `note:${earlier.note(other.key)}`
      },
      source: (keys) => earlier.sourceOf(key, sourceOf(note, filename), contentHash(note), keys),
      files: () => files.map((file) => file.key),
      keepWhole: (whole) => {
        const file = ofText(`${key}/text`, `${stem}.md`, "text/markdown", whole)
        files.push(file)
        return `attachment:${earlier.file(file.key)}`
      }
    },
    limits
  )
  yield* problemsOf(note, path, ambiguous)
  yield* made.problems
  yield made.note
  for (const file of files) if (!earlier.hasFile(file.key)) yield itemOf(key, earlier.updatedBy(key), file)
}

const clean = (text: Converted): Converted => ({ ...text, pieces: text.pieces.map(cleaned) })

/** Appends a list of files that the text does not show. */
const listOf = (files: ReadonlyArray<NoteFile>, before: string, url: (file: NoteFile) => string): string => {
  if (files.length === 0) return ""
  const rows = files.map((file) => {
    const isImage = file.content_type.startsWith("image/") || endingOf(file.filename) === "svg"
    return `${isImage ? "!" : ""}[${escapedName(file.filename)}](${url(file)})`
  })
  return `${before.trim() === "" ? "" : "\n"}${rows.join("\n\n")}\n`
}
