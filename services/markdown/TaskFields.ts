import { isCalendarDate } from "../CalendarDate.ts"
import { folded } from "./LinkText.ts"
import { inlineTagsOf } from "./syntax/InlineTags.ts"
import { masked, opaqueIn, type Range } from "./syntax/OpaqueText.ts"

/**
 * The fields in the text of a task: `buy milk 📅 2026-12-01` as the Tasks of Obsidian write them, `[due:: 2026-12-01]` as
 * Dataview does, or `due:2026-12-01`. A sign separates words as white space does.
 */

export const priorities = ["highest", "high", "medium", "low", "lowest"] as const
export type Priority = (typeof priorities)[number]

export interface TaskFields {
  /** The words without the signs of fields and without the name of the block, with single blanks. Tags are words. */
  readonly text: string
  readonly due: string | null
  readonly scheduled: string | null
  readonly start: string | null
  readonly completed: string | null
  readonly priority: Priority | null
  /** In the order of the text, each once whatever its case. */
  readonly tags: ReadonlyArray<string>
}

/** Fields to write. Dates are dates of the calendar; null removes a field. */
export interface TaskChange {
  /** Signs in it count, and replace the signs of the same fields. */
  readonly text?: string
  readonly due?: string | null
  readonly scheduled?: string | null
  readonly start?: string | null
  readonly priority?: Priority | null
}

const writable = ["due", "scheduled", "start", "priority"] as const
type Writable = (typeof writable)[number]

/** The fields of keys and of emoji. */
const fields: Readonly<Record<string, Writable | "completed" | "created" | "cancelled" | "recurrence">> = {
  due: "due",
  scheduled: "scheduled",
  start: "start",
  completion: "completed",
  created: "created",
  cancelled: "cancelled",
  repeat: "recurrence",
  priority: "priority",
  "📅": "due",
  "📆": "due",
  "🗓": "due",
  "⏳": "scheduled",
  "⌛": "scheduled",
  "🛫": "start",
  "✅": "completed",
  "❌": "cancelled",
  "➕": "created",
  "🔁": "recurrence"
}

const emoji = { due: "📅", scheduled: "⏳", start: "🛫" }
const levels: Readonly<Record<Priority, string>> = { highest: "🔺", high: "⏫", medium: "🔼", low: "🔽", lowest: "⏬" }

interface Sign extends Range {
  readonly field: (typeof fields)[string]
  readonly form: Form
  readonly value: string
  /** The value as written, which is the last such text in the sign. */
  readonly written: string
}

/** How a new sign of each form is written. */
const forms = {
  emoji: (field: Writable, value: string) =>
    field === "priority" ? levels[value as Priority] : `${emoji[field]} ${value}`,
  square: (field: Writable, value: string) => `[${field}:: ${value}]`,
  round: (field: Writable, value: string) => `(${field}:: ${value})`,
  plain: (field: Writable, value: string) => `${field}:${value}`
}
type Form = keyof typeof forms

/** At most one blank, so that no sign extends over two. Signs that are already found are line breaks. */
const blank = String.raw`[^\S\n]`
const key = "(?<key>due|scheduled|start|completion|created|cancelled|repeat|priority)"
const date = String.raw`\d{4}-\d\d-\d\d`
const end = String.raw`(?![\p{L}\p{M}\p{N}_:/-])`
const recurrence = `every(?:(?:${blank}|,${blank}?)[a-z0-9!]+)+(?![\\p{L}\\p{M}\\p{N}])`
const bracketed = `${key}::${blank}?(?<value>${date}|[a-z]+|${recurrence})`

/** The forms of signs. A sign of a later one may begin where a sign of an earlier one ends. */
const readers = (
  [
    ["emoji", `(?<key>[📅📆🗓⏳⌛🛫✅❌➕])\\uFE0F?${blank}?(?<value>${date})${end}`],
    ["emoji", `(?<value>[${Object.values(levels).join("")}])\\uFE0F?`],
    // A label with a target behind it is a link.
    ["square", `\\[${bracketed}\\](?!\\()`],
    ["round", `\\(${bracketed}\\)`],
    ["plain", `(?<=^|\\s)${key}:${blank}?(?<value>${date}|[a-z]+)${end}`],
    ["emoji", `(?<key>🔁)\\uFE0F?${blank}?(?<value>${recurrence})`]
  ] as const
).map(([form, source]) => ({ form, pattern: new RegExp(source, "giu") }))

/** The value that a sign states for its field; undefined if it is none. */
const valueOf = (field: Sign["field"], written: string): string | undefined => {
  if (field === "recurrence") return /^every\s/i.test(written) ? written : undefined
  if (field !== "priority") return isCalendarDate(written) ? written : undefined
  return priorities.find((level) => level === written.toLowerCase() || levels[level] === written)
}

const sourceOf = (text: string, { end, start }: Range): string => text.slice(start, end)

const singleBlanks = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

/** The name of the block at the end of its words, such as `^plan`. */
const blockName = /(?:^|\s)(\^[A-Za-z0-9-]{1,100})$/

interface Reading {
  /** In the order of the text. */
  readonly signs: ReadonlyArray<Sign>
  readonly words: string
  readonly name: string
  readonly tags: ReadonlyArray<string>
}

const read = (text: string): Reading => {
  let signs: ReadonlyArray<Sign> = []
  let rest = masked(text, opaqueIn(text), "`")
  for (const { form, pattern } of readers) {
    const found: Array<Sign> = []
    for (const { 0: whole, groups, index: start } of rest.matchAll(pattern)) {
      const { key, value: written = "" } = groups!
      const field = key === undefined ? "priority" : fields[key.toLowerCase()]
      const value = field && valueOf(field, written)
      if (field && value) found.push({ field, form, value, written, start, end: start + whole.length })
    }
    rest = masked(rest, found, "\n")
    signs = signs.concat(found)
  }
  signs = signs.toSorted((one, other) => one.start - other.start)
  const words = singleBlanks(masked(text, signs, " "))
  const tags = new Map<string, string>()
  for (const tag of inlineTagsOf(rest)) if (!tags.has(folded(tag))) tags.set(folded(tag), tag)
  return {
    signs,
    words: words.replace(blockName, ""),
    name: blockName.exec(words)?.[1] ?? "",
    tags: [...tags.values()]
  }
}

/** The fields of a task, whose text is `text`. The first sign of a field counts. Code and addresses of links have none. */
export const taskFieldsOf = (text: string): TaskFields => {
  const { signs, tags, words } = read(text)
  const first = (field: Sign["field"]) => signs.find((sign) => sign.field === field)?.value ?? null
  return {
    text: words,
    due: first("due"),
    scheduled: first("scheduled"),
    start: first("start"),
    completed: first("completed"),
    priority: first("priority") as Priority | null,
    tags
  }
}

/**
 * The text with other signs; empty ones are removed, each with a blank. At least `gap` separates what a removed sign has
 * separated.
 */
const withSigns = (text: string, signs: ReadonlyArray<Sign>, newOf: (sign: Sign) => string, gap: string): string => {
  let made = ""
  let last = ""
  let isAfterRemoved = false
  const add = (part: string) => {
    if (part === "") return
    const blanks = Number(/\s/.test(last)) + Number(/\s/.test(part[0]!))
    if (isAfterRemoved && made === "") made = part.replace(/^\s/, "")
    else if (isAfterRemoved && blanks > gap.length) made += part.slice(1)
    else made += (isAfterRemoved ? gap.slice(blanks) : "") + part
    last = part.at(-1)!
    isAfterRemoved = false
  }
  let at = 0
  for (const sign of signs) {
    add(text.slice(at, sign.start))
    const instead = newOf(sign)
    if (instead === "") isAfterRemoved = true
    add(instead)
    at = sign.end
  }
  add(text.slice(at))
  return isAfterRemoved ? made.replace(/\s$/, "") : made
}

/** The text with other words, where its words begin: later signs follow the new words. */
const withWords = (text: string, wanted: string, gap: string): string => {
  const replaced = new Set(read(wanted).signs.map(({ field }) => field))
  const isReplaced = ({ field }: Sign) => replaced.has(field)
  const left = withSigns(text, read(text).signs, (sign) => (isReplaced(sign) ? "" : sourceOf(text, sign)), gap)
  const { name, signs, words } = read(left)
  const first = (words === "" ? left : masked(left, signs, " ")).search(/\S/)
  const at = first < 0 ? left.length : first
  const head = left.slice(0, at)
  const ownName = blockName.exec(wanted)?.[0] ?? ""
  const parts = [
    wanted.slice(0, wanted.length - ownName.length),
    ...signs.filter(({ start }) => start >= at).map((sign) => sourceOf(left, sign)),
    ownName.trim() || name
  ]
  const isApart = head.trim() === "" || head.slice(-gap.length).trim() === ""
  const end = left.slice(Math.max(at, left.trimEnd().length))
  return (isApart ? head : head.trimEnd() + gap) + parts.filter((part) => part !== "").join(" ") + end
}

/** The text with other values. A new sign is at the end, before the name of the block, in the form of the last sign. */
const withValues = (text: string, change: TaskChange, gap: string): string => {
  const { signs } = read(text)
  const form = forms[signs.at(-1)?.form ?? "plain"]
  const edits = new Map<Sign, string>()
  const added: Array<string> = []
  for (const field of writable) {
    const value = change[field]
    const present = signs.filter((sign) => sign.field === field)
    const [first] = present
    if (value === undefined || value === (first?.value ?? null)) continue
    if (value === null) for (const sign of present) edits.set(sign, "")
    else if (first === undefined) added.push(form(field, value))
    else {
      const source = sourceOf(text, first)
      const at = source.lastIndexOf(first.written)
      const isEmoji = first.written === levels[first.value as Priority]
      const written = isEmoji ? levels[value as Priority] : value
      edits.set(first, source.slice(0, at) + written + source.slice(at + first.written.length))
    }
  }
  const made = withSigns(text, signs, (sign) => edits.get(sign) ?? sourceOf(text, sign), gap)
  if (added.length === 0) return made
  const words = made.trimEnd()
  const head = words.slice(0, words.length - (blockName.exec(words)?.[0].length ?? 0)).trimEnd()
  if (head !== "") return `${head} ${added.join(" ")}${made.slice(head.length)}`
  const at = made.search(/\S|$/)
  return made.slice(0, at) + [...added, ...(at < made.length ? [made.slice(at)] : [])].join(" ")
}

/**
 * The text of a task with other fields, each in the form that it has. A new field gets the form of the last sign, else
 * `due:2026-12-01`. All other characters stay, except for a blank next to a removed sign.
 */
export const withTaskFields = (text: string, change: TaskChange): string => {
  const before = taskFieldsOf(text)
  const wanted = change.text === undefined ? before.text : singleBlanks(change.text)
  const isOther = wanted !== before.text
  const { tags, text: words, ...own } = isOther ? taskFieldsOf(wanted) : before
  const stated = Object.entries(own).filter(([, value]) => value !== null)
  const changed = writable.flatMap((field) => (change[field] === undefined ? [] : [[field, change[field]] as const]))
  const expected = { ...before, ...Object.fromEntries([...stated, ...changed]), text: words, tags }
  const madeWith = (gap: string) => withValues(isOther ? withWords(text, wanted, gap) : text, change, gap)
  const made = madeWith(" ")
  // Two blanks keep words apart from signs next to them, such as `due: 📅 2026-12-01 2026-12-24` without its date.
  return JSON.stringify(taskFieldsOf(made)) === JSON.stringify(expected) ? made : madeWith("  ")
}
