import { escapedLabel } from "../../../markdown/LinkText.ts"
import { shortened } from "../../../markdown/Rendered.ts"
import type { ProblemCode } from "../Item.ts"
import { begin, type Block, blocksOf, dedented, Endings, property, widthOf } from "./LogseqOutline.ts"
import { isUuid } from "./LogseqReferences.ts"
import { taskIn, taskTimeIn } from "./LogseqTasks.ts"
import type { Clock } from "../WrittenTime.ts"

/**
 * Logseq writes a page as an outline of blocks with its own syntax: `key:: value` properties, `{{macros}}`,
 * `#+BEGIN_…` blocks and `((references))` to blocks. They are converted to Markdown if it has a form for them.
 */

interface LogseqPage {
  /** Markdown, with YAML front matter for `title`, `tags`, `alias` and the dates of the page. */
  readonly text: string
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly message: string }>
  /** Times of tasks that are still to come. */
  readonly remind_at: ReadonlyArray<string>
}

/** Maximum number of reminders of a page; further times remain in its text. */
const maxReminders = 100

const callouts: Readonly<Record<string, string>> = {
  CAUTION: "caution",
  IMPORTANT: "important",
  NOTE: "note",
  PINNED: "important",
  TIP: "tip",
  WARNING: "warning"
}

const fenced = (lines: ReadonlyArray<string>, language: string): ReadonlyArray<string> => {
  let longest = 2
  for (const line of lines) for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const marks = "`".repeat(longest + 1)
  return [marks + language, ...lines, marks]
}

const quoted = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => (line.trim() === "" ? ">" : `> ${line}`))

/** Removes the white space that all lines begin with. */
const flush = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const least = lines
    .filter((line) => line.trim() !== "")
    .reduce((least, line) => Math.min(least, widthOf(/^[ \t]*/.exec(line)![0])), Infinity)
  return Number.isFinite(least) ? lines.map((line) => dedented(line, least)) : lines
}

/** Converts one page to Markdown. */
class Converter {
  readonly #kept = new Set<string>()
  readonly #unknown = new Set<string>()
  readonly #left = new Map<string, Array<string>>()
  readonly #labels: ReadonlyMap<string, string>
  readonly #clock: Clock
  readonly #reminders = new Set<string>()
  constructor(labels: ReadonlyMap<string, string>, clock: Clock) {
    this.#labels = labels
    this.#clock = clock
  }

  convert(source: string, hasFrontMatter: boolean): LogseqPage {
    const blocks = [...blocksOf(source)]
    const head = hasFrontMatter ? "" : this.#head(blocks)
    const out: Array<string> = []
    /** Bullets around the current block: their indentation in the source, and that of their content in the result. */
    const around: Array<{ readonly indent: number; readonly below: number }> = []
    for (const [index, block] of blocks.entries()) {
      const { isOrdered, lines, properties } = this.#contents(block.lines, block.indent !== undefined)
      if (block.indent === undefined) {
        around.length = 0
        // They precede the text, whose first line would become part of the last one.
        out.push(...properties.map((each) => `- ${each}`))
        if (properties.length > 0 && (lines[0] ?? "") !== "") out.push("")
        out.push(...lines)
        continue
      }
      while (around.length > 0 && around.at(-1)!.indent >= block.indent) around.pop()
      const hasChildren = (blocks[index + 1]?.indent ?? -1) > block.indent
      const isEmpty = lines.every((line) => line.trim() === "")
      if (isEmpty && properties.length === 0 && !hasChildren) continue
      const before = " ".repeat(around.at(-1)?.below ?? 0)
      const items = isEmpty ? [] : [lines]
      const marker = isOrdered ? "1. " : "- "
      const below = before.length + marker.length
      // The properties of a block without text take its place.
      const asItems = items.length === 0 ? properties.splice(0).map((each) => [each]) : []
      for (const item of items.length + asItems.length === 0 ? [[""]] : [...items, ...asItems]) {
        const [first = "", ...rest] = item
        // A hyphen alone below a paragraph would turn it into a heading.
        if (first === "" && out.length > 0) out.push("")
        out.push(before + marker.slice(0, first === "" ? -1 : undefined) + first)
        for (const line of rest) out.push(line.trim() === "" ? "" : " ".repeat(below) + line)
      }
      for (const each of properties) out.push(`${" ".repeat(below)}- ${each}`)
      around.push({ indent: block.indent, below })
    }
    const remind_at = [...this.#reminders].slice(0, maxReminders)
    return { text: head + out.join("\n"), problems: this.#problems(), remind_at }
  }

  /** Removes the properties of the page, which precede its first block, and returns them as front matter. */
  #head(blocks: Array<Block>): string {
    const [first] = blocks
    if (first === undefined) return ""
    const end = first.lines.findIndex((line) => !property.test(line))
    const count = end < 0 ? first.lines.length : end
    // A first block with text does not contain properties of the page.
    if (first.indent !== undefined && first.lines.slice(count).some((line) => line.trim() !== "")) return ""
    const rows: Array<string> = []
    const others: Array<string> = []
    for (const line of first.lines.splice(0, count)) {
      const [, key = "", written = ""] = property.exec(line)!
      const value = written.trim()
      const name = key.toLowerCase()
      if (name === "title" && value !== "") rows.push(`title: ${JSON.stringify(value)}`)
      else if (name === "tags" || name === "alias") rows.push(`${name}: ${JSON.stringify(namesOf(value))}`)
      else if (/^(?:created|updated)[-_]at$/.test(name) && /^\d{10,13}$/.test(value)) {
        rows.push(`${name.replace("-", "_")}: ${value}`)
      } else others.push(line)
    }
    first.lines.unshift(...others)
    return rows.length === 0 ? "" : `---\n${rows.join("\n")}\n---\n`
  }

  /** The lines of a block as Markdown, and its properties. */
  #contents(source: ReadonlyArray<string>, isBlock: boolean) {
    const lines: Array<string> = []
    const properties: Array<string> = []
    const endings = new Endings(source)
    const task = isBlock ? taskIn(source[0] ?? "") : undefined
    if (task?.state !== undefined) properties.push(`**status:** ${task.state}`)
    let anchor = ""
    let isOrdered = false
    let heading: number | undefined
    for (let at = 0; at < source.length; at++) {
      const line = source[at]!
      const end = endings.after(at)
      if (end !== undefined) {
        const inner = source.slice(at + 1, end)
        const [, kind, argument = ""] = begin.exec(line) ?? []
        if (kind === undefined) lines.push(...source.slice(at, end + 1))
        else lines.push(...this.#special(kind.toUpperCase(), argument.trim(), flush(inner)))
        at = end
        continue
      }
      const [, key, written = ""] = property.exec(line) ?? []
      const value = written.trim()
      const time = isBlock ? taskTimeIn(line, this.#clock) : undefined
      if (time !== undefined) {
        properties.push(`**${time.name}:** ${time.shown}`)
        if (time.remind_at !== undefined && task?.isDone !== true) this.#reminders.add(time.remind_at)
      } else if (key === undefined) lines.push(this.#inline(at === 0 && task !== undefined ? task.text : line))
      else if (key === "id" && anchor === "" && isUuid.test(value)) anchor = `^${value.toLowerCase()}`
      else if (key === "logseq.order-list-type" && value === "number") isOrdered = true
      else if (key === "heading" && /^(?:true|[1-6])$/.test(value)) heading = value === "true" ? 2 : Number(value)
      else if (key === "collapsed" || key === "created-at" || key === "updated-at") {
        const values = this.#left.get(key)
        if (values === undefined) this.#left.set(key, [value])
        else values.push(value)
      } else properties.push(`**${key}:** ${this.#inline(value)}`.trimEnd())
    }
    const [first = "", ...rest] = lines
    if (heading !== undefined && task === undefined && first !== "" && !/^#{1,6} /.test(first))
      lines[0] = `${"#".repeat(heading)} ${first}`
    // After its only line, otherwise as a separate paragraph: `^id` names what it follows.
    if (anchor !== "") {
      if (rest.every((line) => line.trim() === "")) lines.splice(0, lines.length, `${lines[0] ?? ""} ${anchor}`.trim())
      else lines.push("", anchor)
    }
    return { isOrdered, properties, lines }
  }

  #special(kind: string, argument: string, lines: ReadonlyArray<string>): ReadonlyArray<string> {
    const converted = () => lines.map((line) => this.#inline(line))
    if (kind === "SRC") return fenced(lines, argument)
    if (kind === "EXAMPLE") return fenced(lines, "")
    if (kind === "EXPORT") return fenced(lines, argument)
    if (kind === "QUERY") {
      this.#kept.add("#+BEGIN_QUERY")
      return fenced(lines, "clojure")
    }
    if (kind === "QUOTE") return quoted(converted())
    if (kind === "COMMENT") return ["%%", ...lines, "%%"]
    if (kind === "CENTER") return converted()
    if (kind === "VERSE") return converted().map((line) => (line.trim() === "" ? line : `${line}\\`))
    const name = callouts[kind] ?? kind.toLowerCase()
    return quoted([`[!${name}]${argument === "" ? "" : ` ${argument}`}`, ...converted()])
  }

  /** A line of text; code in it stays as it is. */
  #inline(line: string): string {
    if (!/\{\{|\(\(|\{:|\(\[\[/.test(line)) return line
    const runs = [...line.matchAll(/`+/g)]
    /** For each run of backticks the next one of its length, which ends a code span. */
    const closing = new Map<number, number>()
    const lastOf = new Map<number, number>()
    for (let index = runs.length - 1; index >= 0; index--) {
      const { length } = runs[index]![0]
      const next = lastOf.get(length)
      if (next !== undefined) closing.set(index, next)
      lastOf.set(length, index)
    }
    let text = ""
    let at = 0
    for (let index = 0; index < runs.length; index++) {
      const close = closing.get(index)
      if (close === undefined) continue
      const from = runs[index]!.index
      const to = runs[close]!.index + runs[close]![0].length
      text += this.#words(line.slice(at, from)) + line.slice(from, to)
      at = to
      index = close
    }
    return text + this.#words(line.slice(at))
  }

  #words(text: string): string {
    return (
      text
        .replaceAll(/\{\{([A-Za-z][\w-]*)(?:[ \t]([^{}]*))?\}\}/g, (whole, name: string, argument: string = "") =>
          this.#macro(whole, name.toLowerCase(), argument.trim())
        )
        // An address in Markdown would end at the first blank.
        .replaceAll(/\[([^[\]|]+)\]\(\[\[([^[\]|]+)\]\]\)/g, "[[$2|$1]]")
        .replaceAll(/(?<!\]\()\(\(([0-9a-f-]{36})\)\)/gi, (whole, id: string) => this.#reference(whole, id))
        .replaceAll(
          /(!\[[^[\]]*)(\]\([^()\n]*\))\{:height (\d{1,4}), :width (\d{1,4})\}/g,
          (_, label: string, address: string, height: string, width: string) => `${label}|${width}x${height}${address}`
        )
    )
  }

  #reference(whole: string, id: string): string {
    const label = this.#labels.get(id.toLowerCase())
    if (label === undefined) {
      this.#unknown.add(whole)
      return whole
    }
    return `[${escapedLabel(label === "" ? id : label)}](((${id.toLowerCase()})))`
  }

  #macro(whole: string, name: string, argument: string): string {
    const isAddress = /^https?:\/\/[^\s<>]+$/.test(argument)
    if (name === "embed" && /^\[\[[^[\]]+\]\]$/.test(argument)) return `!${argument}`
    if (name === "embed" && /^\(\([0-9a-f-]{36}\)\)$/i.test(argument)) return argument
    if (name === "cloze" && argument !== "") return `==${argument}==`
    if (/^(?:video|youtube|vimeo|bilibili|tweet|twitter)$/.test(name) && isAddress) return `<${argument}>`
    if (name === "youtube" && /^[\w-]{11}$/.test(argument)) return `<https://www.youtube.com/watch?v=${argument}>`
    if (name === "youtube-timestamp" && /^[\d:]+$/.test(argument)) return argument
    this.#kept.add(`{{${name}}}`)
    return /`/.test(whole) ? whole : `\`${whole}\``
  }

  #problems(): LogseqPage["problems"] {
    const listed = (names: ReadonlySet<string>, most = 10) => {
      const shown = [...names].slice(0, most).map((name) => shortened(name, 100))
      return shown.join(", ") + (names.size > most ? `, and ${names.size - most} more` : "")
    }
    const left = [...this.#left].map(([key, values]) => `${key} (${listed(new Set(values), 100)})`)
    const messages = [
      this.#kept.size === 0 ? "" : `Markdown has no form for these; they are kept as code: ${listed(this.#kept)}`,
      this.#unknown.size === 0 ? "" : `References to blocks that are not in the file: ${listed(this.#unknown)}`,
      left.length === 0 ? "" : `Properties of blocks are left out: ${left.join(", ")}`
    ]
    return messages.filter((message) => message !== "").map((message) => ({ code: "not_converted", message }))
  }
}

/** `[[a]], #b, c`: names in brackets may contain commas. */
export const namesOf = (value: string): ReadonlyArray<string> =>
  (value.match(/(?:\[\[[^[\]]*\]\]|[^,])+/g) ?? [])
    .map((name) =>
      name
        .trim()
        .replace(/^#/, "")
        .replace(/^\[\[(.*)\]\]$/, "$1")
    )
    .filter((name) => name !== "")

/**
 * Converts a page to Markdown. `labels`: the first words of the blocks that it refers to, by id. If front matter
 * precedes `source`, the properties of the page become a list, because a text has only one front matter.
 */
export const convertLogseq = (
  source: string,
  labels: ReadonlyMap<string, string>,
  hasFrontMatter: boolean,
  clock: Clock
): LogseqPage => new Converter(labels, clock).convert(source, hasFrontMatter)
