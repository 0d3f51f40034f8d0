import type { ProblemCode, Rewritten } from "./Item.ts"

/** A link as a text has it: what it means, others know. */
export interface Link {
  /** What it leads to, as it is written: a path, a title, a hash. */
  readonly target: string
  /**
   * `path`: an address of Markdown or HTML; `wiki`: a name in double brackets; `media`: a hash; `note`: a title; `row`: the
   * title of what may be a page of a database; `file`: what may be the path of a file, and else is text.
   */
  readonly kind: "path" | "wiki" | "media" | "note" | "row" | "file"
  /** What stands there when it leads nowhere. */
  readonly was: string
  /** What stands around the address when it leads somewhere. */
  readonly before: string
  readonly after: string
  /** Whether what it leads to is to be shown in its place. */
  readonly isEmbed: boolean
}

/** A file that stands in the text itself. */
export interface Embedded {
  readonly filename: string
  readonly content_type: string
  readonly base64: string
}

/** A file that front matter says is one of the note's. */
export interface ListedFile {
  /** From the folder of the note. */
  readonly path: string
  /** What the file is called, where its path ends otherwise. */
  readonly name?: string
}

/** A text cut where its links are; what is said of it besides. It can be sent between threads. */
export interface Converted {
  /** Between each two, one of the links. */
  readonly pieces: ReadonlyArray<string>
  readonly links: ReadonlyArray<Link>
  readonly title?: string
  readonly tags: ReadonlyArray<string>
  /** Whether they are tags of this service, to be called as they are. */
  readonly areOwnTags?: boolean
  /** Files of the note, whether the text links them or not. */
  readonly files?: ReadonlyArray<ListedFile>
  readonly created_at?: string
  readonly updated_at?: string
  readonly archived?: boolean
  readonly pinned?: boolean
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly message: string }>
  /** What it was made of is to be kept as a file of the note: not all of it is in the pieces. */
  readonly keepsSource?: boolean
  /** Links to them lead to `data:` and their index. */
  readonly embedded?: ReadonlyArray<Embedded>
}

/** Puts the links back in, each where it leads, or as it was. */
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

/** Some names in a message: the first of them, each in quotes. */
export const namedIn = (names: ReadonlyArray<string>): string => {
  const all = new Set(names)
  const first = [...all].slice(0, 10).map((name) => JSON.stringify(name.slice(0, 200)))
  return first.join(", ") + (all.size > 10 ? ", …" : "")
}

/** The text as it is, with none of its links. */
export const plain = (text: string): Converted => ({ pieces: [text], links: [], tags: [], problems: [] })

/** In an address of Markdown. */
export const fragmentOf = (heading: string): string =>
  heading === ""
    ? ""
    : `#${encodeURIComponent(heading).replaceAll(/[()']/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`
