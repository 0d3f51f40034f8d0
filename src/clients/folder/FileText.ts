import { frontMatterBlockOf } from "../../../services/markdown/FrontMatterBlock.ts"
import { propertiesOf, withProperties } from "../../../services/notes/texts/FrontMatterEdit.ts"
import { frontMatterOf } from "../../../services/transfers/formats/markdown/FrontMatter.ts"
import { fileOf, partsOf } from "../../../services/transfers/formats/markdown/OwnFrontMatter.ts"
import { tagsOf } from "../../../services/transfers/formats/ItemNames.ts"
import { maxTextBytes } from "../../../services/records/Merge.ts"

/** The text of a note and that of its file. */

/** What a file says of its note. Only the front matter of an export says whether it is pinned or archived. */
export interface Stated {
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly pinned?: boolean
  readonly archived?: boolean
}

/** The members of a note that its file shows. */
export interface NoteContent extends Stated {
  readonly id: string
  readonly title: string
  readonly notebook_id: string
  readonly created_at: string
  readonly updated_at: string
}

/** What the bytes of a file have besides its text. */
interface Form {
  readonly mark: "" | "\ufeff"
  readonly end: "\n" | "\r\n"
}

const plainForm: Form = { mark: "", end: "\n" }

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of the bytes of a file, without a byte order mark, and with LF; undefined if a note cannot have it. */
export const decodedText = (bytes: Uint8Array): { readonly text: string; readonly form: Form } | undefined => {
  let whole: string
  try {
    whole = decoder.decode(bytes)
  } catch {
    // Bytes that are not UTF-8.
    return undefined
  }
  if (whole.includes("\0") || bytes.length > maxTextBytes) return undefined
  const mark = whole.startsWith("\ufeff") ? "\ufeff" : ""
  const marked = whole.slice(mark.length)
  // Line ends of both kinds stay as they are.
  const isWindows = marked.includes("\r\n") && !/(?:^|[^\r])\n/.test(marked)
  return isWindows
    ? { text: marked.replaceAll("\r\n", "\n"), form: { mark, end: "\r\n" } }
    : { text: marked, form: { mark, end: "\n" } }
}

/** The bytes of a text in the form of the earlier bytes of its file. */
export const encodedText = (text: string, earlier: Uint8Array | undefined): Uint8Array => {
  const { end, mark } = (earlier && decodedText(earlier)?.form) ?? plainForm
  return Buffer.from(mark + (end === "\r\n" ? text.replaceAll(/\r?\n/g, end) : text))
}

/** No time in front matter becomes one of the note. */
const clock = { now: new Date(0), timezone: "UTC" }

const isOf = (value: unknown): value is string => typeof value === "string"

/** What the text of a file says of its note. Front matter that is not that of an export stays in the body. */
export const statedBy = (text: string): Stated => {
  const parts = partsOf(text)
  if (parts !== undefined) {
    const { own, tags } = frontMatterOf(parts.own, clock)
    return { body: parts.properties + parts.rest, tags: tagsOf(tags, true).tags, ...own }
  }
  return { body: text, tags: text.startsWith("---") ? tagsOf(frontMatterOf(text, clock).tags).tags : [] }
}

/** The id of the note in the front matter of an export. */
export const noteIdIn = (text: string): string | undefined =>
  partsOf(text) === undefined ? undefined : /^---\nid: (nt_[\w-]+)\n/.exec(text)?.[1]

export const sameTags = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean => {
  const keysOf = (tags: ReadonlyArray<string>) => tags.map((tag) => tag.normalize("NFC").toLowerCase()).toSorted()
  return one === other || keysOf(one).join("\n") === keysOf(other).join("\n")
}

/** Whether a note is as its file says. */
export const agrees = (file: Stated, note: Stated): boolean =>
  file.body === note.body &&
  sameTags(file.tags, note.tags) &&
  (file.pinned === undefined || file.pinned === note.pinned) &&
  (file.archived === undefined || file.archived === note.archived)

/** The properties that have the tags of a note. */
const tagProperties = (yaml: string): ReadonlyArray<string> => {
  try {
    return Object.keys(propertiesOf(yaml)?.values ?? {}).filter((name) => /^tags?$/i.test(name))
  } catch {
    // The YAML parser fails on thousands of nested brackets.
    return []
  }
}

/** The text with these tags in its own front matter; undefined if that cannot say so. */
const withTags = (text: string, yaml: string, tags: ReadonlyArray<string>): string | undefined => {
  const [name = "tags", ...remove] = tagProperties(yaml)
  const tagged = withProperties(text, { set: { [name]: tags }, remove })
  if (tagged === undefined) return undefined
  const stated = statedBy(tagged)
  return stated.pinned === undefined && sameTags(stated.tags, tags) ? tagged : undefined
}

/**
 * The text of the file of a note: its body, or an export of it if the body does not say all that a file shows. `body` has
 * the links of the file. Note apps read the first front matter only: where that of an export cannot have the properties of
 * the body, these have the tags.
 */
export const textOf = (note: NoteContent, body: string): string => {
  const alone = statedBy(note.body)
  if (alone.pinned === undefined && sameTags(alone.tags, note.tags)) return body
  const exported = fileOf({ ...note, pinned: note.pinned === true, archived: note.archived === true }, body, [])
  const block = frontMatterBlockOf(body)
  if (block?.language !== "yaml" || partsOf(exported)?.properties !== "") return exported
  return withTags(body, block.content, note.tags) ?? exported
}

/** Whether a file says of its note what the program would write of it. */
export const isFileOf = (file: Stated, note: NoteContent): boolean =>
  agrees(file, { ...note, ...statedBy(textOf(note, note.body)) })

const lengthOfWord = /\S$/

/**
 * Whether a text is the beginning of an earlier one that a crash or a full disk has cut, and not a user: within a word, and
 * before further lines.
 */
export const isTruncated = (text: string, earlier: string): boolean => {
  if (earlier.trim() === "") return false
  if (text.trim() === "") return true
  if (text.length >= earlier.length || !earlier.startsWith(text)) return false
  const rest = earlier.slice(text.length)
  return lengthOfWord.test(text) && /^\S/.test(rest) && /\n\s*\S/.test(rest)
}

/** The members of a note as its record has them. */
export const contentOf = (id: string, data: Readonly<Record<string, unknown>>): NoteContent => {
  const textIn = (member: string) => (isOf(data[member]) ? data[member] : "")
  const tags = data["tags"]
  return {
    id,
    title: textIn("title"),
    notebook_id: textIn("notebook_id"),
    body: textIn("body"),
    tags: Array.isArray(tags) ? tags.filter(isOf) : [],
    pinned: data["pinned"] === true,
    archived: data["archived"] === true,
    created_at: textIn("created_at"),
    updated_at: textIn("updated_at") || textIn("created_at")
  }
}
