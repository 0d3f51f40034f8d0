import { parse } from "csv-parse/sync"
import type { Converted, Link } from "../Converted.ts"
import { addressOf } from "../html/HtmlMarkdown.ts"
import { cutAtLinks } from "../markdown/MarkdownText.ts"
import { ofProperties, type Property } from "./NotionValues.ts"
import { baseOf } from "../Paths.ts"
import type { Clock } from "../WrittenTime.ts"
import { decoded, escapedName } from "../../../markdown/LinkText.ts"

/** Converts Notion pages in Markdown, and databases in CSV. */

interface Relation {
  readonly start: number
  readonly end: number
  readonly label: string
  readonly target: string
  /** The text in its place if the target is not found. */
  readonly was?: string
}

/** `Name (path%20of%20the%20page.md), Other (…)`: relations in an export. */
const relationsIn = (value: string): ReadonlyArray<Relation> => {
  const found: Array<Relation> = []
  let at = 0
  for (const match of value.matchAll(/ \(([^()\s,]{1,2000}\.(?:md|csv|html))\)/g)) {
    const before = value.slice(at, match.index)
    const label = before.replace(/^,? ?/, "")
    const end = match.index + match[0].length
    found.push({ start: match.index - label.length, end, label: label.trim(), target: match[1] ?? "" })
    at = end
  }
  return found.length > 0 ? found : filesIn(value)
}

/** `Row%201/a.pdf, Row%201/b%20c.png`: files in an export. The archive decides whether they are files. */
const filesIn = (value: string): ReadonlyArray<Relation> => {
  const found: Array<Relation> = []
  let start = 0
  for (const was of value.split(/, ?/)) {
    if (!/^[^\s<>"|[\]]{1,2000}\/[^\s<>"|[\]/]{1,2000}\.[\w-]{1,20}$/.test(was) || was.includes("://")) return []
    start = value.indexOf(was, start)
    const end = start + was.length
    const target = was.replaceAll(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
    found.push({ start, end, label: baseOf(decoded(was)), target, was })
    start = end
  }
  return found
}

/** A text with its relations rewritten. */
const withRelations = (value: string, write: (relation: Relation) => string): string => {
  let text = ""
  let at = 0
  for (const relation of relationsIn(value)) {
    text += value.slice(at, relation.start) + write(relation)
    at = relation.end
  }
  return text + value.slice(at)
}

const linkTo = ({ label, target, was }: Pick<Relation, "label" | "target" | "was">): Link => ({
  target,
  kind: was === undefined ? "path" : "file",
  was: was ?? `[${escapedName(label)}](${addressOf(target)})`,
  before: `[${escapedName(label)}](`,
  after: ")",
  isEmbed: false
})

/** Lines `name: value` below the title of a page of a database, whose names are its columns. */
const propertiesIn = (lines: ReadonlyArray<string>, columns: ReadonlySet<string>): ReadonlyArray<Property> => {
  const found: Array<Property> = []
  for (const line of lines) {
    const [, name, value = ""] = /^(.{1,200}?): (.*)$/.exec(line) ?? []
    if (name === undefined || !columns.has(name)) break
    found.push({ name, value: value.trim() })
  }
  return found
}

/** Converts `<aside>`, which an export uses for callouts. */
const callouts = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const made: Array<string> = []
  let state: "text" | "code" | "first" | "callout" = "text"
  for (const line of lines) {
    if (state === "text" && line.trim() === "<aside>") state = "first"
    else if ((state === "first" || state === "callout") && line.trim() === "</aside>") state = "text"
    else if (state === "first") {
      if (line.trim() === "") continue
      made.push(`> [!note] ${line.trim()}`)
      state = "callout"
    } else if (state === "callout") made.push(line.trim() === "" ? ">" : `> ${line}`)
    else {
      if (/^(?:```|~~~)/.test(line)) state = state === "code" ? "text" : "code"
      made.push(line)
    }
  }
  return made
}

/** Converts a page of an export: its first line is its title, and the columns of its database follow. */
export const convertNotionMarkdown = (source: string, columns: ReadonlyArray<string>, clock: Clock): Converted => {
  const lines = source.split(/\r?\n/)
  const title = /^# (.*)$/.exec(lines[0] ?? "")?.[1]
  const start = title === undefined ? 0 : lines[1] === "" ? 2 : 1
  const properties = propertiesIn(lines.slice(start), new Set(columns))
  const rest = lines.slice(start + properties.length)
  while (rest[0] === "" && (title !== undefined || properties.length > 0)) rest.shift()
  const links: Array<Link> = []
  /** The original text of files by address, for files that the archive does not contain. */
  const written = new Map<string, string>()
  const linked = ({ label, target, was }: Relation): string => {
    if (was !== undefined) written.set(target, was)
    return `[${label.replaceAll(/[[\]]/g, "_")}](${target})`
  }
  const { head, ...said } = ofProperties(
    properties.map(({ name, value }) => ({
      name,
      value: typeof value === "string" ? withRelations(value, linked) : value
    })),
    clock
  )
  // A thematic break at the beginning must not look like front matter.
  if (/^---+\s*$/.test(rest[0] ?? "")) rest[0] = "***"
  const text = cutAtLinks(callouts(rest).join("\n"), "")
  const pieces: Array<string> = []
  let at = 0
  for (const match of head.matchAll(/\[([^\]\n]*)\]\(([^()\s]+)\)/g)) {
    pieces.push(head.slice(at, match.index))
    const [, label = "", target = ""] = match
    const was = written.get(target)
    links.push(linkTo({ label, target, ...(was === undefined ? {} : { was }) }))
    at = match.index + match[0].length
  }
  return {
    pieces: [...pieces, head.slice(at) + (text.pieces[0] ?? ""), ...text.pieces.slice(1)],
    links: [...links, ...text.links],
    ...(title === undefined ? {} : { title: title.trim() }),
    ...said
  }
}

/** The names of the columns only. */
export const columnsOf = (csv: string): ReadonlyArray<string> => {
  const [header = []] = parse(csv.slice(0, 64 * 1024), {
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_error: true,
    to: 1
  })
  return header.map(String)
}

const maxRows = 50_000

/** Converts a database to a table: the name of a row links to its page. */
export const convertNotionTable = (csv: string): Converted => {
  let unread = 0
  const all: ReadonlyArray<ReadonlyArray<string>> = parse(csv, {
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: () => {
      unread++
    },
    to: maxRows + 1
  })
  const rows = all.slice(0, maxRows)
  const problems: Array<Converted["problems"][number]> = []
  if (unread > 0) {
    problems.push({ code: "damaged", message: "Some of its rows cannot be read; the whole file is attached" })
  }
  if (all.length > rows.length) {
    const message = `It has more than ${maxRows} rows; the whole file is attached`
    problems.push({ code: "body_too_long", message })
  }
  const pieces: Array<string> = []
  const links: Array<Link> = []
  let piece = ""
  const link = (each: Link) => {
    pieces.push(piece)
    piece = ""
    links.push(each)
  }
  const cell = (text: string) =>
    text.trim().replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "\\<").replaceAll(/\r?\n/g, "<br>")
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  for (const [index, row] of rows.entries()) {
    for (let column = 0; column < width; column++) {
      piece += column === 0 ? "| " : " | "
      const value = row[column] ?? ""
      if (index > 0 && column === 0 && value.trim() !== "") {
        const label = cell(value)
        link({
          target: value.trim(),
          kind: "row",
          was: label,
          before: `[${label.replaceAll(/[[\]]/g, "\\$&")}](`,
          after: ")",
          isEmbed: false
        })
        continue
      }
      let at = 0
      for (const relation of index === 0 ? [] : relationsIn(value)) {
        piece += cell(value.slice(at, relation.start)) + (at === 0 ? "" : " ")
        link(linkTo({ ...relation, label: cell(relation.label) }))
        at = relation.end
      }
      piece += cell(value.slice(at))
    }
    piece += " |\n"
    if (index === 0) piece += `|${" - |".repeat(width)}\n`
  }
  return { pieces: [...pieces, piece], links, tags: [], problems, keepsSource: problems.length > 0 }
}
