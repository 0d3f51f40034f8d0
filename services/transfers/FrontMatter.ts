import { isMap, isScalar, isSeq, type Pair, parseDocument, visit } from "yaml"
import { isClientMade } from "../Ids.ts"
import { titleOf } from "./ItemNames.ts"

/** What stands before the text of a Markdown file, between two lines of three hyphens. */

const block = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** Longer ones are text. */
const longest = 64 * 1024

export interface FrontMatter {
  /** What stays of it in the text: what the note has no place for. */
  readonly rest: string
  /** Where the text begins. */
  readonly end: number
  readonly title?: string
  readonly tags: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<string>
  readonly created_at?: string
  readonly updated_at?: string
  /** Of an export of this service: all that is known of its note. */
  readonly own?: { readonly archived: boolean; readonly pinned: boolean }
  readonly notRead: ReadonlyArray<{
    readonly code: "front_matter_not_read" | "date_not_read"
    readonly message: string
  }>
}

const titles = new Set(["title"])
const tagKeys = new Set(["tags", "tag"])
const aliasKeys = new Set(["aliases", "alias"])
const createdKeys = new Set(["created", "created_at", "createdat", "date created", "date"])
const updatedKeys = new Set([
  "updated",
  "updated_at",
  "updatedat",
  "modified",
  "date modified",
  "lastmod",
  "last_modified"
])

const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:\s?(?:Z|[+-]\d\d:?\d\d))?)?$/i

/** A date may say a day that its month does not have: JavaScript takes that for one of the next month. */
const isDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

const isoTimeOf = (text: string): string | undefined => {
  if (!isoDate.test(text) || !isDay(text.slice(0, 10))) return undefined
  const iso = text.replace(" ", "T").replace(/\s/, "")
  const time = new Date(iso.length === 10 || /(?:Z|[+-]\d\d:?\d\d)$/i.test(iso.slice(10)) ? iso : `${iso}Z`)
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1 ? undefined : time.toISOString()
}

const compactDate = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?$/

/** `20240105`, `202401051230` or `20240105123000`, as notes are numbered by their time. */
const compactTimeOf = (digits: string): string | undefined => {
  const [, year, month, day, hour = "00", minute = "00", second = "00"] = compactDate.exec(digits) ?? []
  return year === undefined ? undefined : isoTimeOf(`${year}-${month}-${day}T${hour}:${minute}:${second}`)
}

/** Of seconds or milliseconds since 1970, those from about 1980 to 2100: any other number, such as a year, means none. */
const epochTimeOf = (value: number): string | undefined => {
  if (value >= 3e8 && value <= 4.1e9) return new Date(value * 1000).toISOString()
  return value >= 6e11 && value <= 4.1e12 ? new Date(value).toISOString() : undefined
}

/** A time of which there is no doubt: RFC 3339, without an offset in UTC, its digits alone, or a count since 1970. */
const timeOf = (value: unknown): string | undefined => {
  if (typeof value === "number") return compactTimeOf(String(value)) ?? epochTimeOf(value)
  if (typeof value !== "string") return undefined
  const text = value.trim()
  return compactTimeOf(text) ?? isoTimeOf(text)
}

const textsOf = (node: unknown): ReadonlyArray<string> | undefined => {
  if (isScalar(node)) {
    const { value } = node
    if (value === null) return []
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [typeof node.source === "string" && typeof value !== "string" ? node.source : String(value)]
      : undefined
  }
  if (!isSeq(node)) return undefined
  const found: Array<string> = []
  for (const item of node.items) {
    if (!isScalar(item)) return undefined
    found.push(...(textsOf(item) ?? []))
  }
  return found
}

const rangeOf = (pair: Pair): readonly [number, number] | undefined => {
  const key = isScalar(pair.key) ? pair.key.range : undefined
  const value = isScalar(pair.value) || isSeq(pair.value) || isMap(pair.value) ? pair.value.range : undefined
  return key === undefined || key === null || value === undefined || value === null ? undefined : [key[0], value[2]]
}

const without = (text: string, ranges: ReadonlyArray<readonly [number, number]>): string => {
  let rest = ""
  let at = 0
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    rest += text.slice(at, start)
    at = Math.max(at, end)
  }
  return rest + text.slice(at)
}

const none = (text: string, end: number, message?: string): FrontMatter => ({
  rest: text.slice(0, end),
  end,
  tags: [],
  aliases: [],
  notRead: message === undefined ? [] : [{ code: "front_matter_not_read", message }]
})

/** What the exports of this service say of a note, and nobody else does. */
const ownOf = (values: ReadonlyMap<string, unknown>): FrontMatter["own"] => {
  const [id, archived, pinned] = ["id", "archived", "pinned"].map((key) => values.get(key))
  const isOwn = typeof id === "string" && isClientMade("nt", id)
  return isOwn && typeof archived === "boolean" && typeof pinned === "boolean" ? { archived, pinned } : undefined
}

/**
 * The front matter of a text. Of what cannot be read, all stays where it is; so does a date later than `now`: it says when
 * something is to be, and not when the note was made.
 */
export const frontMatterOf = (text: string, now: Date): FrontMatter => {
  const [whole = "", yaml = ""] = text.startsWith("---") ? (block.exec(text.slice(0, longest)) ?? []) : []
  const end = whole.length
  if (end === 0) return none(text, 0)
  let document
  try {
    document = parseDocument(yaml, { schema: "core", uniqueKeys: false, logLevel: "silent" })
  } catch {
    // Its own parser gives up: brackets within brackets by the thousand.
    return none(text, end, "Its front matter cannot be read as YAML; it stays in the text")
  }
  const { contents } = document
  if (document.errors.length > 0) {
    return none(text, end, `Its front matter is no YAML (${document.errors[0]?.code ?? ""}); it stays in the text`)
  }
  if (contents === null) return none(text, end)
  if (!isMap(contents) || contents.flow === true) return none(text, end)
  let hasAnchors = false
  visit(document, {
    Alias: () => {
      hasAnchors = true
      return visit.BREAK
    }
  })

  const tags: Array<string> = []
  const aliases: Array<string> = []
  const times: { created_at?: string; updated_at?: string } = {}
  const notRead: Array<FrontMatter["notRead"][number]> = []
  let title: string | undefined
  const taken: Array<readonly [number, number]> = []
  const own = ownOf(
    new Map(
      contents.items.flatMap(({ key, value }) =>
        isScalar(key) && isScalar(value) ? [[String(key.value), value.value] as const] : []
      )
    )
  )
  const drop = (pair: Pair) => {
    const range = rangeOf(pair)
    if (range !== undefined && !hasAnchors) taken.push(range)
  }
  for (const pair of contents.items) {
    if (!isScalar(pair.key)) continue
    const key = String(pair.key.value).toLowerCase()
    const texts = textsOf(pair.value)
    if (texts === undefined) continue
    if (own !== undefined && (key === "id" || key === "archived" || key === "pinned")) {
      drop(pair)
      continue
    }
    if (titles.has(key) && isScalar(pair.value) && title === undefined && texts[0]?.trim()) {
      title = texts[0]
      // What is cut of it would be lost.
      if (titleOf(title) === title.trim()) drop(pair)
    } else if (tagKeys.has(key)) {
      const split = isScalar(pair.value) ? texts.flatMap((each) => each.split(/[,\s]+/)) : texts
      tags.push(...split.filter((tag) => tag.trim() !== ""))
      drop(pair)
    } else if (aliasKeys.has(key)) {
      aliases.push(
        ...(isScalar(pair.value) ? texts.flatMap((each) => each.split(",")) : texts).map((name) => name.trim())
      )
    } else if ((createdKeys.has(key) || updatedKeys.has(key)) && isScalar(pair.value) && texts.length > 0) {
      const field = createdKeys.has(key) ? "created_at" : "updated_at"
      const time = timeOf(pair.value.value)
      // A clock that was ahead wrote an export of this service: that is no date of something else.
      if (time === undefined || (own === undefined && Date.parse(time) > now.getTime())) {
        notRead.push({
          code: "date_not_read",
          message: `What "${key}" says is not clear as a date of the past; it stays in the text`
        })
      } else if (times[field] === undefined) {
        times[field] = time
        drop(pair)
      }
    }
  }
  const left = without(yaml, taken)
  const isEmpty = left.trim() === ""
  const head = whole.slice(0, whole.indexOf("\n") + 1)
  const tail = whole.slice(head.length + yaml.length).replace(/^\r?\n/, "")
  const ending = left.endsWith("\n") ? "" : head.endsWith("\r\n") ? "\r\n" : "\n"
  return {
    rest: taken.length === 0 ? whole : isEmpty ? "" : head + left.replace(/^(?:[ \t]*\r?\n)+/, "") + ending + tail,
    end,
    ...(title === undefined ? {} : { title }),
    tags,
    aliases: aliases.filter((name) => name !== ""),
    ...times,
    ...(own === undefined ? {} : { own }),
    notRead
  }
}
