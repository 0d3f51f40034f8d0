import { publicStart } from "./PrivateParts.ts"

/** A file of a note, as links in its body find it. */
export interface NoteFile {
  readonly id: string
  readonly filename: string
  /** Whether a page may show it as an image. */
  readonly isImage: boolean
}

/** What is to be rendered. */
export interface NoteText {
  readonly title: string
  readonly body: string
  readonly files: ReadonlyArray<NoteFile>
  /** Whether single line breaks are shown. */
  readonly breaks: boolean
}

/** A body whose links are looked for. */
export interface LinkedText {
  readonly body: string
  /** The files of the note, which links find by their names too. */
  readonly files: ReadonlyArray<Pick<NoteFile, "id" | "filename">>
}

/** A place in a body whose link leads to a file: what stands from `start` to `end` becomes this with its address between. */
export interface FileLink {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly file: string
  readonly after: string
}

/** A text, cut where addresses of files belong: between each two pieces that of one of the files. */
export interface Cut {
  readonly pieces: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

/** What is public of a note, ready to be shown: the addresses of its files are put in with each response. */
export interface Rendered {
  readonly html: Cut
  readonly markdown: Cut
  /** The beginning of its text. */
  readonly description: string
  /** The language that its front matter names. */
  readonly lang: string | null
}

/** Cut off after words. */
export const shortened = (text: string, most: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  if (line.length <= most) return line
  const cut = line.slice(0, most)
  const end = cut.lastIndexOf(" ")
  return `${(end > most / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`
}

const entities = new Map(
  [..."&<>"].map((sign, index) => [sign.charCodeAt(0), Buffer.from(["&amp;", "&lt;", "&gt;"][index]!)])
)

/** Byte by byte: `replaceAll` takes 60 ms of the main thread for a megabyte of signs. */
const escaped = (text: string): string => {
  const bytes = Buffer.from(text)
  const made = Buffer.allocUnsafe(5 * bytes.length)
  let length = 0
  for (const byte of bytes) {
    const entity = entities.get(byte)
    if (entity === undefined) made[length++] = byte
    else for (const each of entity) made[length++] = each
  }
  return made.toString("utf8", 0, length)
}

/** What is shown of a body that nothing can be made of within the bounds of time and memory. */
export const plainly = ({ body }: Pick<NoteText, "body">): Rendered => {
  const text = publicStart(body)
  return {
    html: { pieces: [`<pre class="plain" tabindex="0">${escaped(text)}</pre>`], files: [] },
    markdown: { pieces: [text], files: [] },
    description: shortened(text.slice(0, 1_000), 200),
    lang: null
  }
}

/** A text with the addresses of its files. */
export const whole = ({ files, pieces }: Cut, urlOf: (file: string) => string): string =>
  pieces.map((piece, index) => (index === 0 ? piece : urlOf(files[index - 1]!) + piece)).join("")
