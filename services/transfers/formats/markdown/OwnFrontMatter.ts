import { isMap, isScalar, type Pair, parseDocument, visit } from "yaml"
import type { ListedFile } from "../Converted.ts"
import { ending, type FrontMatterNote, headOf } from "./OwnHead.ts"

/** The front matter of Markdown exports before a body: writes it there, and finds it again. */

const keys = ["id", "title", "tags", "created", "updated", "files", "archived", "pinned"]

const text = String.raw`"(?:[^"\\\n]|\\.)*"`
const listed = String.raw`\n  - (?:${text}|\{"path": ${text}, "name": ${text}\})`
const ownHead = new RegExp(
  String.raw`^(---\nid: nt_[\w-]+\ntitle: ${text}\ntags:(?: \[\]|(?:\n  - ${text})+)\ncreated: \S+\nupdated: \S+\n)(?:files:((?:${listed})+)\n)?(archived: (?:true|false)\npinned: (?:true|false)\n)`
)

/** Maximum characters: a title, fifty tags and a thousand files, with each character escaped. */
const longestHead = 4 * 1024 * 1024
/** Maximum characters of other properties, because parsing takes time: users do not write longer ones. */
const longest = 4096

/** The lines between two lines of three hyphens. */
const block = /^---\n((?:(?!(?:---|\.\.\.)[ \t]*\r?\n)[^\n]*\n){1,200})---\n/

/** Whether any YAML parser accepts the block, each property occurs once, and ours come before the others. */
const isPlain = (yaml: string): boolean => {
  try {
    const document = parseDocument(yaml, { schema: "core", logLevel: "silent" })
    const { contents, errors, warnings } = document
    if (errors.length + warnings.length > 0 || !isMap(contents)) return false
    const isOurs = ({ key }: Pair) => isScalar(key) && keys.includes(String(key.value).toLowerCase())
    const first = contents.items.findIndex((item) => !isOurs(item))
    const [ours, theirs] =
      first < 0 ? [contents.items, []] : [contents.items.slice(0, first), contents.items.slice(first)]
    const last = ours.at(-1)?.value
    // An indented line after it would continue its value.
    if (!isScalar(last) || typeof last.value !== "boolean") return false
    let hasAlias = false
    visit(document, {
      Alias: () => {
        hasAlias = true
        return visit.BREAK
      }
    })
    return theirs.length > 0 && !hasAlias && theirs.every((item) => isScalar(item.key) && !isOurs(item))
  } catch {
    // The YAML parser fails on thousands of nested brackets.
    return false
  }
}

/** The file of an exported note. Properties that its body begins with follow ours, and become a block again here. */
interface Parts {
  /** The front matter without the files. */
  readonly own: string
  readonly files: ReadonlyArray<ListedFile>
  readonly properties: string
  readonly rest: string
}

/**
 * The file of a note. `body` has links in the form for files; `files` are those that `body` does not describe fully.
 * Other programs read the first front matter only, so properties at the beginning of a body move there, and `partsOf`
 * restores them unchanged.
 */
export const fileOf = (note: FrontMatterNote, body: string, files: ReadonlyArray<ListedFile>): string => {
  const head = headOf(note, files)
  const [properties = "", lines = ""] = body.startsWith(ending) ? (block.exec(body.slice(0, longest)) ?? []) : []
  const rest = body.slice(properties.length)
  // Links that the export rewrote cannot be restored there.
  if (properties === "" || !note.body.startsWith(properties)) return head + ending + body
  const file = head + lines + ending + rest
  const found = partsOf(file)
  const isSame = found?.own === headOf(note, []) + ending && found.properties === properties && found.rest === rest
  return isSame && isPlain(head.slice(ending.length) + lines) ? file : head + ending + body
}

const listedFiles = new RegExp(String.raw`\n  - (?:(${text})|\{"path": (${text}), "name": (${text})\})`, "g")

/** Undefined for any other file. */
export const partsOf = (file: string): Parts | undefined => {
  const [head, first = "", list = "", last = ""] = ownHead.exec(file.slice(0, longestHead)) ?? []
  if (head === undefined) return undefined
  const isWhole = file.startsWith(ending, head.length)
  const [properties = ""] = isWhole ? [] : (block.exec(ending + file.slice(head.length, head.length + longest)) ?? [])
  if (!isWhole && properties === "") return undefined
  try {
    const files = [...list.matchAll(listedFiles)].map(([, only, path, name]): ListedFile =>
      only === undefined
        ? { path: String(JSON.parse(path!)), name: String(JSON.parse(name!)) }
        : { path: String(JSON.parse(only)) }
    )
    const behind = head.length + (isWhole ? ending.length : properties.length - ending.length)
    return { own: first + last + ending, files, properties, rest: file.slice(behind) }
  } catch {
    // Escapes that JSON does not have: the file is not an export.
    return undefined
  }
}
