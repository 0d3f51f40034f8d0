import { escapedName, fitsBrackets, folded, noteEnding, readingsOf } from "../LinkText.ts"

/** Changes a link so that it leads to a note under its present name. All else of the link stays. */

/** The note to which a link is to lead. */
export interface Renamed {
  readonly id: string
  readonly title: string
  /** The names of its notebook and of those around it, the outermost first. */
  readonly path: ReadonlyArray<string>
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

/** The targets by which a link can lead to a note, the one that is most like the written one first. */
export const targetsFor = (
  written: string,
  isName: (key: string) => boolean,
  { path, title }: Renamed,
  from: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const named = namedBy(written, isName)
  if (named === undefined) return []
  const { ending, folders, place } = named
  const target = (parts: ReadonlyArray<string>) => [...parts, title].join("/") + ending + place
  const isRelative = folders.includes("..")
  const own = isRelative ? relative(from, path) : path.slice(Math.max(0, path.length - folders.length))
  return [...new Set([target(own), target(path)])]
}

const brackets = /^(!?\[\[)([^[\]|\\\n]*)(.*\]\])$/s
/** A link after its label, or a definition: what is before the address, the address, and what is after it. */
const inline = /^(\s*)(<[^<>\n]*>|\S*?)((?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\))$/s
const definition = /^(\[[^\]]*\]:\s*)(<[^<>\n]*>|\S+)(.*)$/s

/** A part of an address with all signs escaped that end it. Letters of all scripts stay. */
const escapedPart = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/(?:%[89A-F][0-9A-F])+/gi, decodeURIComponent)
    .replaceAll(/[()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const addressOf = (target: string, place: string, written: string): string => {
  if (written.startsWith("<") && !/[<>\n]/.test(target)) return `<${target}>`
  const path = target
    .slice(0, target.length - place.length)
    .split("/")
    .map(escapedPart)
    .join("/")
  return place === "" ? path : `${path}#${escapedPart(place.slice(1))}`
}

/** The label of a link, with the present title instead of the name that the link had. */
const labelOf = (label: string, isName: (key: string) => boolean, { title }: Renamed): string =>
  isName(folded(label.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1"))) ? escapedName(title) : label

/** A link to rewrite. */
interface Rewritten {
  /** The link in the body. */
  readonly text: string
  /** Its target as written. */
  readonly written: string
  readonly isProperty: boolean
  /** The target that leads to the note; undefined if only its id does. */
  readonly target: string | undefined
}

/**
 * The text of a link with another target; with the id of the note if the form of the link cannot have the target. Undefined
 * if the link cannot be written.
 */
export const relinked = (
  { isProperty, target, text, written }: Rewritten,
  isName: (key: string) => boolean,
  note: Renamed
): string | undefined => {
  const place = namedBy(written, isName)?.place ?? ""
  const byId = `note:${note.id}${place === "" ? "" : `#${escapedPart(place.slice(1))}`}`
  const [, open, , close] = brackets.exec(text) ?? []
  if (open !== undefined && close !== undefined) {
    if (target !== undefined && fitsBrackets(target.slice(0, target.length - place.length)))
      return open + target + close
    if (open.startsWith("!") || isProperty) return undefined
    const [, alias = note.title] = /^\\?\|(.*)\]\]$/s.exec(close) ?? []
    return `[${escapedName(alias)}](${byId})`
  }
  const address = (url: string) => (target === undefined ? byId : addressOf(target, place, url))
  const end = text.lastIndexOf("](")
  const [, space, url, rest] = end < 0 ? [] : (inline.exec(text.slice(end + 2)) ?? [])
  if (url !== undefined) {
    const label = /^!?\[/.exec(text)![0]
    return `${label}${labelOf(text.slice(label.length, end), isName, note)}](${space}${address(url)}${rest}`
  }
  const [, before, defined, after] = definition.exec(text) ?? []
  return defined === undefined ? undefined : `${before}${address(defined)}${after}`
}
