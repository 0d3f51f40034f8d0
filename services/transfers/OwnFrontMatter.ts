import { isMap, isScalar, parseDocument, visit } from "yaml"
import type { WrittenNote } from "./ExportRows.ts"

/** The front matter of exports in Markdown: how it is written before a body, and found again. */

/** What a reader of YAML 1.1 takes for the end of a line, or does not take at all. */
const unreadable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** YAML 1.2 takes the strings of JSON as they are. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(unreadable, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)

const keys = ["id", "title", "tags", "created", "updated", "archived", "pinned"]

/** What is said of a note, without the line that ends it. */
const headOf = ({ archived, created_at, id, pinned, tags, title, updated_at }: WrittenNote): string =>
  `---
id: ${id}
title: ${quoted(title)}
tags:${tags.length === 0 ? " []" : tags.map((tag) => `\n  - ${quoted(tag)}`).join("")}
created: ${created_at}
updated: ${updated_at}
archived: ${archived}
pinned: ${pinned}
`

const text = String.raw`"(?:[^"\\\n]|\\.)*"`
const ownHead = new RegExp(
  String.raw`^---\nid: nt_[\w-]+\ntitle: ${text}\ntags:(?: \[\]|(?:\n  - ${text})+)\ncreated: \S+\nupdated: \S+\narchived: (?:true|false)\npinned: (?:true|false)\n`
)

const ending = "---\n"
/** With a title and fifty tags of which each sign is written by its number. */
const longestHead = 64 * 1024
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
    const [ours, theirs] = [contents.items.slice(0, keys.length), contents.items.slice(keys.length)]
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
    return (
      theirs.length > 0 &&
      !hasAlias &&
      theirs.every(({ key }) => isScalar(key) && !keys.includes(String(key.value).toLowerCase()))
    )
  } catch {
    // Its own parser gives up: brackets within brackets by the thousand.
    return false
  }
}

/** The file of a note whose body begins with properties: those stand behind ours, and are a block here again. */
interface Parts {
  readonly own: string
  readonly properties: string
  readonly rest: string
}

/**
 * The file of a note, whose links are in `body` as files have them. Other programs read the first front matter only:
 * properties that a body begins with go there, where `partsOf` finds them again as they were.
 */
export const fileOf = (note: WrittenNote, body: string): string => {
  const head = headOf(note)
  const own = head + ending
  const [properties = "", lines = ""] = body.startsWith(ending) ? (block.exec(body.slice(0, longest)) ?? []) : []
  const rest = body.slice(properties.length)
  // Links that were written anew would not come back.
  if (properties === "" || !note.body.startsWith(properties)) return own + body
  const file = head + lines + ending + rest
  const found = partsOf(file)
  const isSame = found?.own === own && found.properties === properties && found.rest === rest
  return isSame && isPlain(head.slice(ending.length) + lines) ? file : own + body
}

/** Undefined for any other file, also one of ours whose properties, if it has any, are a second block. */
export const partsOf = (file: string): Parts | undefined => {
  const head = ownHead.exec(file.slice(0, longestHead))?.[0]
  if (head === undefined) return undefined
  const [properties] = block.exec(ending + file.slice(head.length, head.length + longest)) ?? []
  if (properties === undefined) return undefined
  return { own: head + ending, properties, rest: file.slice(head.length + properties.length - ending.length) }
}
