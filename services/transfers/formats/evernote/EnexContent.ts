import sax from "sax"

/** What an element `content` of an export holds, as it is written there: the ENML of a note. */

const opening = "<![CDATA["
const closing = "]]>"

const endOfOther = /(?=<\/content\s*>)/
/** Where CDATA ends together with its element; else where its element is followed by what may follow it in a note. */
const endOfCdata =
  /\]\]>\s*(?=<\/content\s*>)|(?=<\/content\s*>\s*(?:<\/note\s*>|<(?:created|updated|tag|note-attributes|resource|task)[\s/>]))/
/** So much is held back of a text: its end may stand there. */
const held = 512

/**
 * Finds the end of an element `content` without reading what is in it. A parser of XML would be led astray by CDATA within
 * CDATA, up to the end of the file.
 */
export class ContentScan {
  private tail = ""
  private isCdata: boolean | undefined

  /** What is of it for sure; and from its end tag on what follows, once it has ended. */
  add(piece: string): { readonly taken: string; readonly rest: string | undefined } {
    const text = this.tail + piece
    if (this.isCdata === undefined) {
      const start = text.trimStart()
      if (start.length < opening.length) {
        this.tail = text
        return { taken: "", rest: undefined }
      }
      this.isCdata = start.startsWith(opening)
    }
    const end = (this.isCdata ? endOfCdata : endOfOther).exec(text)
    if (end === null) {
      this.tail = text.slice(-held)
      return { taken: text.slice(0, -held), rest: undefined }
    }
    const at = end.index + end[0].length
    return { taken: text.slice(0, at), rest: text.slice(at) }
  }
}

interface Sections {
  readonly text: string
  /** Whether nothing but white space stands beside them. */
  readonly isAll: boolean
}

/** CDATA as XML has it: none within another, and what cannot stand in one is split between two. */
const sectionsOf = (source: string): Sections => {
  let text = ""
  let at = 0
  while (true) {
    const start = source.indexOf(opening, at)
    const between = source.slice(at, start < 0 ? undefined : start)
    if (between.trim() !== "") return { text, isAll: false }
    if (start < 0) return { text, isAll: true }
    const end = source.indexOf(closing, start)
    text += source.slice(start + opening.length, end < 0 ? undefined : end)
    if (end < 0) return { text, isAll: true }
    at = end + closing.length
  }
}

/** Text whose markup is escaped. */
const unescaped = (source: string): string => {
  let text = ""
  const parser = sax.parser(true, { position: false })
  const add = (value: string) => {
    text += value
  }
  parser.ontext = add
  parser.oncdata = add
  parser.onerror = () => parser.resume()
  parser.write(`<content>${source}</content>`).close()
  return text
}

/**
 * The ENML in it. Some programs put CDATA as it is into that of the element, which XML ends with the inner one: there all
 * up to the last end is the text.
 */
export const contentOf = (source: string): string => {
  const trimmed = source.trim()
  if (trimmed.startsWith(opening)) {
    const sections = sectionsOf(trimmed)
    if (sections.isAll) return sections.text
    const end = trimmed.lastIndexOf(closing)
    return trimmed.slice(opening.length, end) + trimmed.slice(end + closing.length)
  }
  return trimmed.startsWith("<") ? trimmed : unescaped(trimmed)
}
