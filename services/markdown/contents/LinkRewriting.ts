import { escapedName, fitsBrackets, folded, noteEnding, readingsOf } from "../LinkText.ts"
import { type Quote, writeQuoted } from "../syntax/QuotedText.ts"

/** Changes a link so that it leads to a note under its present name. All else of the link stays. */

/** The note to which a link is to lead. */
export interface Renamed {
  readonly id: string
  readonly title: string
  /** The names of its notebook and of those around it, the outermost first. */
  readonly path: ReadonlyArray<string>
  /** Its aliases, folded. */
  readonly aliases: ReadonlySet<string>
}

/** A target whose name is to be replaced. */
interface Named {
  readonly title: string
  readonly folders: ReadonlyArray<string>
  /** The ending of a file, or nothing. */
  readonly ending: string
  /** The place in the note, with its sign. */
  readonly place: string
}

/** Reads a target by one of its names. */
const namedBy = (target: string, isName: (key: string) => boolean): Named | undefined => {
  const hashes = [target.lastIndexOf("#"), target.indexOf("#")].filter((at) => at > 0)
  for (const at of [target.length, ...hashes]) {
    const path = target.slice(0, at)
    const found = readingsOf(path).find(({ place, title }) => place === "" && isName(folded(title)))
    if (found === undefined) continue
    return { ...found, ending: noteEnding.exec(path.trim())?.[0] ?? "", place: target.slice(at) }
  }
  return undefined
}

/** A path from one notebook to another. */
const relative = (from: ReadonlyArray<string>, to: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shared = from.findIndex((name, index) => name !== to[index])
  const same = shared < 0 ? from.length : shared
  return [...from.slice(same).map(() => ".."), ...to.slice(same)]
}

/**
 * The targets by which a link can lead to a note, the one that is most like the written one first. A link by an alias keeps
 * it.
 */
export const targetsFor = (
  written: string,
  isName: (key: string) => boolean,
  { aliases, path, title }: Renamed,
  from: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const named = namedBy(written, isName)
  if (named === undefined) return []
  const { ending, folders, place } = named
  const names = aliases.has(folded(named.title)) ? [named.title, title] : [title]
  const isRelative = folders.includes("..")
  const own = isRelative ? relative(from, path) : path.slice(Math.max(0, path.length - folders.length))
  return [...new Set(names.flatMap((name) => [own, path].map((parts) => [...parts, name].join("/") + ending + place)))]
}

/** A backslash before the bar is one of a table. */
const brackets = /^(!?\[\[)((?:[^[\]|\\\n]|\\(?!\|))*)(.*\]\])$/s
/** A link after its label, or a definition: what is before the address, the address, and what is after it. */
const inline = /^(\s*)(<[^<>\n]*>|\S*?)((?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\))$/s
const definition = /^(\[[^\]]*\]:\s*)(<[^<>\n]*>|\S+)(.*)$/s

/** A part of an address with all signs escaped that end it. Letters of all scripts stay. */
const escapedPart = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/(?:%[89A-F][0-9A-F])+/gi, decodeURIComponent)
    .replaceAll(/[()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const addressOf = (target: string, place: string, written: string): string => {
  if (written.startsWith("<") && !/[<>|\n]/.test(target)) return `<${target}>`
  const path = target
    .slice(0, target.length - place.length)
    .split("/")
    .map(escapedPart)
    .join("/")
  return place === "" ? path : `${path}#${escapedPart(place.slice(1))}`
}

/** A name as a label, also in a table. */
const labelled = (name: string): string => escapedName(name).replaceAll("|", "\\|")

/** The label of a link, with the present title instead of a name that the note has lost. */
const labelOf = (label: string, isName: (key: string) => boolean, { aliases, title }: Renamed): string => {
  const key = folded(label.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1"))
  return isName(key) && !aliases.has(key) ? labelled(title) : label
}

/**
 * A link in double brackets with another path to its note. Undefined if it cannot have the path, or is written otherwise.
 * `quote`: around it, if it is in the front matter.
 */
export const retargeted = (text: string, path: string, place: string, quote?: Quote): string | undefined => {
  const [, open, , close] = brackets.exec(text) ?? []
  if (open === undefined || close === undefined || !fitsBrackets(path)) return undefined
  const target = quote === undefined ? path + place : writeQuoted(path + place, quote)
  return target === undefined ? undefined : open + target + close
}

/** Parts of a link that are written again. */
interface Readdressed {
  /** Makes the address from the present one; from an empty text for a link in double brackets. */
  readonly address: (written: string) => string
  readonly label?: (written: string) => string
  /** What a link in double brackets shows if it has no words of its own. */
  readonly words: string
}

/** The text of a link with another address. Undefined for one that is not written as a link. */
export const readdressed = (
  text: string,
  { address, label = (written) => written, words }: Readdressed
): string | undefined => {
  const [, open, , close] = brackets.exec(text) ?? []
  if (open !== undefined && close !== undefined) {
    const [, alias = words] = /^\\?\|(.*)\]\]$/s.exec(close) ?? []
    return `${open.slice(0, -2)}[${labelled(alias)}](${address("")})`
  }
  const end = text.lastIndexOf("](")
  const [, space, url, rest] = end < 0 ? [] : (inline.exec(text.slice(end + 2)) ?? [])
  if (url !== undefined) {
    const start = /^!?\[/.exec(text)![0]
    return `${start}${label(text.slice(start.length, end))}](${space}${address(url)}${rest}`
  }
  const [, before, defined, after] = definition.exec(text) ?? []
  return defined === undefined ? undefined : `${before}${address(defined)}${after}`
}

/** A link to rewrite. */
interface Rewritten {
  /** The link in the body. */
  readonly text: string
  /** Its target as written. */
  readonly written: string
  /** The quote around it, if it is in the front matter. */
  readonly quote: Quote | undefined
  /** The target that leads to the note; undefined if only its id does. */
  readonly target: string | undefined
}

/**
 * The text of a link with another target; with the id of the note if the form of the link cannot have the target. Undefined
 * if the link cannot be written.
 */
export const relinked = (
  { quote, target, text, written }: Rewritten,
  isName: (key: string) => boolean,
  note: Renamed
): string | undefined => {
  const place = namedBy(written, isName)?.place ?? ""
  const path = target?.slice(0, target.length - place.length)
  const named = path === undefined ? undefined : retargeted(text, path, place, quote)
  if (named !== undefined) return named
  if (quote !== undefined) {
    const id = note.id + (writeQuoted(place, quote) ?? "")
    return text.replace(brackets, (_, open, __, close) => open + id + close)
  }
  const byId = `note:${note.id}${place === "" ? "" : `#${escapedPart(place.slice(1))}`}`
  return readdressed(text, {
    address: (url) => (target === undefined || url === "" ? byId : addressOf(target, place, url)),
    label: (label) => labelOf(label, isName, note),
    words: note.title
  })
}
