/**
 * What a reader sees of Markdown: pieces of the raw text, in order, with a space before those that something separates.
 * Not a parser of all of Markdown but a reader of its signs, which begins at any line: a fragment is shown, not the note.
 */
export interface Piece {
  readonly start: number
  readonly end: number
  /** Whether the one before is another word. */
  readonly apart: boolean
  /** What is shown instead of the raw text, for characters that are written otherwise. */
  readonly shown?: string
}

const FENCE = /^ {0,3}(```+|~~~+)/
const RULE = /^ {0,3}(?:[-*_=] *){3,}$/
const TABLE_RULE = /^[\s|:-]*-[\s|:-]*$/
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s/
/** What stands before the text of a line: quotes, list marks, check boxes, headings. */
const LEAD = /^(?:\s*>)*\s*(?:(?:[-*+]|\d{1,9}[.)])(?=\s|$)\s*(?:\[[ xX]\]\s+)?)*(?:#{1,6}(?=\s|$)\s*)?/
const ALERT = /^\s*\[!\w+\]\s*$/
const ENTITY = /&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][\da-fA-F]{1,6});/y
const TAG = /<(?:\/?[a-zA-Z][^<>\n]{0,500}|!--[\s\S]{0,2000}?--)>/y
/** What looks like a tag but is none, such as `<file>` in a command, is text. */
const ELEMENTS = new Set(
  `a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col colgroup
  data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head
  header hgroup hr html i iframe img input ins kbd label legend li link main map mark meta meter nav noscript object ol optgroup
  option output p picture pre progress q rp rt ruby s samp script section select slot small source span strike strong style sub
  summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr`.split(/\s+/)
)
const isElement = (tag: string): boolean =>
  tag.startsWith("<!--") || ELEMENTS.has(/^<\/?([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])/.exec(tag)?.[1]?.toLowerCase() ?? "")
const AUTOLINK = /<((?:https?|ftp|mailto):[^\s<>]{1,2000}|[^\s<>@]{1,100}@[^\s<>]{1,200})>/y
const TARGET = /\]\((?:[^()\n]|\([^()\n]{0,500}\)){0,2000}\)|\]\[[^\]\n]{0,200}\]/y
const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&nbsp;": " "
}

/** What a reference by number, `&#66;` or `&#x42;`, stands for; nothing, where that is no character. */
const referred = (written: string): string => {
  const number = written.slice(2, -1)
  const code = /^x/i.test(number) ? Number.parseInt(number.slice(1), 16) : Number(number)
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "" : String.fromCodePoint(code)
}

/** Characters that begin something in `inline`; all others stand for themselves. */
const SIGNS = new Uint8Array(128)
for (const sign of "\\`*~_![]<&|") SIGNS[sign.charCodeAt(0)] = 1

const isSign = (code: number): boolean => code < 128 && SIGNS[code] === 1

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)

/** Whether a place lies in a fenced block of code. */
export const isInCode = (whole: string, place: number): boolean => {
  const text = whole.slice(0, place + 3)
  let open: string | undefined
  for (let at = 0; at < place;) {
    const line = nextFence(text, at)
    if (line < 0 || line >= place) break
    const found = FENCE.exec(text.slice(line, line + 20))
    if (found !== null) {
      if (open === undefined) open = found[1]!
      else if (found[1]!.startsWith(open)) open = undefined
    }
    at = line + 3
  }
  return open !== undefined
}

const nextFence = (text: string, from: number): number => {
  let tildes = text.indexOf("~~~", from)
  for (let at = from; ;) {
    const ticks = text.indexOf("```", at)
    if (tildes >= 0 && tildes < at) tildes = text.indexOf("~~~", at)
    const found = ticks < 0 ? tildes : tildes < 0 ? ticks : Math.min(ticks, tildes)
    if (found < 0) return -1
    const line = text.lastIndexOf("\n", found - 1) + 1
    if (line >= from && text.slice(line, found).trim() === "") return found - (found - line)
    at = found + 3
  }
}

/** Whether a line begins with a letter, as most do: then no sign stands before its text. */
const beginsPlainly = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at) | 32
  return code >= 0x61 && code <= 0x7a
}

/** The pieces that are seen, and up to where the raw text was looked at. */
export interface Visible {
  readonly pieces: ReadonlyArray<Piece>
  readonly until: number
}

/**
 * What is seen of `text` from the beginning of a line up to `until`, or up to the line with which so many characters behind a
 * place are enough.
 */
export const visiblePieces = (
  text: string,
  from: number,
  until: number,
  enough: { readonly from: number; readonly count: number }
): Visible => {
  const pieces: Array<Piece> = []
  let count = 0
  let inCode = isInCode(text, from)
  let apart = false
  let at = from
  if (from === 0) {
    const front = /^---\r?\n[\s\S]{0,4000}?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text)
    if (front !== null) at = front[0].length
  }
  const put = (start: number, end: number, shown?: string) => {
    if (start >= end) return
    pieces.push(shown === undefined ? { start, end, apart } : { start, end, apart, shown })
    count += Math.max(0, end - Math.max(start, enough.from))
    apart = false
  }
  const separate = () => {
    apart = true
  }
  while (at < until && count < enough.count) {
    const newline = text.indexOf("\n", at)
    const end = newline < 0 ? text.length : newline
    // A line may be the whole note.
    const line = beginsPlainly(text, at) ? "" : text.slice(at, Math.min(end, at + 4096))
    if (line === "") {
      if (inCode) put(at, Math.min(end, until))
      else inline(text, at, Math.min(end, until), put, separate)
    } else if (FENCE.test(line)) inCode = !inCode
    else if (inCode) put(at, Math.min(end, until))
    else if (!(RULE.test(line) || TABLE_RULE.test(line) || DEFINITION.test(line))) {
      const lead = LEAD.exec(line)![0].length
      if (!ALERT.test(line.slice(lead))) inline(text, at + lead, Math.min(end, until), put, separate)
    }
    apart = true
    at = end + 1
  }
  return { pieces, until: Math.min(at, until) }
}

/** A line without its signs. */
const inline = (
  text: string,
  from: number,
  until: number,
  put: (start: number, end: number, shown?: string) => void,
  separate: () => void
): void => {
  let start = from
  let at = from
  while (at < until && !isSign(text.charCodeAt(at))) at++
  if (at === until) return put(from, until)
  const skip = (length: number) => {
    put(start, at)
    at += length
    start = at
  }
  const matched = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  // A row of a table: what its bars divide.
  const isRow = text[from] === "|"
  while (at < until) {
    if (!isSign(text.charCodeAt(at))) {
      at++
      continue
    }
    const character = text[at]!
    switch (character) {
      case "\\":
        if (/[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) {
          skip(1)
          at++
        } else at++
        break
      case "`": {
        let length = 1
        while (text[at + length] === "`") length++
        const close = text.indexOf("`".repeat(length), at + length)
        if (close > 0 && close < until) {
          skip(length)
          at = close
          skip(length)
        } else at += length
        break
      }
      case "*":
      case "~":
        if (character === "*" || text[at + 1] === "~") {
          // A sign between spaces is meant as itself.
          if (/\s/.test(text[at - 1] ?? " ") && /\s/.test(text[at + 1] ?? " ")) at++
          else skip(character === "~" ? 2 : 1)
        } else at++
        break
      case "_":
        if (isWord(text[at - 1]) && isWord(text[at + 1])) at++
        else skip(1)
        break
      case "!":
        if (text[at + 1] === "[") skip(2)
        else at++
        break
      case "[":
        skip(text[at + 1] === "[" ? 2 : 1)
        break
      case "]": {
        const target = matched(TARGET)
        skip(target !== null ? target[0].length : text[at + 1] === "]" ? 2 : 1)
        break
      }
      case "<": {
        const link = matched(AUTOLINK)
        const tag = link === null ? matched(TAG) : null
        if (link !== null) {
          skip(1)
          at += link[1]!.length
          skip(1)
        } else if (tag !== null && isElement(tag[0])) {
          skip(tag[0].length)
          separate()
        } else at++
        break
      }
      case "&": {
        const entity = matched(ENTITY)
        if (entity === null) at++
        else {
          const [written] = entity
          put(start, at)
          put(at, at + written.length, entities[written] ?? referred(written))
          at += written.length
          start = at
        }
        break
      }
      case "|":
        if (isRow) {
          skip(1)
          separate()
        } else at++
        break
      default:
        at++
    }
  }
  put(start, Math.min(at, until))
}
