import { type Converted, namedIn } from "../Converted.ts"
import { Damaged, problem, type ProblemItem, Unreadable } from "../Item.ts"
import { membersOf, valueOf } from "../JsonMembers.ts"
import type { Items } from "../NoteMaking.ts"
import { junk } from "../Paths.ts"
import type { Reading } from "../ReadOptions.ts"
import { type AppNote, readApp } from "./AppNotes.ts"
import type { Container } from "./Container.ts"
import { type JsonObject, lineOf, listIn, objectIn, pastTime, textIn } from "./JsonValues.ts"
import { lexicalText } from "./LexicalText.ts"
import type { Entry } from "../zip/ArchiveDirectory.ts"
import { within } from "./Opening.ts"

/** Reads a decrypted backup of Standard Notes: one file of JSON, alone or in a ZIP next to copies of its notes. */

const backup = /Backup and Import File\.txt$/i
/** Maximum depth of tags in tags. */
const deepest = 10

/** Items of the backup, as objects; those that are no JSON are reported. */
async function* itemsOf(files: Container, entry: Entry, most: number) {
  let index = 0
  let read = 0
  for await (const { name, text } of membersOf(files.stream(entry), most)) {
    read += text.length
    if (name !== "items") continue
    index++
    const progress = Math.min(1, read / Math.max(1, entry.size))
    try {
      yield { item: objectIn(valueOf(text)), index, progress }
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      yield { problem: problem(`item ${index}`, error.code, error.message), index, progress }
    }
  }
}

const fenced = (text: string, language: string): string => {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const marks = "`".repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}\n`
}

/** Lists of tasks, in groups. */
const tasksOf = (source: string): string => {
  const groups = listIn(objectIn(valueOf(source))["groups"]).map(objectIn)
  return groups
    .map(({ name, tasks }) => {
      const rows = listIn(tasks)
        .map(objectIn)
        .map(({ completed, description }) => `- [${completed === true ? "x" : " "}] ${lineOf(textIn(description))}`)
      return [...(textIn(name) === "" ? [] : [`## ${lineOf(textIn(name))}`, ""]), ...rows].join("\n")
    })
    .join("\n\n")
}

type Text = Pick<AppNote, "text" | "format"> & { readonly problems: Converted["problems"] }

const asCode = (source: string, kind: string): Text => ({
  text: fenced(source, "json"),
  format: "markdown",
  problems: [
    { code: "not_converted", message: `Markdown has no form for a note of the type ${kind}; it is kept as code` }
  ]
})

/** The text of a note by its type. */
const textOf = (content: JsonObject): Text => {
  const source = textIn(content["text"])
  const kind = textIn(content["noteType"])
  const problems: Text["problems"] = []
  try {
    if (kind === "super") return { text: lexicalText(objectIn(valueOf(source))), format: "markdown", problems }
    if (kind === "task" && /^\s*\{/.test(source)) return { text: tasksOf(source), format: "markdown", problems }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return asCode(source, kind)
  }
  if (kind === "markdown" || kind === "task") return { text: source, format: "markdown", problems }
  if (kind === "rich-text") return { text: source, format: "html", problems }
  if (kind === "code") return { text: fenced(source, ""), format: "markdown", problems }
  return kind === "spreadsheet" || kind === "authentication"
    ? asCode(source, kind)
    : { text: source, format: "plain", problems }
}

/** The names of the tags of each note, with the tags around them, by the id of the note. */
const tagsOf = async (files: Container, entry: Entry, { limits }: Reading) => {
  const titles = new Map<string, { readonly title: string; readonly parent: string | undefined }>()
  const uses = new Map<string, Array<string>>()
  let count = 0
  for await (const { item } of itemsOf(files, entry, limits.textBytes)) {
    if (item === undefined || item["content_type"] !== "Tag" || item["deleted"] === true) continue
    const content = objectIn(item["content"])
    const own = textIn(item["uuid"])
    const references = listIn(content["references"]).map(objectIn)
    const parent = references.find((each) => /^(?:SN\|)?Tag$/.test(textIn(each["content_type"])))
    titles.set(own, { title: textIn(content["title"]), parent: parent && textIn(parent["uuid"]) })
    for (const { content_type, uuid } of references) {
      if (content_type !== "Note") continue
      if (++count > limits.uses) throw new Unreadable("too_many_links", `Tags are used more than ${limits.uses} times`)
      const known = uses.get(textIn(uuid))
      if (known === undefined) uses.set(textIn(uuid), [own])
      else known.push(own)
    }
  }
  const nameOf = (tag: string): string => {
    const names: Array<string> = []
    for (let at: string | undefined = tag; at !== undefined && names.length < deepest; at = titles.get(at)?.parent) {
      names.unshift(titles.get(at)?.title ?? "")
    }
    return names.filter((name) => name !== "").join("/")
  }
  return (note: string): ReadonlyArray<string> => (uses.get(note) ?? []).map(nameOf)
}

export const readStandardNotes = (path: string, reading: Reading, isArchive: boolean): Items =>
  within(path, reading, isArchive, (files) => notesIn(files, reading))

async function* notesIn(files: Container, reading: Reading): Items {
  const { hasNotebook, limits, now } = reading
  const entries = files.entries.filter((entry) => !junk.test(entry.path))
  const entry = entries.find((each) => backup.test(each.path)) ?? entries[0]!
  const tags = await tagsOf(files, entry, reading).catch((error: unknown) => {
    // Reported when the notes are read.
    if (!(error instanceof Damaged) || error instanceof Unreadable) throw error
    return () => []
  })
  const noteOf = (item: JsonObject, index: number, progress: number): AppNote | undefined => {
    if (item["content_type"] !== "Note" || item["deleted"] === true) return undefined
    if (typeof item["content"] === "string") {
      throw new Unreadable(
        "encrypted",
        "It is an encrypted backup. Export a decrypted one: Preferences, Backups, Data backups, Decrypted"
      )
    }
    const content = objectIn(item["content"])
    const app = objectIn(objectIn(content["appData"])["org.standardnotes.sn"])
    const id = textIn(item["uuid"])
    const title = textIn(content["title"])
    return {
      key: id === "" ? String(index) : `${id}/${index}`,
      id: id === "" ? String(index) : id,
      path: title === "" ? `note ${index}` : title,
      folders: hasNotebook === true ? [] : ["Standard Notes"],
      title,
      ...textOf(content),
      tags: tags(id),
      created_at: pastTime(item["created_at"], now),
      updated_at: pastTime(app["client_updated_at"], now) ?? pastTime(item["updated_at"], now),
      archived: app["archived"] === true,
      pinned: app["pinned"] === true,
      isTrashed: content["trashed"] === true,
      progress
    }
  }
  const notes = async function* (): AsyncGenerator<AppNote | ProblemItem> {
    for await (const { index, item, problem: unread, progress } of itemsOf(files, entry, limits.textBytes)) {
      const note = item === undefined ? unread : noteOf(item, index, progress)
      if (note !== undefined) yield note
    }
  }
  // The other texts are copies of the items.
  const isCopy = ({ path }: Entry) => /(?:^|\/)Items\//.test(path)
  const attachments = entries.filter((each) => each !== entry && !isCopy(each))
  const files_ = attachments.length === 0 ? "" : namedIn(attachments.map((each) => each.path))
  if (files_ !== "")
    yield problem("", "unused_files", `The backup does not state which notes use these files: ${files_}`)
  yield* readApp({ name: "standard-notes", files, attachments, notes }, reading)
}
