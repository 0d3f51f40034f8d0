import { frontMatterBlockOf } from "../../services/transfers/formats/markdown/FrontMatterBlock.ts"
import { shortened } from "./ResponseSize.ts"

/** The lines and headings of a Markdown text. Lines are counted from 1, and a line ends with `\n`. */

export interface Heading {
  readonly line: number
  readonly level: number
  readonly text: string
}

/** The text of a heading as outlines show it. */
export const shownHeading = (text: string): string => shortened(text, 120)

/** Lines from `from` to before `to`. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

/** Maximum number of headings. The lines of later ones belong to the section of the last. */
const mostHeadings = 5_000

/** The begin of code, also in an item of a list. Backticks after those of a fence make it code within a line. */
const fence = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/
const heading = /^ {0,3}(#{1,6})(?:[ \t](.*))?\r?$/
/** The `#` that may close a heading. An expression for both would take quadratic time for many spaces. */
const closing = /(?<=^|[ \t])#+$/

/** A text by lines, without copies of them. A `\n` at its end begins no further line. */
export class NoteOutline {
  readonly text: string
  readonly headings: ReadonlyArray<Heading>
  /** Offsets at which lines begin. */
  private readonly starts: ReadonlyArray<number>
  /** The first line after the front matter: 1 without front matter. */
  readonly contentLine: number

  constructor(text: string) {
    this.text = text
    const starts: Array<number> = []
    for (let at = 0; at < text.length;) {
      starts.push(at)
      const end = text.indexOf("\n", at)
      at = end < 0 ? text.length : end + 1
    }
    this.starts = starts
    const end = frontMatterBlockOf(text)?.end ?? 0
    this.contentLine = end < text.length ? this.lineAt(end) : this.lines + 1
    this.headings = this.findHeadings()
  }

  get lines(): number {
    return this.starts.length
  }

  /** The offset at which a line begins; the length of the text for the line after the last. */
  offset(line: number): number {
    return this.starts[line - 1] ?? this.text.length
  }

  /** The line that contains an offset. */
  lineAt(offset: number): number {
    let low = 0
    let high = this.starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.starts[middle]! <= offset) low = middle + 1
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

  /** The headings with a text, else those that outlines show so. Marks before it, as in `## Tasks`, name the level too. */
  named(name: string): ReadonlyArray<Heading> {
    const wanted = /^\s*(#{1,6})\s+(.*)$/.exec(name)
    const text = (wanted?.[2] ?? name).trim()
    const ofLevel = this.headings.filter(({ level }) => wanted === null || level === wanted[1]!.length)
    const exact = ofLevel.filter((each) => each.text === text)
    return exact.length > 0 ? exact : ofLevel.filter((each) => shownHeading(each.text) === text)
  }

  /** Headings with `#`, outside of code. */
  private findHeadings(): ReadonlyArray<Heading> {
    const found: Array<Heading> = []
    let open: string | undefined
    for (let line = this.contentLine; line <= this.lines && found.length < mostHeadings; line++) {
      const start = this.offset(line)
      // Most lines are neither: only the first characters are compared.
      if (open === undefined && !/^ {0,3}[#`~*+\d-]/.test(this.text.slice(start, start + 4))) continue
      const text = this.line(line)
      if (open !== undefined) {
        const marks = text.trim()
        if (marks.startsWith(open) && marks === open[0]!.repeat(marks.length)) open = undefined
        continue
      }
      open = fence.exec(text)?.[1]
      if (open !== undefined) continue
      const [, mark, content = ""] = heading.exec(text) ?? []
      if (mark !== undefined)
        found.push({ line, level: mark.length, text: content.trim().replace(closing, "").trimEnd() })
    }
    return found
  }
}
