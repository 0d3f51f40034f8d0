import { publicStart } from "./PrivateParts.ts"
import { fromUtf8, utf8 } from "./Utf8.ts"

/** A file of a note, as the links of its body find it. */
export interface NoteFile {
  readonly id: string
  readonly filename: string
  /** Whether a page may show it as an image. */
  readonly isImage: boolean
}

/** A note to render. */
export interface NoteText {
  readonly title: string
  readonly body: string
  /** Undefined if they are not known, as in a copy without files. */
  readonly files: ReadonlyArray<NoteFile> | undefined
  /** Whether single line breaks are shown. */
  readonly breaks: boolean
  /** Whether members of the workspace read it: links lead to other notes, and no text is withheld as private. */
  readonly isForMembers: boolean
}

/** A body whose links are requested. */
export interface LinkedText {
  readonly body: string
  /** The files of the note, which links can also find by name. */
  readonly files: ReadonlyArray<Pick<NoteFile, "id" | "filename">>
}

/** A place in a body whose link leads to a file; `before`, the address and `after` replace the text there. */
export interface FileLink {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly file: string
  readonly after: string
}

/** A text, cut where addresses belong: between two pieces is the address of a target. */
export interface Cut {
  readonly pieces: ReadonlyArray<string>
  /** Ids of files, and for other notes `note:` and the target of the link as written. */
  readonly targets: ReadonlyArray<string>
}

/** A note, ready to show. Each response inserts the addresses. */
export interface Rendered {
  readonly html: Cut
  readonly markdown: Cut
  /** The beginning of the note's text. */
  readonly description: string
  /** The language in the note's front matter, else that of its script. */
  readonly lang: string | null
  /** Whether it is the plain text, because the note is beyond the limits of rendering. */
  readonly isPlain: boolean
}

/** Shortens a text to whole words and an ellipsis. */
export const shortened = (text: string, most: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  if (line.length <= most) return line
  const cut = line.slice(0, most)
  const end = cut.lastIndexOf(" ")
  return `${(end > most / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`
}

const entities = new Map([..."&<>"].map((sign, index) => [sign.charCodeAt(0), utf8(["&amp;", "&lt;", "&gt;"][index]!)]))

/** Escapes byte by byte: `replaceAll` takes 60 ms of the main thread for a megabyte of signs. */
const escaped = (text: string): string => {
  const bytes = utf8(text)
  const made = new Uint8Array(5 * bytes.length)
  let length = 0
  for (const byte of bytes) {
    const entity = entities.get(byte)
    if (entity === undefined) made[length++] = byte
    else for (const each of entity) made[length++] = each
  }
  return fromUtf8(made.subarray(0, length))
}

/** Shows the plain text of a body that cannot be rendered within the limits of time and memory. */
export const plainly = ({ body, isForMembers }: Pick<NoteText, "body" | "isForMembers">): Rendered => {
  const text = isForMembers ? body : publicStart(body)
  return {
    html: { pieces: [`<pre class="plain" tabindex="0">${escaped(text)}</pre>`], targets: [] },
    markdown: { pieces: [text], targets: [] },
    description: shortened(text.slice(0, 1_000), 200),
    lang: null,
    isPlain: true
  }
}

/** The version of the rendering, which is part of ETags: raise it when the same note is rendered differently. */
export const renderingVersion = 4

/** The address of each target of a text. It is made once, however often the target is linked. */
export const addressesOf = ({ targets }: Cut, urlOf: (target: string) => string): ReadonlyMap<string, string> =>
  new Map([...new Set(targets)].map((target) => [target, urlOf(target)]))

/** Joins a text with the addresses of its targets. */
export const whole = (cut: Cut, urlOf: (target: string) => string): string => {
  const addresses = addressesOf(cut, urlOf)
  const { pieces, targets } = cut
  return pieces.map((piece, index) => (index === 0 ? piece : addresses.get(targets[index - 1]!)! + piece)).join("")
}
