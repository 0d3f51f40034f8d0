import { frontMatter } from "../../markdown/PrivateParts.ts"
import type { Convert, Work } from "./Convert.ts"
import { type Converted, joined, type Link, namedIn, plain } from "./Converted.ts"
import { type Item, type Limits, type NoteItem, problem, type ProblemItem } from "./Item.ts"
import { isFolded, notebookOf, tagsOf, titleOf, titleRest } from "./ItemNames.ts"
import { paragraphs } from "./html/MarkdownWriter.ts"

/**
 * The converted text of a work, or its plain text if it cannot be converted. `keepsSource`: the plain text is
 * incomplete.
 */
export const converted = async (
  convert: Convert,
  work: Work,
  fallback: () => string,
  keepsSource = false
): Promise<Converted> => {
  let found: Converted | undefined
  try {
    found = await convert(work)
  } catch (error) {
    // Thousands of nested elements: tree parsers are recursive.
    if (!(error instanceof RangeError)) throw error
  }
  const where = keepsSource ? "it is kept as plain text, and its source is attached" : "it is kept as plain text"
  const message = `It could not be converted in reasonable time; ${where}`
  return found ?? { ...plain(fallback()), keepsSource, problems: [{ code: "too_complex", message }] }
}

export interface Draft {
  readonly key: string
  /** The path that is shown to users. */
  readonly path: string
  readonly folders: ReadonlyArray<string>
  readonly title: string
  readonly text: Converted
  readonly tags?: ReadonlyArray<string>
  readonly created_at?: string | undefined
  readonly updated_at?: string | undefined
  readonly reminders?: NoteItem["reminders"]
  readonly progress: number
  readonly urlOf: (link: Link) => string | undefined
  /** Keys of its files: those that its links have used. */
  readonly files: () => ReadonlyArray<string>
  readonly source: (files: ReadonlyArray<string>) => NoteItem["source"]
  /** Attaches the whole of a text that is cut, or its source, as a file, and returns the address of the file. */
  readonly keepWhole: (text: string) => string | undefined
}

const cutAt = (text: string, bytes: number): string => {
  const whole = Buffer.from(text)
  // Never within a character: the bytes that continue one begin with the bits 10.
  let end = bytes
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end--
  const cut = whole.toString("utf8", 0, end)
  const line = cut.lastIndexOf("\n")
  return line > cut.length * 0.9 ? cut.slice(0, line + 1) : cut
}

const lineOf = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

/** Inserts lines of plain text before a text, after its front matter. */
const withLines = (body: string, lines: ReadonlyArray<string>): string => {
  if (lines.length === 0) return body
  const start = frontMatter.exec(body)?.[0].length ?? 0
  const rest = body.slice(start)
  return body.slice(0, start) + paragraphs(lines) + (rest.trim() === "" ? "" : `\n${rest}`)
}

/** A note within the limits, and the problems of what had to change. */
export const noteOf = (
  draft: Draft,
  limits: Limits
): { readonly note: NoteItem; readonly problems: Array<ProblemItem> } => {
  const { path, text } = draft
  const problems = text.problems.map(({ code, message }) => problem(path, code, message))
  const lost: Array<string> = []
  const missing: Array<string> = []
  const { body: linked, links } = joined(text, (link) => {
    const url = draft.urlOf(link)
    if (url === undefined && !["row", "file", "property"].includes(link.kind))
      (link.isEmbed || link.kind === "media" ? missing : lost).push(link.target)
    return url
  })
  if (missing.length > 0) {
    problems.push(
      problem(path, "missing_file", `Embeds whose target is not in the file stay as written: ${namedIn(missing)}`)
    )
  }
  if (lost.length > 0) {
    problems.push(
      problem(path, "link_not_found", `Links whose target is not in the file stay as written: ${namedIn(lost)}`)
    )
  }
  const wanted = draft.title
  const rest = titleRest(wanted)
  if (rest !== "") {
    const message = "Its title has more than 200 characters; the rest is the first line of its text"
    problems.push(problem(path, "title_shortened", message))
  }
  if (isFolded(draft.folders)) {
    const message =
      "Its folders are deeper than five levels, or their names are too long for notebooks; they are shortened"
    problems.push(problem(path, "notebook_folded", message))
  }
  const { left, tags } = tagsOf([...(draft.tags ?? []), ...text.tags], text.areOwnTags)
  if (left.length > 0) {
    const message = `Tags that a note cannot have are listed in its text: ${namedIn(left)}`
    problems.push(problem(path, "tag_not_taken", message))
  }
  const unsaid = left.map(lineOf).filter((tag) => !linked.includes(tag))
  const whole = withLines(linked, [
    ...(rest === "" ? [] : [`… ${rest}`]),
    ...(unsaid.length === 0 ? [] : [`Tags: ${unsaid.join(", ")}`])
  ])

  let body = whole
  if (body.length > limits.bodyBytes / 3 && Buffer.byteLength(body) > limits.bodyBytes) {
    const url = draft.keepWhole(whole)
    const ending = url === undefined ? "" : `\n\n[…](${url})\n`
    body = cutAt(body, limits.bodyBytes - Buffer.byteLength(ending)) + ending
    const where = url === undefined ? "the rest is left out" : "the whole text is attached"
    problems.push(problem(path, "body_too_long", `Its text has more than ${limits.bodyBytes} bytes; ${where}`))
  }
  const updated_at = text.updated_at ?? draft.updated_at
  const created_at = text.created_at ?? draft.created_at
  const files = draft.files()
  const note: NoteItem = {
    type: "note",
    key: draft.key,
    notebook: notebookOf(draft.folders),
    title: titleOf(wanted),
    body,
    original: { path, links: body === whole ? links : within(body, links) },
    tags,
    ...(created_at === undefined ? {} : { created_at }),
    ...(updated_at === undefined ? {} : { updated_at }),
    ...(text.archived === undefined ? {} : { archived: text.archived }),
    ...(text.pinned === undefined ? {} : { pinned: text.pinned }),
    reminders: draft.reminders ?? (text.remind_at ?? []).map((remind_at) => ({ remind_at })),
    source: draft.source(files),
    files,
    progress: draft.progress
  }
  return { note, problems }
}

/** The links that are still in the body. */
const within = (body: string, links: NoteItem["original"]["links"]): NoteItem["original"]["links"] => {
  let at = 0
  return links.filter(({ now }) => {
    const found = body.indexOf(now, at)
    if (found >= 0) at = found + now.length
    return found >= 0
  })
}

export type Items = AsyncGenerator<Item, void, undefined>
