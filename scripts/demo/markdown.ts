/** Reads Markdown as Obsidian and Logseq write it: the end of the front matter, the prose, the tags of a note. */
import { parseDocument } from "yaml"

export interface FrontMatter {
  readonly values: Record<string, unknown>
  readonly end: number
}

const none: FrontMatter = { values: {}, end: 0 }

/** The YAML block at the very beginning, or nothing. Invalid YAML is excluded from the tag scan, but has no values. */
export function frontMatter(text: string): FrontMatter {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text)
  if (match === null) return none
  const end = match[0].length
  try {
    const document = parseDocument(match[1] ?? "", { logLevel: "silent", uniqueKeys: false })
    const values: unknown = document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 100 })
    if (values === null) return { values: {}, end }
    return typeof values === "object" && !Array.isArray(values)
      ? { values: values as Record<string, unknown>, end }
      : none // a thematic break, some text and another one
  } catch {
    return { values: {}, end }
  }
}

const quote = String.raw`(?:>[ \t]?|[-*+][ \t]+|\d{1,9}[.)][ \t]+)`
const fence = new RegExp(String.raw`^[ \t]*(?:${quote}[ \t]*)*(\`{3,}|~{3,})(.*)$`)
const fenceEnd = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/
const heading = new RegExp(String.raw`^[ \t]*(?:${quote}[ \t]*)*#{1,6}(?:[ \t]|$)`)
const spaces = (found: string) => found.replace(/[^\n]/g, " ")

/** The text with front matter, code, headings, comments, links and URLs replaced by blanks. */
export function prose(text: string): string {
  const lines: string[] = []
  let open = ""
  for (const line of text.slice(frontMatter(text).end).split(/\r\n|\r|\n/)) {
    if (open !== "") {
      const mark = fenceEnd.exec(line)?.[1]
      if (mark !== undefined && mark[0] === open[0] && mark.length >= open.length) open = ""
      lines.push("")
      continue
    }
    const start = fence.exec(line)
    if (start !== null && !(start[1]?.startsWith("`") && start[2]?.includes("`"))) {
      open = start[1] ?? ""
      lines.push("")
    } else lines.push(heading.test(line) ? "" : line)
  }
  return lines
    .join("\n")
    .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, spaces)
    .replace(/<!--[\s\S]*?-->|%%[\s\S]*?%%|\$\$[\s\S]*?\$\$/g, spaces)
    .replace(/(?<!#)\[\[[^\]\n]*\]\]/g, spaces)
    .replace(/\]\([^)\n]*\)/g, spaces)
    .replace(/<[A-Za-z/][^>\n]*>/g, spaces)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, spaces)
}

/** A name that the contract allows: 1–50 code points, NFC, no white space, comma or `#`. Otherwise undefined. */
export function tagName(raw: unknown): string | undefined {
  if (typeof raw !== "string" && typeof raw !== "number" && typeof raw !== "boolean") return undefined
  const name = String(raw)
    .normalize("NFC")
    .replace(/[,#\p{Cc}]/gu, " ")
    .trim()
    .replace(/\s+/gu, "-")
    .replace(/\/+$/, "")
  const short = Array.from(name).slice(0, 50).join("")
  return short === "" ? undefined : short
}

/** Tags are case-insensitive. */
export const tagKey = (name: string): string => name.normalize("NFC").toLowerCase()

const inline = /(?<=^|\s)#(?:\[\[([^\]\n]+)\]\]|([\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Join_Control}_/-]+))/gmu

/** The `tags` and `tag` of front matter, then inline `#tag` and `#[[several words]]`; at most 50, each once. */
export function tagsOf(text: string): string[] {
  const found = new Map<string, string>()
  const add = (raw: unknown): void => {
    const name = tagName(raw)
    if (name !== undefined && found.size < 50 && !found.has(tagKey(name))) found.set(tagKey(name), name)
  }
  for (const [key, value] of Object.entries(frontMatter(text).values)) {
    if (!/^tags?$/i.test(key)) continue
    const list: unknown[] = typeof value === "string" ? value.split(/[\s,]+/) : [value].flat(3)
    list.forEach(add)
  }
  for (const match of prose(text).matchAll(inline)) {
    const name = match[1] ?? match[2] ?? ""
    if (/[^\p{N}/_-]/u.test(name)) add(name) // `#9846` is an issue number, not a tag
  }
  return [...found.values()]
}
