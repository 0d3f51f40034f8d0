/** Finds the parts of a line of Markdown whose words are no text, without a parser. */

export interface Range {
  readonly start: number
  readonly end: number
}

/** The text with other characters in place of ranges, which are in its order. */
export const masked = (text: string, ranges: ReadonlyArray<Range>, mask: string): string => {
  let made = ""
  let at = 0
  for (const { start, end } of ranges) {
    made += text.slice(at, start) + mask.repeat(end - start)
    at = end
  }
  return made + text.slice(at)
}

const token = /\\[!-/:-@[-`{-~]|`+|\[\[|(?:https?:\/\/|www\.)[^\s<>()`]+|[()]/gi

/** The end of code whose text begins at `from`, after backticks; undefined if no equal number of them follows. */
const codeEnd = (text: string, from: number, backticks: number): number | undefined => {
  const runs = /`+/g
  runs.lastIndex = from
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
    if (run[0].length === backticks) return runs.lastIndex
  }
  return undefined
}

/** Code, wiki links, addresses of links, and escaped characters, in order. A text of any length is read once. */
export const opaqueIn = (text: string): ReadonlyArray<Range> => {
  const lastRuns = new Map<number, number>()
  for (const { 0: run, index } of text.matchAll(/`+/g)) lastRuns.set(run.length, index)
  const lastClosing = text.lastIndexOf("]]")
  const found: Array<Range> = []
  const open: Array<number> = []
  const tokens = new RegExp(token)
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const { 0: sign, index: start } = match
    const next = tokens.lastIndex
    if (sign === "(") open.push(next)
    else if (sign === ")") {
      const from = open.pop() ?? 0
      if (text[from - 2] !== "]") continue
      while (found.length > 0 && found.at(-1)!.start >= from) found.pop()
      // Its parentheses stay: they make the brackets before them a label.
      found.push({ start: from, end: start })
    } else {
      let end: number | undefined = next
      if (sign === "[[") end = lastClosing < next ? undefined : text.indexOf("]]", next) + 2
      if (sign.startsWith("`")) {
        end = (lastRuns.get(sign.length) ?? 0) < next ? undefined : codeEnd(text, next, sign.length)
      }
      if (end === undefined) continue
      tokens.lastIndex = end
      found.push({ start, end })
    }
  }
  return found
}
