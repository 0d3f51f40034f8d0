/** A heading of a text. */
export interface Heading {
  readonly text: string
  /** 1 to 6. */
  readonly level: number
  /** The line, counted from 1. */
  readonly line: number
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const atx = /^ {0,3}(#{1,6})(?:[ \t]|$)/
const underline = /^ {0,3}(?:(=+)|-+)[ \t]*$/
/** What begins a list, a quote, a table or code, whose next line makes no heading of it. */
const noParagraph = /^(?: {4}|\t| {0,3}(?:[-*+>|]|\d+[.)]))/

/** Maximum characters of a heading. */
const maxLength = 1_000

/** The text behind the signs of a heading, without signs that close it. */
const opened = (written: string): string => {
  const text = written.trimEnd()
  let end = text.length
  while (text[end - 1] === "#") end--
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end) : text
}

/** A heading as it is read: without signs of Markdown, and with the words of links. */
const plain = (text: string): string =>
  text
    .replaceAll(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\\(?=[!-/:-@[-`{-~])|[*`]|~~|==|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "")
    .trim()

/** The headings of a Markdown text, outside of code and front matter. */
export const headingsOf = (body: string): ReadonlyArray<Heading> => {
  const lines = body.split(/\r?\n/)
  const headings: Array<Heading> = []
  const add = (text: string, level: number, line: number) => {
    const shown = plain(text.trim().slice(0, maxLength))
    if (shown !== "") headings.push({ text: shown, level, line })
  }
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1
  let open: string | undefined
  for (let at = end + 1; at < lines.length; at++) {
    const line = lines[at]!
    const mark = fence.exec(line)?.[1]
    if (open !== undefined) {
      if (mark !== undefined && mark.startsWith(open) && line.trim() === mark) open = undefined
      continue
    }
    if (mark !== undefined) {
      open = mark
      continue
    }
    const [start, signs] = atx.exec(line) ?? []
    if (signs !== undefined) add(opened(line.slice(start!.length)), signs.length, at + 1)
    const before = at > end + 1 ? lines[at - 1]! : ""
    const under = underline.exec(line)
    if (under !== null && before.trim() !== "" && !noParagraph.test(before) && !atx.test(before)) {
      add(before, under[1] === undefined ? 2 : 1, at)
    }
  }
  return headings
}
