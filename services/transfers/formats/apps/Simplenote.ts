import { Damaged, problem, type ProblemItem } from "../Item.ts"
import { maxTitle } from "../ItemNames.ts"
import { membersOf, valueOf } from "../JsonMembers.ts"
import type { Items } from "../NoteMaking.ts"
import { junk } from "../Paths.ts"
import type { Reading } from "../ReadOptions.ts"
import { type AppNote, readApp } from "./AppNotes.ts"
import { listIn, objectIn, pastTime, textIn } from "./JsonValues.ts"
import { within } from "./Opening.ts"

/** Reads an export of Simplenote: `notes.json`, alone or in a ZIP next to copies of its notes as text. */

/** The first line of a text, which is its title, and the other lines; a line that is too long stays in the text. */
const splitTitle = (content: string): { readonly title: string; readonly text: string } => {
  const [, first = "", rest = ""] = /^\s*([^\n]*)\n?([^]*)$/.exec(content.replaceAll("\r\n", "\n")) ?? []
  const title = first.replace(/^#{1,6}\s+/, "").trim()
  return title === "" || [...title].length > maxTitle ? { title: "", text: content } : { title, text: rest.trimStart() }
}

const noteOfRecord = (
  value: unknown,
  isTrashed: boolean,
  index: number,
  reading: Reading,
  progress: number
): AppNote => {
  const record = objectIn(value)
  const id = textIn(record["id"])
  const { text, title } = splitTitle(textIn(record["content"]))
  const system = listIn(record["systemTags"])
  const isMarked = (name: string) => record[name] === true || system.includes(name)
  const published = textIn(record["publishURL"])
  const shared = listIn(record["collaboratorEmails"]).filter((each) => typeof each === "string")
  return {
    key: String(index),
    id: id === "" ? String(index) : id,
    path: title === "" ? `note ${index}` : title,
    folders: reading.hasNotebook === true ? [] : ["Simplenote"],
    title,
    text,
    format: isMarked("markdown") ? "markdown" : "plain",
    properties: { published, ...(shared.length === 0 ? {} : { shared }) },
    tags: listIn(record["tags"]).map(textIn),
    created_at: pastTime(record["creationDate"], reading.now),
    updated_at: pastTime(record["lastModified"], reading.now),
    pinned: isMarked("pinned"),
    isTrashed,
    progress
  }
}

export const readSimplenote = (path: string, reading: Reading, isArchive: boolean): Items =>
  within(path, reading, isArchive, async function* (files) {
    const entries = files.entries.filter((entry) => !junk.test(entry.path))
    const entry = entries.find((each) => /(?:^|\/)notes\.json$/i.test(each.path)) ?? entries[0]!
    const notes = async function* (): AsyncGenerator<AppNote | ProblemItem> {
      let index = 0
      let read = 0
      for await (const { name, text } of membersOf(files.stream(entry), reading.limits.textBytes)) {
        read += text.length
        if (name !== "activeNotes" && name !== "trashedNotes") continue
        index++
        try {
          yield noteOfRecord(valueOf(text), name === "trashedNotes", index, reading, Math.min(1, read / entry.size))
        } catch (error) {
          if (!(error instanceof Damaged)) throw error
          yield problem(`note ${index}`, error.code, error.message)
        }
      }
    }
    // The other texts are copies of the notes.
    const attachments = entries.filter((each) => each !== entry && !/\.txt$/i.test(each.path))
    yield* readApp({ name: "simplenote", files, attachments, notes }, reading)
  })
