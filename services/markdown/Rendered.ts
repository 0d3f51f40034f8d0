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

/** A note made ready to be shown: the addresses of its files, which change, are put in with each answer. */
export interface Rendered {
  /** Its HTML, cut where addresses of files belong; */
  readonly pieces: ReadonlyArray<string>
  /** between each two pieces that of one of these. */
  readonly files: ReadonlyArray<string>
  /** Where the Markdown leads to files, in its order. */
  readonly links: ReadonlyArray<FileLink>
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

/** What is shown of a body that nothing can be made of within the bounds of time and memory. */
export const plainly = ({ body }: NoteText): Rendered => {
  const text = body.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
  return {
    pieces: [`<pre class="plain" tabindex="0">${text}</pre>`],
    files: [],
    links: [],
    description: shortened(body.slice(0, 1_000), 200),
    lang: null
  }
}

/** The HTML with the addresses of its files, as they may stand in an attribute. */
export const htmlOf = ({ files, pieces }: Rendered, urlOf: (file: string) => string): string =>
  pieces.map((piece, index) => (index === 0 ? piece : urlOf(files[index - 1]!) + piece)).join("")

/** The Markdown with the addresses of the files that it leads to. */
export const markdownOf = (body: string, { links }: Rendered, urlOf: (file: string) => string): string => {
  let text = ""
  let at = 0
  for (const { after, before, end, file, start } of links) {
    text += body.slice(at, start) + before + urlOf(file) + after
    at = end
  }
  return text + body.slice(at)
}
