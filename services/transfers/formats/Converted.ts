import type { ProblemCode, Rewritten } from "./Item.ts"

/** A link of a converted text, before it is resolved. */
export interface Link {
  /** Its target as written: a path, a title, a hash. */
  readonly target: string
  /**
   * `path`: an address of Markdown or HTML; `wiki`: a name in double brackets; `media`: a hash; `note`: a title; `row`:
   * a title that may be that of a page of a database; `file`: text that may be the path of a file; `property`: a name in
   * double brackets in front matter.
   */
  readonly kind: "path" | "wiki" | "media" | "note" | "row" | "file" | "property"
  /** The text in its place when the target is not found. */
  readonly was: string
  /** The text before and after the address when the target is found. */
  readonly before: string
  readonly after: string
  /** Whether the target is shown in place of the link. */
  readonly isEmbed: boolean
}

/** A file that is embedded in the text itself. */
export interface Embedded {
  readonly filename: string
  readonly content_type: string
  readonly base64: string
}

/** A file that the front matter lists as a file of the note. */
export interface ListedFile {
  /** Relative to the folder of the note. */
  readonly path: string
  /** The name of the file, if its path ends differently. */
  readonly name?: string
}

/** A text split at its links, with metadata. It can be sent between threads. */
export interface Converted {
  /** There is one link between each two pieces. */
  readonly pieces: ReadonlyArray<string>
  readonly links: ReadonlyArray<Link>
  readonly title?: string
  readonly tags: ReadonlyArray<string>
  /** Whether the tags come from this service and are kept as they are. */
  readonly areOwnTags?: boolean
  /** Files of the note, whether or not the text links to them. */
  readonly files?: ReadonlyArray<ListedFile>
  readonly created_at?: string
  readonly updated_at?: string
  /** Times of reminders that are still to come. */
  readonly remind_at?: ReadonlyArray<string>
  readonly archived?: boolean
  readonly pinned?: boolean
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly message: string }>
  /** The source is attached to the note, because the pieces do not contain all of it. */
  readonly keepsSource?: boolean
  /** Links to them have the target `data:` and their index. */
  readonly embedded?: ReadonlyArray<Embedded>
}

/** Joins the pieces with links to the resolved addresses, or with the original text of links that have none. */
export const joined = (
  { links, pieces }: Converted,
  urlOf: (link: Link) => string | undefined
): { readonly body: string; readonly links: ReadonlyArray<Rewritten> } => {
  const rewritten: Array<Rewritten> = []
  const parts: Array<string> = [pieces[0] ?? ""]
  for (const [index, link] of links.entries()) {
    const url = urlOf(link)
    if (url === undefined) parts.push(link.was)
    else {
      const now = link.before + url + link.after
      if (now !== link.was) rewritten.push({ now, was: link.was })
      parts.push(now)
    }
    parts.push(pieces[index + 1] ?? "")
  }
  return { body: parts.join(""), links: rewritten }
}

/** A list of names for a message: up to ten of them, in quotes. */
export const namedIn = (names: ReadonlyArray<string>): string => {
  const all = new Set(names)
  const first = [...all].slice(0, 10).map((name) => JSON.stringify(name.slice(0, 200)))
  return first.join(", ") + (all.size > 10 ? ", …" : "")
}

/** A text without links. */
export const plain = (text: string): Converted => ({ pieces: [text], links: [], tags: [], problems: [] })

/** The fragment of an address in Markdown that leads to a heading. */
export const fragmentOf = (heading: string): string =>
  heading === ""
    ? ""
    : `#${encodeURIComponent(heading).replaceAll(/[()']/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`
