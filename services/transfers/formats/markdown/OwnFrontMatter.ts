import { isMap, isScalar, type Pair, parseDocument, visit } from "yaml"
import type { ListedFile } from "../Converted.ts"

/** What the front matter of a note has of it. */
interface FrontMatterNote {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
}

/** The front matter of exports in Markdown: how it is written before a body, and found again. */

/** What a reader of YAML 1.1 takes for the end of a line, or does not take at all. */
const unreadable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** YAML 1.2 takes the strings of JSON as they are. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(unreadable, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)

const keys = ["id", "title", "tags", "created", "updated", "files", "archived", "pinned"]

/** Files of a note that a reader of its text would not find, or would call otherwise. */
const listOf = (files: ReadonlyArray<ListedFile>): string =>
  files.length === 0
    ? ""
    : `files:${files
        .map(({ name, path }) =>
          name === undefined ? `\n  - ${quoted(path)}` : `\n  - {"path": ${quoted(path)}, "name": ${quoted(name)}}`
        )
        .join("")}\n`

/** What is said of a note, without the line that ends it. */
const headOf = (
  { archived, created_at, id, pinned, tags, title, updated_at }: FrontMatterNote,
  files: ReadonlyArray<ListedFile>
): string =>
  `---
id: ${id}
title: ${quoted(title)}
tags:${tags.length === 0 ? " []" : tags.map((tag) => `\n  - ${quoted(tag)}`).join("")}
created: ${created_at}
updated: ${updated_at}
${listOf(files)}archived: ${archived}
pinned: ${pinned}
`

const text = String.raw`"(?:[^"\\\n]|\\.)*"`
const listed = String.raw`\n  - (?:${text}|\{"path": ${text}, "name": ${text}\})`
const ownHead = new RegExp(
  String.raw`^(---\nid: nt_[\w-]+\ntitle: ${text}\ntags:(?: \[\]|(?:\n  - ${text})+)\ncreated: \S+\nupdated: \S+\n)(?:files:((?:${listed})+)\n)?(archived: (?:true|false)\npinned: (?:true|false)\n)`
)

const ending = "---\n"
/** With a title, fifty tags and a thousand files of which each sign is written by its number. */
const longestHead = 4 * 1024 * 1024
/** To read it costs time: longer ones are no properties that somebody has written. */
const longest = 4096

/** A block between two lines of three hyphens; its lines without those. */
const block = /^---\n((?:(?!(?:---|\.\.\.)[ \t]*\r?\n)[^\n]*\n){1,200})---\n/

/** Whether a block is properties, each once, that any reader of YAML takes: ours, and behind them others. */
const isPlain = (yaml: string): boolean => {
  try {
    const document = parseDocument(yaml, { schema: "core", logLevel: "silent" })
    const { contents, errors, warnings } = document
    if (errors.length + warnings.length > 0 || !isMap(contents)) return false
    const isOurs = ({ key }: Pair) => isScalar(key) && keys.includes(String(key.value).toLowerCase())
    const first = contents.items.findIndex((item) => !isOurs(item))
    const [ours, theirs] =
      first < 0 ? [contents.items, []] : [contents.items.slice(0, first), contents.items.slice(first)]
    const last = ours.at(-1)?.value
    // An indented line behind it would go on with its value.
    if (!isScalar(last) || typeof last.value !== "boolean") return false
    let hasAlias = false
    visit(document, {
      Alias: () => {
        hasAlias = true
        return visit.BREAK
      }
    })
    return theirs.length > 0 && !hasAlias && theirs.every((item) => isScalar(item.key) && !isOurs(item))
  } catch {
    // Its own parser gives up: brackets within brackets by the thousand.
    return false
  }
}

/** The file of an exported note. Properties that its body begins with stand behind ours, and are a block here again. */
interface Parts {
  /** The front matter without the files. */
  readonly own: string
  readonly files: ReadonlyArray<ListedFile>
  readonly properties: string
  readonly rest: string
}

/**
 * The file of a note, whose links are in `body` as files have them, and the files of it that `body` does not say all of.
 * Other programs read the first front matter only: properties that a body begins with go there, where `partsOf` finds them
 * again as they were.
 */
export const fileOf = (note: FrontMatterNote, body: string, files: ReadonlyArray<ListedFile>): string => {
  const head = headOf(note, files)
  const [properties = "", lines = ""] = body.startsWith(ending) ? (block.exec(body.slice(0, longest)) ?? []) : []
  const rest = body.slice(properties.length)
  // Links that were written anew would not come back.
  if (properties === "" || !note.body.startsWith(properties)) return head + ending + body
  const file = head + lines + ending + rest
  const found = partsOf(file)
  const isSame = found?.own === headOf(note, []) + ending && found.properties === properties && found.rest === rest
  return isSame && isPlain(head.slice(ending.length) + lines) ? file : head + ending + body
}

const listedFiles = new RegExp(String.raw`\n  - (?:(${text})|\{"path": (${text}), "name": (${text})\})`, "g")

/** Undefined for any other file. */
export const partsOf = (file: string): Parts | undefined => {
  const [head, first = "", list = "", last = ""] = ownHead.exec(file.slice(0, longestHead)) ?? []
  if (head === undefined) return undefined
  const isWhole = file.startsWith(ending, head.length)
  const [properties = ""] = isWhole ? [] : (block.exec(ending + file.slice(head.length, head.length + longest)) ?? [])
  if (!isWhole && properties === "") return undefined
  try {
    const files = [...list.matchAll(listedFiles)].map(([, only, path, name]): ListedFile =>
      only === undefined
        ? { path: String(JSON.parse(path!)), name: String(JSON.parse(name!)) }
        : { path: String(JSON.parse(only)) }
    )
    const behind = head.length + (isWhole ? ending.length : properties.length - ending.length)
    return { own: first + last + ending, files, properties, rest: file.slice(behind) }
  } catch {
    // Escapes that JSON does not have: not written by an export.
    return undefined
  }
}
