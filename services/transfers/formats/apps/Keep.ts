import { escapedName } from "../../../markdown/LinkText.ts"
import { namedIn } from "../Converted.ts"
import { Damaged, problem, type ProblemItem } from "../Item.ts"
import { stemOf } from "../ItemNames.ts"
import { valueOf } from "../JsonMembers.ts"
import { isPage } from "../markdown/NotePaths.ts"
import type { Items } from "../NoteMaking.ts"
import { baseOf, folderOf, junk } from "../Paths.ts"
import type { Reading } from "../ReadOptions.ts"
import { headBytes, isKeep, isKeepPage } from "../recognition/TextForms.ts"
import type { Entry } from "../zip/ArchiveDirectory.ts"
import { addressOf } from "../html/HtmlMarkdown.ts"
import { type AppNote, readApp } from "./AppNotes.ts"
import type { Container } from "./Container.ts"
import { type JsonObject, lineOf, listIn, objectIn, pastTime, textIn } from "./JsonValues.ts"
import { within } from "./Opening.ts"

/** Reads notes of Google Keep: a file of JSON or HTML for each note, alone or in the ZIP of a Google Takeout. */

const isJson = ({ path }: Entry): boolean => /\.json$/i.test(path)

/** Whether the text has formats that its plain form lacks. */
const isFormatted = (html: string): boolean =>
  /<(?:b|em|h[1-6]|i|s|strong|u)\b|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic|text-decoration:\s*(?:underline|line)/.test(
    html
  )

const tasksOf = (note: JsonObject): string =>
  listIn(note["listContent"])
    .map(objectIn)
    .map(({ isChecked, text }) => `- [${isChecked === true ? "x" : " "}] ${lineOf(textIn(text))}`)
    .join("\n")

/** Links of a note to pages, as Keep shows them below it. */
const pagesOf = (note: JsonObject): string =>
  listIn(note["annotations"])
    .map(objectIn)
    .flatMap(({ description, title, url }) => {
      const [address, label, about] = [textIn(url), lineOf(textIn(title)), lineOf(textIn(description))]
      const link = address === "" ? label : `[${escapedName(label || address)}](${addressOf(address)})`
      const said = [link, about === label ? "" : about].filter((part) => part !== "").join(": ")
      return said === "" ? [] : [`- ${said}`]
    })
    .join("\n")

interface Placed {
  readonly entry: Entry
  readonly folders: ReadonlyArray<string>
  readonly progress: number
  readonly now: Date
}

const noteOfRecord = (
  note: JsonObject,
  { entry, folders, now, progress }: Placed,
  fileAt: (path: string, from: Entry) => Entry | undefined
): AppNote => {
  const html = textIn(note["textContentHtml"])
  const format = isFormatted(html) ? "html" : "plain"
  const paths = listIn(note["attachments"]).map((each) => textIn(objectIn(each)["filePath"]))
  const found = paths.map((path) => fileAt(path, entry))
  const missing = paths.filter((path, index) => path !== "" && found[index] === undefined)
  const color = textIn(note["color"])
  const shared = listIn(note["sharees"]).flatMap((each) => textIn(objectIn(each)["email"]) || [])
  const micros = (name: string) => (typeof note[name] === "number" ? note[name] / 1000 : undefined)
  return {
    key: entry.key,
    id: baseOf(entry.path),
    path: entry.path,
    folders,
    title: textIn(note["title"]),
    text: format === "html" ? html : textIn(note["textContent"]),
    format,
    after: [tasksOf(note), pagesOf(note)].filter((part) => part !== "").join("\n\n"),
    properties: {
      color: color === "DEFAULT" ? "" : color.toLowerCase(),
      ...(shared.length > 1 ? { shared } : {})
    },
    tags: listIn(note["labels"]).map((each) => textIn(objectIn(each)["name"])),
    created_at: pastTime(micros("createdTimestampUsec"), now),
    updated_at: pastTime(micros("userEditedTimestampUsec"), now),
    archived: note["isArchived"] === true,
    pinned: note["isPinned"] === true,
    isTrashed: note["isTrashed"] === true,
    attached: found.filter((each) => each !== undefined),
    problems:
      missing.length === 0 ? [] : [{ code: "missing_file", message: `Files of it are missing: ${namedIn(missing)}` }],
    progress
  }
}

export const readKeep = (path: string, reading: Reading, isArchive: boolean): Items =>
  within(path, reading, isArchive, (files) => keepItems(files, reading))

async function* keepItems(files: Container, reading: Reading): Items {
  const { hasNotebook, limits, now } = reading
  const entries = files.entries.filter(({ path }) => !junk.test(path))
  const records: Array<Entry> = []
  for (const entry of entries.length === 1 ? entries : entries.filter((each) => isJson(each) || isPage(each.path))) {
    const head = await headOf(files, entry)
    if (isKeep(head) || isKeepPage(head)) records.push(entry)
  }
  const places = new Set(records.map(({ path }) => folderOf(path)))
  const stems = new Set(records.filter(isJson).map(({ path }) => stemOf(path)))
  // Most notes are exported twice, as JSON and as a page.
  const notes = records.filter((entry) => isJson(entry) || !isPage(entry.path) || !stems.has(stemOf(entry.path)))
  const attachments = entries.filter(({ path }) => places.has(folderOf(path)) && !isText(path))
  const isTaken = new Set([...records, ...attachments])
  const others = entries.filter((entry) => !isTaken.has(entry))
  if (others.length > 0) {
    const names = namedIn(others.map((entry) => entry.path))
    const count = others.length === 1 ? "1 file that is" : `${others.length} files that are`
    yield problem("", "skipped", `${count} not part of notes of Google Keep: ${names}`)
  }
  const byPath = new Map(attachments.map((entry) => [entry.path, entry]))
  const byStem = new Map(attachments.map((entry) => [stemOf(entry.path), entry]))
  const fileAt = (name: string, from: Entry): Entry | undefined => {
    const folder = folderOf(from.path)
    const path = folder === "" ? name : `${folder}/${name}`
    // Keep writes other endings of images into the note than into the archive.
    return byPath.get(path) ?? byStem.get(stemOf(path))
  }
  const byKey = new Map(notes.map((entry) => [entry.key, entry]))
  const folders = hasNotebook === true ? [] : ["Google Keep"]
  const noteIn = async (entry: Entry, progress: number): Promise<AppNote | ProblemItem> => {
    try {
      const text = (await files.bytes(entry, limits.textBytes)).toString()
      const place = { entry, folders, now, progress }
      if (/^\s*\{/.test(text.replace(/^\ufeff/, ""))) {
        return noteOfRecord(objectIn(valueOf(text.replace(/^\ufeff/, ""))), place, fileAt)
      }
      const linked = [...text.matchAll(/<img\b[^<>]{0,500}?\bsrc="([^"]{1,500})"/g)].flatMap(
        ([, src = ""]) => fileAt(src, entry) ?? []
      )
      const { key, path } = entry
      return { key, id: baseOf(path), path, folders, title: "", text, format: "keep-page", tags: [], linked, progress }
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      return problem(entry.path, error.code, error.message)
    }
  }
  yield* readApp(
    {
      name: "keep",
      files,
      attachments,
      notes: async function* () {
        for (const [index, entry] of notes.entries()) yield await noteIn(entry, (index + 1) / notes.length)
      },
      find: ({ target }, note) => {
        const entry = byKey.get(note.key)
        const file = entry === undefined ? undefined : fileAt(target, entry)
        return file === undefined ? undefined : { file }
      }
    },
    reading
  )
}

const isText = (path: string): boolean => /\.(?:json|x?html?|txt)$/i.test(path)

/** The beginning of a file; empty if it is damaged, which is reported when it is read. */
const headOf = async (files: Container, entry: Entry): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const chunk of files.stream(entry)) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= headBytes) break
    }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/^[\ufeff\s]+/, "")
}
