import { isMap, isNode, isScalar, isSeq, type Pair, parseDocument, stringify } from "yaml"
import { frontMatterBlockOf } from "../../markdown/FrontMatterBlock.ts"
import { lineBreakOf } from "./LineBreaks.ts"

export type Scalar = string | number | boolean

/** Properties of the front matter of a note that are set or removed. */
export interface PropertyEdit {
  readonly set?: Readonly<Record<string, Scalar | ReadonlyArray<Scalar>>>
  readonly remove?: ReadonlyArray<string>
}

/** A part of a text and its replacement. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly instead: string
}

const written = (properties: object): string => stringify(properties, { lineWidth: 0 })

/** A value on the line of its property; undefined if it needs more lines. */
const inline = (value: unknown, isFlow: boolean): string | undefined => {
  if (typeof value === "object" && !isFlow) return undefined
  const line = stringify({ k: value }, { lineWidth: 0, flowCollectionPadding: false, collectionStyle: "any" })
  const list = Array.isArray(value)
    ? stringify(value, { lineWidth: 0, flowCollectionPadding: false, collectionStyle: "flow" })
    : line.slice("k: ".length)
  const text = list.trimEnd()
  return text.includes("\n") ? undefined : text
}

/** The properties of a front matter as a map of YAML; undefined if it is none. */
export const propertiesOf = (yaml: string) => {
  const document = parseDocument(yaml, { schema: "core", logLevel: "silent" })
  const { contents, errors, warnings } = document
  if (errors.length + warnings.length > 0) return undefined
  if (contents === null) return { pairs: [], values: {} }
  if (!isMap(contents) || contents.flow === true) return undefined
  return { pairs: contents.items as ReadonlyArray<Pair>, values: document.toJS() as Readonly<Record<string, unknown>> }
}

/** Where a property begins and ends, with its line breaks, and where its value is. */
const placeOf = (yaml: string, { key, value }: Pair) => {
  const name = isScalar(key) ? key.range : undefined
  const content = isNode(value) ? value.range : undefined
  if (!name || !content) return undefined
  const [from, to, last] = content
  // What has no value ends before its line break.
  const end = from === to && yaml[last] === "\n" ? last + 1 : last
  return { start: name[0], end, from, to, colon: yaml.indexOf(":", name[1]) }
}

/** The cut that sets or removes a property; undefined if its place is not known. */
const cutOf = (yaml: string, pair: Pair, name: string, value: unknown): Cut | undefined => {
  const place = placeOf(yaml, pair)
  if (place === undefined) return undefined
  const { colon, end, from, start, to } = place
  if (value === undefined) return { start, end, instead: "" }
  const isEmpty = from === to
  const isOnLine = isEmpty || !yaml.slice(start, to).includes("\n")
  const text = isOnLine ? inline(value, isEmpty || isSeq(pair.value)) : undefined
  if (text === undefined) return { start, end, instead: written({ [name]: value }) }
  // A comment after the value stays.
  return isEmpty ? { start: colon + 1, end: colon + 1, instead: ` ${text}` } : { start: from, end: to, instead: text }
}

/** The YAML with properties set and removed; undefined if other properties would not stay as they are. */
const changed = (yaml: string, { remove = [], set = {} }: PropertyEdit): string | undefined => {
  const before = propertiesOf(yaml)
  if (before === undefined) return undefined
  const wanted: Record<string, unknown> = { ...before.values, ...set }
  for (const name of remove) delete wanted[name]
  const cuts: Array<Cut> = []
  const known = new Set<string>()
  for (const pair of before.pairs) {
    const name = isScalar(pair.key) ? String(pair.key.value) : undefined
    if (name === undefined || !(Object.hasOwn(set, name) || remove.includes(name))) continue
    known.add(name)
    const value = Object.hasOwn(set, name) ? set[name] : undefined
    if (value !== undefined && JSON.stringify(before.values[name]) === JSON.stringify(value)) continue
    const cut = cutOf(yaml, pair, name, value)
    if (cut === undefined) return undefined
    cuts.push(cut)
  }
  let made = yaml
  for (const { end, instead, start } of cuts.toReversed()) made = made.slice(0, start) + instead + made.slice(end)
  const others = Object.entries(set).filter(([name]) => !known.has(name))
  if (others.length > 0) made += written(Object.fromEntries(others))
  const after = propertiesOf(made)
  return after !== undefined && JSON.stringify(after.values) === JSON.stringify(wanted) ? made : undefined
}

const fits = (head: string): boolean => frontMatterBlockOf(head)?.end === head.length

/** The front matter with properties set and removed; undefined if it cannot be. Without properties there is none. */
const headWith = (head: string, rest: string, edit: PropertyEdit, lineBreak: string): string | undefined => {
  const from = head.indexOf("\n") + 1
  const end = head.lastIndexOf("\n", head.trimEnd().length - 1) + 1
  // The parser gets line breaks of one kind, and the other lines are as they were.
  const lines = head.slice(from, end)
  const isMixed = lineBreak === "\r\n" && /(?<!\r)\n/.test(lines)
  if (isMixed) return undefined
  const made = changed(lines.replaceAll("\r\n", "\n"), edit)?.replaceAll("\n", lineBreak)
  if (made === undefined) return undefined
  if (made.trim() === "" && lines.trim() !== "" && frontMatterBlockOf(rest) === undefined) return ""
  const next = head.slice(0, from) + made + head.slice(end)
  return fits(next) ? next : undefined
}

/**
 * The text with properties of its front matter set and removed; undefined if that is not safe. All other properties, and
 * comments, stay as they are.
 */
export const withProperties = (body: string, edit: PropertyEdit): string | undefined => {
  const mark = body.startsWith("\uFEFF") ? "\uFEFF" : ""
  const text = body.slice(mark.length)
  const block = frontMatterBlockOf(text)
  if (block === undefined) {
    if (Object.keys(edit.set ?? {}).length === 0) return body
    const head = `---\n${written(edit.set!)}---\n`.replaceAll("\n", lineBreakOf(body))
    return fits(head) ? mark + head + text : undefined
  }
  const [head, rest] = [text.slice(0, block.end), text.slice(block.end)]
  if (block.language !== "yaml") return undefined
  try {
    const made = headWith(head, rest, edit, head.includes("\r\n") ? "\r\n" : "\n")
    return made === undefined ? undefined : mark + made + rest
  } catch {
    // The YAML parser fails on thousands of nested brackets, and on too many aliases.
    return undefined
  }
}
