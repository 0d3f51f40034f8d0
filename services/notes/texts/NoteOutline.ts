import { frontMatterBlockOf } from "../../markdown/FrontMatterBlock.ts"
import { folded } from "./LookAlikes.ts"
import {
  beginsTable,
  closes,
  containedFrom,
  type Fence,
  fenceOf,
  headingOf,
  isBlank,
  isComplete,
  isEmptyContainer,
  underlinedLevel
} from "./NoteLines.ts"
import { shortened } from "./ShownText.ts"

/** The lines and headings of a Markdown text. Lines are counted from 1, and a line ends with `\n`. */

export interface Heading {
  /** The first and the last line of it. A text with a line of `=` or `-` below has more than one. */
  readonly line: number
  readonly last: number
  readonly level: number
  readonly text: string
}

/** The text of a heading as outlines show it. */
export const shownHeading = (text: string): string => shortened(text, 120)

/** Lines from `from` to before `to`. */
interface LineRange {
  readonly from: number
  readonly to: number
}

const lineFeed = 0x0a

/** Maximum number of headings. The lines of later ones belong to the section of the last. */
const maxHeadings = 5_000

/** Headings have six levels, and so have paths. */
const deepest = 6

/** A byte order mark is not a part of the first line. */
const markLength = (text: string): number => (text.startsWith("\uFEFF") ? 1 : 0)

/** The offset at which a text begins after its front matter. */
export const contentStart = (text: string): number => {
  const mark = markLength(text)
  return mark + (frontMatterBlockOf(text.slice(mark))?.end ?? 0)
}

/** Headings and blocks of a text. Finding them takes long in a long text. */
export interface OutlineParts {
  /** Offsets at which lines begin. */
  readonly starts: Uint32Array
  readonly headings: ReadonlyArray<Heading>
  readonly contentLine: number
  readonly open: Fence | undefined
}

/** The number of lines of a text. */
export const linesIn = (text: string): number => {
  let lines = 0
  for (let at = markLength(text); at < text.length; lines++) {
    const end = text.indexOf("\n", at)
    at = end < 0 ? text.length : end + 1
  }
  return lines
}

/** A text by lines, without copies of them. A `\n` at its end begins no further line. */
export class NoteOutline {
  readonly text: string
  readonly headings: ReadonlyArray<Heading>
  /** Offsets at which lines begin. */
  readonly #starts: Uint32Array
  /** The first line after the front matter: 1 without front matter. */
  readonly contentLine: number
  /** Code that the end of the text would have to close. */
  readonly open: Fence | undefined

  /** `known` are the parts of the same text that another thread has found. */
  constructor(text: string, known?: OutlineParts) {
    this.text = text
    if (known !== undefined) {
      this.#starts = known.starts
      this.contentLine = known.contentLine
      this.headings = known.headings
      this.open = known.open
      return
    }
    const starts = new Uint32Array(linesIn(text))
    for (let line = 0, at = markLength(text); line < starts.length; line++) {
      starts[line] = at
      at = text.indexOf("\n", at) + 1
    }
    this.#starts = starts
    const end = contentStart(text)
    this.contentLine = end < text.length ? this.lineAt(end) : this.lines + 1
    const { headings, open } = this.#scanned()
    this.headings = headings
    this.open = open
  }

  get parts(): OutlineParts {
    const { contentLine, headings, open } = this
    const starts = this.#starts
    return { starts, headings, contentLine, open }
  }

  get lines(): number {
    return this.#starts.length
  }

  /** The offset at which a line begins; the length of the text for the line after the last. */
  offset(line: number): number {
    return this.#starts[line - 1] ?? this.text.length
  }

  /** The line that contains an offset. */
  lineAt(offset: number): number {
    let low = 0
    let high = this.#starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= offset) low = middle + 1
      else high = middle
    }
    return Math.max(1, low)
  }

  /** A line without its line break. */
  line(number: number): string {
    const text = this.text.slice(this.offset(number), this.offset(number + 1))
    return text.endsWith("\n") ? text.slice(0, -1) : text
  }

  /** The section of a heading: its line, and all lines before the next heading of the same or a higher level. */
  section(of: Heading): LineRange {
    const next = this.headings.find(({ level, line }) => line > of.line && level <= of.level)
    return { from: of.line, to: next?.line ?? this.lines + 1 }
  }

  /** The innermost section that contains a line, or the lines before the first heading. */
  sectionAt(line: number): LineRange {
    const own = this.headings.findLast((each) => each.line <= line)
    if (own !== undefined) return this.section(own)
    return { from: 1, to: this.headings[0]?.line ?? this.lines + 1 }
  }

  /** The headings with a name, else those at the end of a path of names, such as `Trips / Vienna`. */
  named(name: string): ReadonlyArray<Heading> {
    const found = this.#called(name)
    const names = found.length > 0 ? [] : name.split(/[ \t]+\/[ \t]+/)
    return names.length < 2 || names.length > deepest ? found : this.#below(names)
  }

  /**
   * The headings with a text, else those that outlines show so, else those that look so. Marks before it, as in `## Tasks`,
   * name the level too.
   */
  #called(name: string): ReadonlyArray<Heading> {
    const wanted = /^\s*(#{1,6})\s+(.*)$/.exec(name)
    const text = (wanted?.[2] ?? name).trim()
    const ofLevel = this.headings.filter(({ level }) => wanted === null || level === wanted[1]!.length)
    const exact = ofLevel.filter((each) => each.text === text)
    if (exact.length > 0) return exact
    const shown = ofLevel.filter((each) => shownHeading(each.text) === text)
    if (shown.length > 0) return shown
    const look = folded(text)
    return ofLevel.filter((each) => folded(each.text) === look)
  }

  /** The headings whose headings above have the other names: all of them, else some in their order. */
  #below(names: ReadonlyArray<string>): ReadonlyArray<Heading> {
    const steps: Array<ReadonlySet<Heading>> = []
    for (const name of names) {
      const called = this.#called(name)
      if (called.length === 0) return []
      steps.push(new Set(called))
    }
    const last = steps.pop()!
    /** The headings above the present one, the highest first. */
    const above: Array<Heading> = []
    const whole: Array<Heading> = []
    const some: Array<Heading> = []
    for (const heading of this.headings) {
      while (above.length > 0 && above.at(-1)!.level >= heading.level) above.pop()
      if (last.has(heading)) {
        let met = 0
        for (const each of above) if (steps[met]?.has(each) === true) met++
        if (met === steps.length) (above.length === met ? whole : some).push(heading)
      }
      above.push(heading)
    }
    return whole.length > 0 ? whole : some
  }

  /** The headings outside of code, and the code that is open at the end. */
  #scanned(): { readonly headings: ReadonlyArray<Heading>; readonly open: Fence | undefined } {
    const headings: Array<Heading> = []
    let open: Fence | undefined
    /** The first line of the text that a line can continue; undefined if none. */
    let begun: number | undefined
    /** Whether the lines up to an empty one belong to a list, a quotation, a table or markup. */
    let isContained = false
    /** The indentation of lines that belong to an item of a list or to a footnote, also after empty lines. */
    let within = Infinity
    for (let line = this.contentLine; line <= this.lines && headings.length < maxHeadings; line++) {
      const start = this.offset(line)
      if (open === undefined && this.text.charCodeAt(start) === lineFeed) {
        begun = undefined
        isContained = false
        continue
      }
      const begin = this.text.slice(start, start + 5)
      const indent = begin.startsWith("\t") ? 4 : /^ */.exec(begin)![0].length
      // Most lines begin with a letter: the rest of them is not read.
      const isPlain = open === undefined && indent < 4 && /^\p{L}/u.test(begin.slice(indent))
      const text = isPlain ? "" : this.line(line)
      if (open !== undefined) {
        if (closes(text, open)) open = undefined
        else if (open.isInItem && /^\S/.test(text)) {
          open = undefined
          line--
        }
        continue
      }
      if (!isPlain && isBlank(text)) {
        begun = undefined
        isContained = false
        continue
      }
      if (indent >= within) {
        begun = undefined
        isContained = true
      } else if (!isContained) within = Infinity
      if (isPlain) {
        if (!isContained) begun ??= line
        continue
      }
      const isInText = begun !== undefined
      open = /```|~~~/.test(text) ? fenceOf(text) : undefined
      const own = open === undefined ? headingOf(text) : undefined
      const level = isInText ? underlinedLevel(text) : undefined
      if (own !== undefined) headings.push({ line, last: line, ...own })
      else if (level !== undefined) headings.push({ line: begun!, last: line, level, text: this.#textOf(begun!, line) })
      const width = open === undefined && own === undefined && level === undefined ? containedFrom(text, isInText) : 0
      if (width > 0 || (isInText && beginsTable(this.line(line - 1), text))) {
        begun = undefined
        // Nothing of an empty item continues without indentation.
        isContained = width === 0 || !isEmptyContainer(text)
        if (width > 0 && indent < within) within = width
      } else if (open !== undefined || own !== undefined || level !== undefined || isComplete(text, isInText)) {
        begun = undefined
        isContained = false
        if (indent < within) within = Infinity
      } else if (!isContained && (isInText || indent < 4)) begun ??= line
    }
    return { headings, open }
  }

  /** Lines before another one, as one line. */
  #textOf(from: number, to: number): string {
    const lines = this.text.slice(this.offset(from), this.offset(to)).trim().split("\n")
    return lines.map((line) => line.trim()).join(" ")
  }
}
