import { createReadStream } from "node:fs"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { stringify } from "yaml"
import { contentTypeOf, typeOfName } from "../MediaTypes.ts"
import { type Converted, type Embedded, plain } from "./Converted.ts"
import { cleaned } from "./Decoding.ts"
import { enexNotes, type EnexNote, mentions, type Resource } from "./Enex.ts"
import { type EnmlText, plainText } from "./Enml.ts"
import { type FileItem, problem, textRepaired } from "./Item.ts"
import { endingOf, filenameOf, stemOf, titleOf } from "./ItemNames.ts"
import { converted, type Items, noteOf } from "./NoteMaking.ts"
import type { Reading } from "./Options.ts"
import { escapedLabel } from "../markdown/WikiLinks.ts"

/** `20200102T030405Z`, with or without its zone; it stands for none where it is none. */
const timeOf = (text: string): string | undefined => {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?$/.exec(text.trim()) ?? []
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const extensions: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/vnd.evernote.ink": "ink",
  "audio/amr": "amr",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "text/plain": "txt"
}

const nameOf = ({ content_type, filename }: Resource, index: number): string => {
  const name = cleaned(filename).trim()
  if (name !== "") return filenameOf(name)
  const ending = extensions[content_type.toLowerCase()]
  return `file ${index + 1}${ending === undefined ? "" : `.${ending}`}`
}

const typeOf = (said: string, filename: string): string => {
  const type = contentTypeOf(said)
  return type === undefined || type === "application/octet-stream" ? typeOfName(filename) : type
}

/** A file of a note, under the key that links get their address by. */
interface NoteFile {
  readonly key: string
  readonly filename: string
  readonly content_type: string
  readonly size: number
  readonly md5: string
  readonly open: () => AsyncIterable<Uint8Array>
}

const onDisk = (note: string, resource: Resource, index: number): NoteFile => {
  const filename = nameOf(resource, index)
  return {
    key: `${note}/${index + 1}`,
    filename,
    content_type: typeOf(resource.content_type, filename),
    size: resource.size,
    md5: resource.md5,
    open: () => createReadStream(resource.path)
  }
}

const inText = (note: string, { base64, content_type, filename }: Embedded, index: number): NoteFile => {
  const bytes = Buffer.from(base64, "base64")
  const open = async function* () {
    yield bytes
  }
  const type = typeOf(content_type, filename)
  return {
    key: `${note}/data/${index + 1}`,
    filename: filenameOf(filename),
    content_type: type,
    size: bytes.length,
    md5: "",
    open
  }
}

const itemOf = (note: string, file: NoteFile): FileItem => ({
  type: "file",
  path: file.filename,
  uses: [{ key: file.key, note }],
  filename: file.filename,
  content_type: file.content_type,
  size: file.size,
  open: file.open
})

/** What a note has no place for, before its text. */
const headOf = ({ attributes }: EnexNote): string => {
  const place = [attributes.get("latitude"), attributes.get("longitude")]
  const matter = {
    source: attributes.get("source-url"),
    author: attributes.get("author"),
    location: place.every((part) => part) ? place.join(", ") : undefined
  }
  const said = Object.entries(matter).filter(([, value]) => value !== undefined && value.trim() !== "")
  if (said.length === 0) return ""
  return `---\n${stringify(Object.fromEntries(said.map(([key, value]) => [key, cleaned(value ?? "")])), { lineWidth: 0 })}---\n`
}

const remindersOf = ({ attributes }: EnexNote, now: Date) => {
  const remind_at = timeOf(attributes.get("reminder-time") ?? "")
  const isOver = timeOf(attributes.get("reminder-done-time") ?? "") !== undefined
  return remind_at === undefined || isOver || Date.parse(remind_at) <= now.getTime() ? [] : [{ remind_at }]
}

const isText = ({ content, title }: EnexNote): boolean =>
  cleaned(content) === content && !(content + title).includes("\ufffd")

/** The text of a note that has none which could be read. */
const withoutText = (note: EnexNote): Converted => ({
  ...plain(""),
  problems: [
    {
      code: "body_too_long",
      message: `Its text is too long to be read; it is attached to it as ${note.whole?.filename || "a file"}`
    }
  ]
})

/** Titles of all notes: links to other notes name nothing else that is known of them. */
const titlesOf = async (path: string, scratch: string, { limits }: Reading): Promise<ReadonlyMap<string, string>> => {
  const titles = new Map<string, string>()
  if (!(await mentions(path, "evernote:///")) && !(await mentions(path, "evernote.com/"))) return titles
  for await (const { index, title } of enexNotes(path, scratch, limits)) {
    const key = titleOf(title).toLowerCase()
    if (!titles.has(key)) titles.set(key, String(index + 1))
  }
  return titles
}

const textOf = (note: EnexNote, files: ReadonlyArray<NoteFile>): EnmlText => ({
  text: note.content,
  head: headOf(note),
  tasks: note.tasks,
  media: Object.fromEntries(
    files.map(({ content_type, filename, md5 }) => [md5, { filename, isImage: content_type.startsWith("image/") }])
  )
})

/** An export of Evernote: one notebook, called as its file is. */
export async function* readEnex(path: string, reading: Reading): Items {
  const scratch = await mkdtemp(join(reading.scratch, "enex-"))
  try {
    const { size } = await stat(path)
    const titles = await titlesOf(path, scratch, reading)
    const folders = [stemOf(filenameOf(reading.filename))]
    const notes = enexNotes(path, scratch, reading.limits)
    let next = await notes.next()
    try {
      for (; next.done !== true; next = await notes.next()) {
        yield* noteItems(next.value, folders, titles, size, reading)
      }
    } finally {
      // Whoever reads on no further leaves nothing open.
      await notes.return(true)
    }
    if (!next.value) yield problem("", "truncated", "The file ends in the middle; the notes before that are read")
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function* noteItems(
  note: EnexNote,
  folders: ReadonlyArray<string>,
  titles: ReadonlyMap<string, string>,
  size: number,
  { convert, limits, names, now }: Reading
): Items {
  const key = String(note.index + 1)
  const title = cleaned(note.title)
  const resources = note.resources.map((resource, index) => onDisk(key, resource, index))
  const whole =
    note.whole === undefined
      ? undefined
      : onDisk(key, { ...note.whole, filename: `${titleOf(title)}.enml` }, resources.length)
  const work = textOf(note, resources)
  const text =
    whole === undefined
      ? await converted(convert, { kind: "enml", ...work }, () => work.head + plainText(note.content))
      : withoutText(note)
  const files = [
    ...resources,
    ...(text.embedded ?? []).map((embedded, index) => inText(key, embedded, index)),
    ...(whole === undefined ? [] : [whole])
  ]
  const byHash = new Map(resources.map((file) => [file.md5, file]))
  const used = new Set<NoteFile>()
  const url = (file: NoteFile): string => {
    used.add(file)
    return `attachment:${names.file(file.key)}`
  }
  const found = (target: string): NoteFile | undefined =>
    target.startsWith("data:") ? files[resources.length + Number(target.slice("data:".length))] : byHash.get(target)
  for (const link of text.links) {
    const file = link.kind === "media" ? found(link.target) : undefined
    if (file !== undefined) used.add(file)
  }
  const listed = files.filter((file) => !used.has(file))
  const made = noteOf(
    {
      key,
      path: title === "" ? `note ${key}` : titleOf(title),
      folders,
      title,
      text: {
        ...clean(text),
        pieces: clean(text).pieces.map((piece, index) =>
          index === text.links.length ? piece + listOf(listed, piece, url) : piece
        )
      },
      tags: note.tags.map(cleaned),
      created_at: timeOf(note.created),
      updated_at: timeOf(note.updated),
      reminders: remindersOf(note, now),
      progress: size === 0 ? 1 : Math.min(1, note.read / size),
      urlOf: (link) => {
        if (link.kind === "media") {
          const file = found(link.target)
          return file === undefined ? undefined : url(file)
        }
        const other = titles.get(titleOf(link.target).toLowerCase())
        return other === undefined ? undefined : `note:${names.note(other)}`
      },
      files: () => files.map((file) => file.key),
      keepWhole: () => undefined
    },
    limits
  )
  for (const { code, message } of note.problems) yield problem(titleOf(title), code, message)
  if (!isText(note)) yield textRepaired(titleOf(title))
  yield* made.problems
  yield made.note
  for (const file of files) yield itemOf(key, file)
}

const clean = (text: Converted): Converted => ({ ...text, pieces: text.pieces.map(cleaned) })

/** Files that the text does not show follow it. */
const listOf = (files: ReadonlyArray<NoteFile>, before: string, url: (file: NoteFile) => string): string => {
  if (files.length === 0) return ""
  const rows = files.map((file) => {
    const isImage = file.content_type.startsWith("image/") || endingOf(file.filename) === "svg"
    return `${isImage ? "!" : ""}[${escapedLabel(file.filename)}](${url(file)})`
  })
  return `${before.trim() === "" ? "" : "\n"}${rows.join("\n\n")}\n`
}
