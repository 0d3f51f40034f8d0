import { markedEncoding } from "../Decoding.ts"
import { type Found, refusals } from "./Forms.ts"

/** Recognises the format of a text by its beginning. */

/** Bytes of the beginning of a file that are examined. */
export const headBytes = 64 * 1024
/** Bytes up to which JSON without known members is parsed, which distinguishes it from text with brackets. */
const maxParsed = 8 * 1024 * 1024

/** Removes declarations, comments and a document type from the beginning of XML or HTML. */
const withoutProlog = (text: string): { readonly rest: string; readonly isXml: boolean; readonly isHtml: boolean } => {
  let rest = text
  let isXml = false
  let isHtml = false
  while (true) {
    const [part] =
      /^(?:<\?[^>]*>|<!--[^]*?-->|<!doctype\b[^>[]{0,500}(?:\[[^\]]{0,4000}\])?[^>]{0,500}>)\s*/i.exec(rest) ?? []
    if (part === undefined) return { rest, isXml, isHtml }
    isXml ||= part.startsWith("<?xml")
    isHtml ||= /^<!doctype\s+html\b/i.test(part)
    rest = rest.slice(part.length)
  }
}

const markup = (text: string, filename: string): Found => {
  const { isHtml, isXml, rest } = withoutProlog(text)
  const root = /^<([a-z][\w:-]*)/i.exec(rest)?.[1]?.toLowerCase()
  if (root === "en-export") return "enex"
  if (root === "opml") return refusals.opml
  if (isHtml || root === "html" || (/\.x?html?$/i.test(filename) && root !== undefined)) return "html"
  return isXml && root !== undefined ? refusals.xml : undefined
}

/** The header of a mail. Notes may begin with some of its lines, but have no identifier or version of it. */
const mailHeader = /^(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}/
const mail = (text: string): Found => {
  const header = mailHeader.exec(text.slice(0, 16_384))?.[0] ?? ""
  if (!/^(?:From|Received|Return-Path|Subject):/im.test(header)) return undefined
  if (!/^(?:MIME-Version|Message-ID):/im.test(header)) return undefined
  return /^Content-Type:\s*multipart\/related/im.test(header) && /^Snapshot-Content-Location:/im.test(header)
    ? refusals.webArchive
    : refusals.mail
}

/** A name of a member of an object, as it occurs in JSON. */
const has = (text: string, ...names: ReadonlyArray<string>): boolean =>
  names.every((name) => new RegExp(`"${name}"\\s*:`).test(text))

const isJson = (bytes: Uint8Array): boolean => {
  try {
    JSON.parse(Buffer.from(bytes).toString())
    return true
  } catch {
    return false
  }
}

const json = async (text: string, whole: () => Promise<Uint8Array | undefined>): Promise<Found> => {
  if (!/^(?:\{\s*["}]|\[\s*[[{"])/.test(text)) return undefined
  if (/^\{\s*"(?:activeNotes|trashedNotes)"\s*:\s*\[/.test(text)) return "simplenote"
  if (has(text, "items", "content_type") || (text.startsWith("{") && has(text, "items", "keyParams"))) {
    return "standard-notes"
  }
  if (isKeep(text)) return "keep"
  if (/^\{\s*"note"\s*:\s*\{\s*"id"\s*:\s*"nt_/.test(text)) return refusals.partOfExport
  if (has(text, "entries", "creationDate") || has(text, "metadata", "entries")) return refusals.dayOne
  const isRoam =
    /^\[\s*\{/.test(text) && has(text, "title") && (has(text, "children", "string") || has(text, "edit-time"))
  if (isRoam) return refusals.roam
  const bytes = await whole()
  return bytes === undefined || isJson(bytes) ? refusals.json : undefined
}

/** Whether a text begins as the JSON of a note of Google Keep. */
export const isKeep = (text: string): boolean =>
  text.startsWith("{") && has(text, "isTrashed") && (has(text, "isPinned") || has(text, "userEditedTimestampUsec"))

/** Whether a page is that of a note of Google Keep. */
export const isKeepPage = (html: string): boolean =>
  /<div class="note\b/.test(html) && /<div class="heading"/.test(html) && /<div class="content"/.test(html)

const decoded = (bytes: Uint8Array): string => {
  const encoding = markedEncoding(bytes) ?? "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

/** Returns the form of a file with these first bytes. `whole` returns all its bytes. */
export const textForm = async (
  head: Uint8Array,
  size: number,
  filename: string,
  whole: () => Promise<Uint8Array>
): Promise<Found> => {
  const text = decoded(head).replace(/^[\ufeff\s]+/, "")
  if (text.startsWith("{\\rtf")) return refusals.rtf
  if (text.startsWith("bplist00")) return refusals.webArchive
  if (/^BEGIN:VCALENDAR\s/.test(text)) return refusals.calendar
  if (/^BEGIN:VCARD\s/.test(text)) return refusals.contacts
  if (/^From \S+[^\n]*\n[\w-]+: /.test(text)) return refusals.mailbox
  const form = text.startsWith("<") ? markup(text, filename) : mail(text)
  if (form === "html" && isKeepPage(text)) return "keep"
  return form ?? (await json(text, async () => (size > maxParsed ? undefined : await whole())))
}
