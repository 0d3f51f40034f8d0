/** The block that a line of Markdown begins, as far as outlines and edits need it. */

/** The begin of code, also in an item of a list. Backticks after those of a fence make it code within a line. */
const fence = /^( {0,3})((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}(?=[^`]*$)|~{3,})/
const heading = /^ {0,3}(#{1,6})(?:[ \t](.*))?\r?$/
/** The `#` that may close a heading. An expression for both would take quadratic time for many spaces. */
const closing = /(?<=^|[ \t])#+$/
/** The line below a heading that makes it one. */
const underline = /^ {0,3}(?:=+|-+)[ \t]*\r?$/
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\r?$/
const item = /^( *)(?:([-*+])|(\d{1,9})([.)]))(?:[ \t]|\r?$)/
const definition = /^ {0,3}\[([^\]]+)\]:/
const markup =
  /^ {0,3}<(?:[!?]|\/?(?:address|article|aside|blockquote|center|d[dlt]|details|div|fieldset|fig\w+|footer|form|h[1-6r]|header|iframe|li|main|nav|ol|p|pre|script|section|style|summary|t(?:able|body|d|foot|h|head|r)|ul)\b)/i
/** The second line of a table. */
const delimiters = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\r?$/

export const isBlank = (line: string): boolean => line.trim() === ""

export const headingOf = (line: string): { readonly level: number; readonly text: string } | undefined => {
  const [, mark, content = ""] = heading.exec(line) ?? []
  return mark === undefined ? undefined : { level: mark.length, text: content.trim().replace(closing, "").trimEnd() }
}

export interface Fence {
  readonly marks: string
  /** Whether an item of a list contains it, which ends at a line without indentation. */
  readonly isInItem: boolean
  /** Whether it may be in an item of a list that a line above begins. */
  readonly isIndented: boolean
}

export const fenceOf = (line: string): Fence | undefined => {
  const [, indent = "", items, marks] = fence.exec(line) ?? []
  return marks === undefined ? undefined : { marks, isInItem: items !== "", isIndented: indent.length > 1 }
}

export const closes = (line: string, { marks }: Fence): boolean => {
  const found = line.trim()
  return found.startsWith(marks) && found === marks[0]!.repeat(found.length)
}

/** The level of the heading whose text is above this line; undefined if the line underlines none. */
export const underlinedLevel = (line: string): number | undefined =>
  underline.test(line) ? (line.trimStart().startsWith("=") ? 1 : 2) : undefined

const cells = (row: string): number => row.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").length

/** Whether two lines begin a table. */
export const beginsTable = (header: string, line: string): boolean =>
  line.includes("|") && delimiters.test(line) && cells(header) === cells(line)

/** The kind of list that an item belongs to, if the line begins one. Within a text only some items do. */
const listOf = (line: string, isInText: boolean): string | undefined => {
  const [all, , bullet, number, delimiter] = item.exec(line) ?? []
  if (all === undefined || (isInText && (isBlank(line.slice(all.length)) || (number ?? "1") !== "1"))) return undefined
  return bullet ?? delimiter
}

const isFootnote = (line: string): boolean => definition.exec(line)?.[1]?.startsWith("^") === true

/** Whether a line begins a quotation or an item of a list without a text in it. */
export const isEmptyContainer = (line: string): boolean => isBlank(line.replace(item, "").replace(/^ {0,3}>/, ""))

/**
 * The indentation of lines that belong to what a line begins: a list, a quotation, markup or a footnote. A text in it
 * continues up to an empty line. 0 for other lines.
 */
export const containedFrom = (line: string, isInText: boolean): number => {
  if (/^ {0,3}>/.test(line) || markup.test(line)) return Infinity
  if (isFootnote(line)) return 4
  if (!/^ {0,3}\S/.test(line) || rule.test(line) || listOf(line, isInText) === undefined) return 0
  const [begin] = item.exec(line)!
  return begin.trimEnd().length + 1
}

/** Whether the line is complete: no text can continue it. */
export const isComplete = (line: string, isInText: boolean): boolean =>
  rule.test(line) || (!isInText && definition.test(line))

/** The last lines of a text, back to an empty one. */
const lastLines = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let end = text.endsWith("\n") ? text.length - 1 : text.length; end >= 0;) {
    const start = text.lastIndexOf("\n", end - 1) + 1
    const line = end === 0 ? "" : text.slice(start, end)
    if (isBlank(line)) break
    lines.push(line)
    end = start - 1
  }
  return lines.reverse()
}

/** The kinds of lists that lines without an empty one end with. */
const listsOf = (lines: ReadonlyArray<string>): ReadonlySet<string> => {
  const lists = new Set<string>()
  let isInText = false
  let isAfterEmpty = false
  for (const line of lines) {
    const list = listOf(line, isInText && lists.size === 0)
    const isOther: boolean = isComplete(line, isInText) || headingOf(line) !== undefined || fenceOf(line) !== undefined
    if (list !== undefined && !rule.test(line)) lists.add(list)
    else if (/^\S/.test(line) && (isOther || isAfterEmpty || line.startsWith(">"))) lists.clear()
    isInText = !isOther
    isAfterEmpty = isEmptyContainer(line)
  }
  return lists
}

/** Whether the first lines of a text are further items of the list, or rows of the table, that another text ends with. */
export const continues = (above: string, below: string): boolean => {
  const last = lastLines(above)
  const [first = "", second = ""] = below.split("\n", 2)
  if (/^ {0,3}\|/.test(first)) {
    const at = last.findIndex((line, index) => index > 0 && beginsTable(last[index - 1]!, line))
    return at > 0 && last.slice(at + 1).every((line) => /^ {0,3}\|/.test(line)) && !beginsTable(first, second)
  }
  const list = listOf(first, false)
  if (list === undefined || rule.test(first)) return false
  return listsOf(last).has(list)
}
