import sax from "sax"

/** The element `content` of an export, as written: the ENML of a note. */

const opening = "<![CDATA["
const closing = "]]>"

const endOfOther = /(?=<\/content\s*>)/
/** The end of CDATA and its element, or the end of its element before an element that may follow it in a note. */
const endOfCdata =
  /\]\]>\s*(?=<\/content\s*>)|(?=<\/content\s*>\s*(?:<\/note\s*>|<(?:created|updated|tag|note-attributes|resource|task)[\s/>]))/
/** Characters of a text that are held back, because its end may be in them. */
const held = 512

/**
 * Finds the end of an element `content` without parsing it. CDATA within CDATA would mislead an XML parser up to the
 * end of the file.
 */
export class ContentScan {
  #tail = ""
  #isCdata: boolean | undefined

  /** Returns the part that certainly belongs to the text; once it has ended, also the rest, from its end tag on. */
  add(piece: string): { readonly taken: string; readonly rest: string | undefined } {
    const text = this.#tail + piece
    if (this.#isCdata === undefined) {
      const start = text.trimStart()
      if (start.length < opening.length) {
        this.#tail = text
        return { taken: "", rest: undefined }
      }
      this.#isCdata = start.startsWith(opening)
    }
    const end = (this.#isCdata ? endOfCdata : endOfOther).exec(text)
    if (end === null) {
      this.#tail = text.slice(-held)
      return { taken: text.slice(0, -held), rest: undefined }
    }
    const at = end.index + end[0].length
    return { taken: text.slice(0, at), rest: text.slice(at) }
  }
}

interface Sections {
  readonly text: string
  /** Whether there is only white space outside of them. */
  readonly isAll: boolean
}

/** CDATA of valid XML: sections are not nested, and text that cannot be in one is split between two. */
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

/** Text with escaped markup, unescaped. */
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
 * The ENML in an element `content`. Some programs put CDATA unescaped into the CDATA of the element; XML would end it
 * at the inner one, so everything up to the last end is the text.
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
