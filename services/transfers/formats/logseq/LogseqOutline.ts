/** The outline of a page of Logseq: which lines belong to which block. */

export const bullet = /^([ \t]*)([-*+])(?:[ \t]+(.*)|[ \t]*)$/
// Lines are trimmed at the end before these are matched, so that no pattern backtracks over white space.
export const property = /^[ \t]*([A-Za-z][\w./-]*)::(?:[ \t](.*))?$/
const fence = /^[ \t]*(`{3,}|~{3,})/
export const begin = /^[ \t]*#\+BEGIN_([A-Z]+)(?:[ \t](.*))?$/i
const end = /^#\+END_([A-Z]+)$/i
const thematicBreak = /^[ \t]*(?:[-*+][ \t]*){3,}$/

export const widthOf = (indent: string): number => [...indent].reduce((sum, char) => sum + (char === "\t" ? 4 : 1), 0)

/** Removes white space from the beginning of a line, at most as many columns as its block is indented by. */
export const dedented = (line: string, columns: number): string => {
  let at = 0
  let width = 0
  while (at < line.length && width < columns && (line[at] === " " || line[at] === "\t")) {
    width += line[at] === "\t" ? 4 : 1
    at++
  }
  return line.slice(at)
}

export interface Block {
  /** Columns before its bullet; undefined for text outside the outline. */
  readonly indent: number | undefined
  readonly lines: Array<string>
}

/** Finds the ends of fences and `#+BEGIN_…`. It is called for lines in ascending order. */
export class Endings {
  /** Lines that end a section or fence, by the name in `#+END_…` or the character of the fence. */
  readonly #ends = new Map<string, Array<{ readonly at: number; readonly length: number }>>()
  readonly #lines: ReadonlyArray<string>

  constructor(lines: ReadonlyArray<string>) {
    this.#lines = lines
    for (const [at, line] of lines.entries()) {
      const text = line.trim()
      const name = end.exec(text)?.[1]?.toUpperCase() ?? (/^(?:`{3,}|~{3,})$/.test(text) ? text[0] : undefined)
      if (name === undefined) continue
      const known = this.#ends.get(name)
      if (known === undefined) this.#ends.set(name, [{ at, length: text.length }])
      else known.push({ at, length: text.length })
    }
    // The nearest end comes last, where it is removed.
    for (const ends of this.#ends.values()) ends.reverse()
  }

  /** The last line of a fence or section that begins in a line; undefined if none begins or it has no end. */
  after(at: number): number | undefined {
    const line = this.#lines[at]!.trimEnd()
    const words = bullet.exec(line)?.[3] ?? line
    const kind = begin.exec(words)?.[1]?.toUpperCase()
    const marks = fence.exec(words)?.[1]
    const ends = this.#ends.get(kind ?? marks?.[0] ?? "")
    if (ends === undefined) return undefined
    while (ends.length > 0 && ends.at(-1)!.at <= at) ends.pop()
    return ends.findLast(({ length }) => marks === undefined || kind !== undefined || length >= marks.length)?.at
  }
}

/** The blocks of a page, in order. */
export const blocksOf = (text: string): ReadonlyArray<Block> => {
  const lines = text.split("\n").map((line) => line.trimEnd())
  const endings = new Endings(lines)
  const blocks: Array<Block> = []
  let current: Block | undefined
  const open = (indent: number | undefined): Block => {
    blocks.push((current = { indent, lines: [] }))
    return current
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const [, indent, , words = ""] = bullet.exec(line) ?? []
    // Thematic breaks and lines of front matter look like nested empty bullets.
    const isBullet = indent !== undefined && !thematicBreak.test(line)
    if (isBullet) open(widthOf(indent)).lines.push(words)
    else {
      const isOutside = current === undefined || (current.indent !== undefined && /^[^ \t]/.test(line))
      const block: Block = isOutside ? open(undefined) : current!
      block.lines.push(block.indent === undefined ? line : dedented(line, block.indent + 2))
    }
    const end = endings.after(at)
    const columns = current!.indent === undefined ? 0 : current!.indent + 2
    for (; end !== undefined && at < end;) current!.lines.push(dedented(lines[++at]!, columns))
  }
  return blocks
}
