import mime from "mime"
import { binary, contentTypeOf } from "../../MediaTypes.ts"
import type { Converted } from "./Converted.ts"
import type { FileItem } from "./Item.ts"

/**
 * Extracts files in `data:` addresses (RFC 2397) before the text is parsed as Markdown, because an image of some
 * megabytes is a single word of it. An address outside of links and elements, such as in code, is put back.
 */

interface Embedded {
  /** As written. */
  readonly address: string
  /** The decoded bytes. For a long address that cannot be decoded, the address itself, which then leaves the text. */
  readonly bytes: Buffer | undefined
  readonly content_type: string
  readonly problem?: string
}

/** Length in characters; a shorter address that cannot be decoded stays in the text. */
const longAddress = 4096

export interface DataAddresses {
  /** The text with a placeholder for each address. */
  readonly text: string
  /**
   * Replaces placeholders: in links by the address of an attachment, elsewhere by the original text. `urlOf` receives
   * the number of a file and is called for each link to it.
   */
  readonly placed: (converted: Converted, urlOf: (number: number) => string) => Converted
  readonly file: (number: number) => Pick<FileItem, "path" | "filename" | "content_type" | "size" | "open">
}

const head = /data:([\w.+-]+\/[\w.+-]+)((?:;[\w.+-]+(?:=(?:"[^"\n]{0,100}"|[\w.+-]{0,100}))?){0,10}),/iy

const ends: Readonly<Record<string, RegExp>> = { '"': /"/g, "'": /'/g, "<": /[>\n]/g, "=": /[\s>]/g }
const elsewhere = /\s/g

const firstOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

const brackets = /[\s()]/g

/** The end of the address that begins at `start`; the character before it determines which character ends it. */
const endOf = (text: string, start: number): number => {
  const before = text[start - 1] ?? ""
  if (before !== "(") return firstOf(ends[before] ?? elsewhere, text, start)
  for (let at = start, depth = 0; ;) {
    at = firstOf(brackets, text, at)
    if (text[at] === "(") depth++
    else if (text[at] !== ")" || depth-- === 0) return at
    at++
  }
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">"
}

const decoded = (data: string, isBase64: boolean): Buffer | undefined => {
  try {
    if (!isBase64) {
      return Buffer.from(decodeURIComponent(data.replaceAll(/&(?:amp|quot|#39|lt|gt);/g, (sign) => entities[sign]!)))
    }
    const digits = (data.includes("%") ? decodeURIComponent(data) : data).replaceAll(/\s+/g, "").replace(/={1,2}$/, "")
    return digits === "" || digits.length % 4 === 1 || /[^A-Za-z0-9+/_-]/.test(digits)
      ? undefined
      : Buffer.from(digits, "base64")
  } catch {
    // An invalid percent-encoding.
    return undefined
  }
}

const embeddedOf = (address: string, [start, type = "", parameters = ""]: RegExpExecArray): Embedded => {
  const isBase64 = /;base64$/i.test(parameters)
  const said = type + (isBase64 ? parameters.slice(0, -";base64".length) : parameters)
  const bytes = decoded(address.slice(start.length), isBase64)
  if (bytes !== undefined) return { address, bytes, content_type: contentTypeOf(said) ?? contentTypeOf(type) ?? binary }
  const isLong = address.length > longAddress
  return {
    address,
    bytes: isLong ? Buffer.from(address) : undefined,
    content_type: "text/plain",
    problem: `An embedded file (${type}) cannot be decoded; its data ${isLong ? "is attached as text" : "stays in the text"}`
  }
}

/** Takes up to `most` addresses out of a text; later ones stay. */
export const dataAddresses = (source: string, most: number): DataAddresses => {
  let name = "data"
  // The text itself must not contain the placeholder.
  for (let count = 1; source.includes(`x-${name}-`); count++) name = `data${count}`
  const numbers = new Map<string, number>()
  const found: Array<Embedded> = []
  let text = ""
  let at = 0
  for (const { index } of source.matchAll(/data:/gi)) {
    if (index < at || found.length >= most) continue
    head.lastIndex = index
    const match = head.exec(source)
    if (match === null) continue
    const address = source.slice(index, endOf(source, index))
    if (address.length < match[0].length) continue
    const number = numbers.get(address) ?? found.push(embeddedOf(address, match)) - 1
    numbers.set(address, number)
    text += `${source.slice(at, index)}x-${name}-${number}-`
    at = index + address.length
  }
  text += source.slice(at)

  const mark = new RegExp(`x-${name}-(\\d+)-`, "g")
  const back = (part: string): string => part.replaceAll(mark, (_, number: string) => found[Number(number)]!.address)
  const isMark = new RegExp(`^x-${name}-(\\d+)-$`)

  return {
    text,
    placed: (converted, urlOf) => {
      if (found.length === 0) return converted
      const pieces: Array<string> = []
      const links: Array<Converted["links"][number]> = []
      const problems = [...converted.problems]
      let piece = back(converted.pieces[0] ?? "")
      for (const [index, link] of converted.links.entries()) {
        const number = isMark.exec(link.target)?.[1]
        const file = number === undefined ? undefined : found[Number(number)]
        if (file !== undefined) {
          piece +=
            file.bytes === undefined ? back(link.was) : back(link.before) + urlOf(Number(number)) + back(link.after)
          if (file.problem !== undefined) problems.push({ code: "damaged", message: file.problem })
        } else {
          pieces.push(piece)
          links.push({
            ...link,
            target: back(link.target),
            was: back(link.was),
            before: back(link.before),
            after: back(link.after)
          })
          piece = ""
        }
        piece += back(converted.pieces[index + 1] ?? "")
      }
      pieces.push(piece)
      const title = converted.title === undefined ? {} : { title: back(converted.title) }
      return { ...converted, ...title, tags: converted.tags.map(back), pieces, links, problems }
    },
    file: (number) => {
      const { bytes = Buffer.alloc(0), content_type } = found[number]!
      const filename = `embedded ${number + 1}.${mime.getExtension(content_type) ?? "bin"}`
      const open = async function* () {
        yield bytes
      }
      return { path: filename, filename, content_type, size: bytes.length, open }
    }
  }
}
