import type { Source } from "../Item.ts"

/** The formats that are imported. */
export type Form =
  | "markdown"
  | "html"
  | "enex"
  | "notion"
  | "json"
  | "keep"
  | "simplenote"
  | "standard-notes"
  | "joplin"

/** A format that is not imported: what it is, and what users can do. */
export interface Refused {
  readonly refused: string
  readonly advice: string
}

/** The form of a file by its content; undefined if nothing marks it, as with plain text. */
export type Found = Form | Refused | undefined

/** Names for users. */
export const formNames: Readonly<Record<Form, string>> = {
  markdown: "Markdown",
  html: "HTML",
  enex: "an export of Evernote",
  notion: "an export of Notion",
  json: "a JSON export of this service",
  keep: "an export of Google Keep",
  simplenote: "an export of Simplenote",
  "standard-notes": "a backup of Standard Notes",
  joplin: "an export of Joplin"
}

/** The format in which a file is read that was sent as `source`. */
export const formOf = (source: Source, found: Form | undefined): Form => {
  if (found === undefined) return source === "auto" ? "markdown" : source
  // Exports of Notion are also Markdown and HTML. A JSON export is never taken for a folder of texts.
  const isOpen = found === "markdown" || found === "html"
  return isOpen && (source === "notion" || source === "json") ? source : found
}

const mails = "Copy its text into a note, or save the mail as HTML and import that"
const office = "Save it as HTML, and import that"

/** Formats that are recognised and not imported. */
export const refusals = {
  calendar: { refused: "a calendar (iCalendar)", advice: "Only its program can read it" },
  contacts: { refused: "a list of contacts (vCard)", advice: "Only its program can read it" },
  dayOne: { refused: "a JSON export of Day One", advice: "Export the journal from Day One as plain text" },
  epub: { refused: "an e-book (EPUB)", advice: "Attach it to a note" },
  json: { refused: "JSON of another program", advice: "Export the notes from it as Markdown or HTML" },
  mail: { refused: "an e-mail", advice: mails },
  mailbox: { refused: "a mailbox", advice: mails },
  opml: { refused: "an outline (OPML)", advice: "Export the outline from its program as Markdown or HTML" },
  openDocument: { refused: "an OpenDocument file", advice: office },
  partOfExport: {
    refused: "one file of a JSON export of this service",
    advice: "Import the whole ZIP"
  },
  roam: { refused: "a JSON export of Roam Research", advice: "Export the pages from Roam Research as Markdown" },
  rtf: { refused: "rich text (RTF)", advice: "Save it as HTML or plain text, and import that" },
  excel: { refused: "an Excel workbook", advice: "Save it as CSV, and attach it to a note" },
  powerPoint: { refused: "a PowerPoint presentation", advice: "Attach it to a note" },
  webArchive: { refused: "a web archive", advice: "Save the page as HTML, and import that" },
  word: { refused: "a Word document", advice: office },
  xml: { refused: "XML of another program", advice: "Export the notes from it as Markdown or HTML" }
} as const satisfies Readonly<Record<string, Refused>>
