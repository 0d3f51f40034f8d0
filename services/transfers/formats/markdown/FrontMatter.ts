import { isCollection, isMap, isScalar, isSeq, type Pair, parseDocument, visit, type YAMLMap } from "yaml"
import { isClientMade } from "../../../Ids.ts"
import { type FrontMatterBlock, frontMatterBlockOf } from "../../../markdown/FrontMatterBlock.ts"
import { yamlOfToml } from "../../../markdown/syntax/TomlYaml.ts"
import type { ListedFile } from "../Converted.ts"
import { titleOf } from "../ItemNames.ts"
import { type Clock, timeOf } from "../WrittenTime.ts"

/** Reads the front matter of a Markdown file. */

export interface FrontMatter {
  /** The front matter that stays in the text, because the note has no member for it. */
  readonly rest: string
  /** The position where the text begins. */
  readonly end: number
  readonly title?: string
  readonly tags: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<string>
  readonly created_at?: string
  readonly updated_at?: string
  /** In an export of this service: the state of its note. */
  readonly own?: { readonly archived: boolean; readonly pinned: boolean }
  /** The files of that note, if its front matter lists them. */
  readonly files?: ReadonlyArray<ListedFile>
  readonly notRead: ReadonlyArray<{
    readonly code: "front_matter_not_read" | "date_not_read"
    readonly message: string
  }>
}

const titles = new Set(["title"])
const tagKeys = new Set(["tags", "tag"])
const aliasKeys = new Set(["aliases", "alias"])
// Programs write these with blanks, hyphens or underscores, or without any.
const createdKeys = new Set(["created", "createdat", "createdtime", "datecreated", "creationdate", "date"])
const updatedKeys = new Set([
  "updated",
  "updatedat",
  "dateupdated",
  "modified",
  "modifiedat",
  "datemodified",
  "modificationdate",
  "lastmod",
  "lastmodified",
  "lastupdated"
])
const bare = (key: string): string => key.replaceAll(/[ _-]/g, "")

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

/** A list of paths, or of paths with names. */
const listedIn = (node: unknown): ReadonlyArray<ListedFile> | undefined => {
  if (!isSeq(node)) return undefined
  const files: Array<ListedFile> = []
  for (const item of node.items) {
    const [path, name] = isMap(item) ? [item.get("path"), item.get("name")] : [isScalar(item) ? item.value : undefined]
    if (typeof path !== "string") return undefined
    files.push({ path, ...(typeof name === "string" ? { name } : {}) })
  }
  return files
}

const rangeOf = (pair: Pair): readonly [number, number] | undefined => {
  const key = isScalar(pair.key) ? pair.key.range : undefined
  const value = isScalar(pair.value) || isSeq(pair.value) || isMap(pair.value) ? pair.value.range : undefined
  return key === undefined || key === null || value === undefined || value === null ? undefined : [key[0], value[2]]
}

/** A part of a text and its replacement. */
type Cut = readonly [start: number, end: number, instead: string]

const without = (text: string, cuts: ReadonlyArray<Cut>): string => {
  let rest = ""
  let at = 0
  for (const [start, end, instead] of cuts.toSorted((a, b) => a[0] - b[0])) {
    rest += text.slice(at, start) + instead
    at = Math.max(at, end)
  }
  return rest + text.slice(at)
}

/** The comments in and after a value, as separate lines. */
const commentsOf = (pair: Pair): string => {
  const found: Array<string> = []
  const add = (node: unknown) => {
    if (!isScalar(node) && !isCollection(node)) return
    for (const comment of [node.commentBefore, node.comment]) {
      if (comment) found.push(...comment.split("\n").map((line) => `#${line}\n`))
    }
    if (isSeq(node)) for (const item of node.items) add(item)
  }
  add(pair.value)
  return found.join("")
}

const none = (text: string, end: number, message?: string): FrontMatter => ({
  rest: text.slice(0, end),
  end,
  tags: [],
  aliases: [],
  notRead: message === undefined ? [] : [{ code: "front_matter_not_read", message }]
})

/** The members that only exports of this service write together. */
const ownOf = (values: ReadonlyMap<string, unknown>): FrontMatter["own"] => {
  const [id, archived, pinned] = ["id", "archived", "pinned"].map((key) => values.get(key))
  const isOwn = typeof id === "string" && isClientMade("nt", id)
  return isOwn && typeof archived === "boolean" && typeof pinned === "boolean" ? { archived, pinned } : undefined
}

const tomlString = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g

/** TOML as YAML, with its comments first; undefined if it is not valid TOML. */
const yamlOf = (toml: string): string | undefined => {
  let values: string
  try {
    values = yamlOfToml(toml)
  } catch {
    // Invalid TOML stays as it is; the import reports it.
    return undefined
  }
  const comments = [...toml.replaceAll(tomlString, "").matchAll(/#.*/g)].map(([comment]) => `${comment.trimEnd()}\n`)
  return comments.join("") + values
}

/** Front matter in TOML, read as the equivalent YAML; what remains of it is written as YAML. */
const tomlFrontMatter = (text: string, { content, end }: FrontMatterBlock, clock: Clock): FrontMatter => {
  const yaml = yamlOf(content)
  if (yaml === undefined) {
    return none(text, end, "Its front matter between plus signs is invalid TOML; it stays in the text")
  }
  const found = frontMatterOf(`---\n${yaml}---\n`, clock)
  return { ...found, end }
}

/** A text with additional lines of YAML in its front matter. */
export const withProperties = (text: string, lines: string): string => {
  if (lines === "") return text
  const block = frontMatterBlockOf(text)
  if (block?.language !== "yaml") return `---\n${lines}---\n${text}`
  const { content: yaml } = block
  const start = text.indexOf("\n") + 1
  const end = start + yaml.length
  const before = yaml === "" || yaml.endsWith("\n") ? "" : "\n"
  return text.slice(0, end) + before + (yaml === "" ? lines : lines.replace(/\n$/, "")) + text.slice(end)
}

/** The map that a YAML is, and whether it has aliases of its parts; or the problem that it has, if any. */
const mapIn = (yaml: string): { readonly contents: YAMLMap; readonly hasAnchors: boolean } | string | undefined => {
  let document
  try {
    document = parseDocument(yaml, { schema: "core", uniqueKeys: false, logLevel: "silent" })
  } catch {
    // The YAML parser fails on thousands of nested brackets.
    return "Its front matter cannot be read as YAML; it stays in the text"
  }
  const { contents, errors } = document
  if (errors.length > 0) return `Its front matter is invalid YAML (${errors[0]?.code ?? ""}); it stays in the text`
  if (!isMap(contents) || contents.flow === true) return undefined
  let hasAnchors = false
  visit(document, {
    Alias: () => {
      hasAnchors = true
      return visit.BREAK
    }
  })
  return { contents, hasAnchors }
}

/** What remains of a block of front matter, when parts of its YAML are taken. */
const remaining = (whole: string, yaml: string, taken: ReadonlyArray<Cut>): string => {
  if (taken.length === 0) return whole
  const left = without(yaml, taken)
  if (left.trim() === "") return ""
  const head = whole.slice(0, whole.indexOf("\n") + 1)
  const tail = whole.slice(head.length + yaml.length).replace(/^\r?\n/, "")
  const ending = left.endsWith("\n") ? "" : head.endsWith("\r\n") ? "\r\n" : "\n"
  return head + left.replace(/^(?:[ \t]*\r?\n)+/, "") + ending + tail
}

/**
 * The front matter of a text. Front matter that cannot be read stays in the text, and so does a date later than now,
 * because it is not the date of the note's creation.
 */
export const frontMatterOf = (text: string, clock: Clock): FrontMatter => {
  const block = frontMatterBlockOf(text)
  if (block === undefined) return none(text, 0)
  if (block.language === "toml") return tomlFrontMatter(text, block, clock)
  const { content: yaml, end } = block
  // Two lines without content between them are not thematic breaks of the text.
  if (yaml.trim() === "") return { ...none(text, end), rest: "" }
  const map = mapIn(yaml)
  if (typeof map !== "object") return none(text, end, map)
  const { contents, hasAnchors } = map
  const tags: Array<string> = []
  const aliases: Array<string> = []
  const times: { created_at?: string; updated_at?: string } = {}
  const notRead: Array<FrontMatter["notRead"][number]> = []
  let title: string | undefined
  let files: ReadonlyArray<ListedFile> | undefined
  const taken: Array<Cut> = []
  const own = ownOf(
    new Map(
      contents.items.flatMap(({ key, value }) =>
        isScalar(key) && isScalar(value) ? [[String(key.value), value.value] as const] : []
      )
    )
  )
  const drop = (pair: Pair) => {
    const range = rangeOf(pair)
    if (range !== undefined && !hasAnchors) taken.push([...range, commentsOf(pair)])
  }
  for (const pair of contents.items) {
    if (!isScalar(pair.key)) continue
    const key = String(pair.key.value).toLowerCase()
    if (own !== undefined && key === "files" && files === undefined) {
      files = listedIn(pair.value)
      if (files !== undefined) drop(pair)
      continue
    }
    // Sites made by Zola have their tags in a table, whose other members stay.
    if (key === "taxonomies" && isMap(pair.value)) tags.push(...(textsOf(pair.value.get("tags", true)) ?? []))
    const texts = textsOf(pair.value)
    if (texts === undefined) continue
    if (own !== undefined && (key === "id" || key === "archived" || key === "pinned")) {
      drop(pair)
      continue
    }
    if (titles.has(key) && isScalar(pair.value) && title === undefined && texts[0]?.trim()) {
      title = texts[0]
      // A title that would be cut stays in the text.
      if (titleOf(title) === title.trim()) drop(pair)
    } else if (tagKeys.has(key)) {
      const split = isScalar(pair.value) ? texts.flatMap((each) => each.split(/[,\s]+/)) : texts
      tags.push(...split.filter((tag) => tag.trim() !== ""))
      drop(pair)
    } else if (aliasKeys.has(key)) {
      aliases.push(
        ...(isScalar(pair.value) ? texts.flatMap((each) => each.split(",")) : texts).map((name) => name.trim())
      )
    } else if ((createdKeys.has(bare(key)) || updatedKeys.has(bare(key))) && isScalar(pair.value) && texts.length > 0) {
      const field = createdKeys.has(bare(key)) ? "created_at" : "updated_at"
      const time = timeOf(pair.value.value, clock.timezone)
      // An export of this service may have a date from a clock that was ahead.
      if (time === undefined || (own === undefined && Date.parse(time) > clock.now.getTime())) {
        notRead.push({
          code: "date_not_read",
          message: `The value of "${key}" is not clearly a date in the past; it stays in the text`
        })
      } else if (times[field] === undefined) {
        times[field] = time
        drop(pair)
      }
    }
  }
  return {
    rest: remaining(text.slice(0, end), yaml, taken),
    end,
    ...(title === undefined ? {} : { title }),
    tags,
    aliases: aliases.filter((name) => name !== ""),
    ...times,
    ...(own === undefined ? {} : { own }),
    ...(files === undefined ? {} : { files }),
    notRead
  }
}
