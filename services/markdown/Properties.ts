import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, visit, type YAMLMap } from "yaml"
import { isCalendarDate } from "../CalendarDate.ts"
import type { FrontMatterBlock } from "./FrontMatterBlock.ts"
import { folded } from "./LinkText.ts"
import { yamlOfToml } from "./syntax/TomlYaml.ts"

/** The typed properties of a note, in its front matter. */

export interface PropertyValue {
  readonly type: "text" | "number" | "date" | "boolean"
  /** As written, at most 500 characters; from TOML, as the equivalent YAML has it. */
  readonly text: string
  /** Its place among all values, by bytes: booleans, numbers, dates, texts. */
  readonly key: string
}

export interface Property {
  readonly name: string
  readonly values: ReadonlyArray<PropertyValue>
  readonly isList: boolean
}

/** Maximum number of properties of a note and of values of a property, and of characters of names, values and keys. */
const maxProperties = 100
const maxValues = 100
const longestName = 100
const longestText = 500
const longestKey = 200

/** The first characters of a text. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join("")

/** A text that PostgreSQL can store: escapes in YAML may stand for NUL and for lone surrogates. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed()

export const keyOfBoolean = (value: boolean): string => `1${value ? 1 : 0}`

/** The bits of a double, changed so that they have the order of numbers. */
export const keyOfNumber = (value: number): string => {
  const bits = new DataView(new ArrayBuffer(8))
  // Zero has no sign here.
  bits.setFloat64(0, value === 0 ? 0 : value)
  const number = bits.getBigUint64(0)
  const ordered = number >> 63n === 0n ? number | (1n << 63n) : BigInt.asUintN(64, ~number)
  return `2${ordered.toString(16).padStart(16, "0")}`
}

const dateAndTime =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(?:\.(\d{1,9}))?)?[ \t]?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)?)?$/

/**
 * The key of a date, or of a date with a time, which is in UTC unless it has an offset; undefined for other texts. A date
 * is before the times of its day.
 */
export const keyOfDate = (text: string): string | undefined => {
  const found = dateAndTime.exec(text)
  if (found === null) return undefined
  const [, date = "", minute, second = ":00", fraction = "", hours, minutes = "00"] = found
  if (!isCalendarDate(date)) return undefined
  if (minute === undefined) return `3${date}`
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`
  const moment = new Date(`${date}T${minute}${second}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`)
  const iso = Number.isNaN(moment.getTime()) ? "" : moment.toISOString()
  // An offset may lead out of the years with four digits.
  return /^\d{4}-/.test(iso) ? `3${iso}` : undefined
}

/** The key of a text, equal for the same text in another case or Unicode form. */
export const keyOfText = (text: string): string => `4${cut(folded(storable(cut(text, longestText))), longestKey)}`

/** The first characters of a scalar as it is written. */
const writtenOf = ({ source, value }: Scalar): string =>
  storable(cut(typeof value === "string" ? value : (source ?? String(value)), longestText))

/** The value of a scalar; undefined for an empty one. */
const valueOf = (scalar: Scalar): PropertyValue | undefined => {
  const { value } = scalar
  const text = writtenOf(scalar)
  if (value === null || text.trim() === "") return undefined
  if (typeof value === "boolean") return { type: "boolean", text, key: keyOfBoolean(value) }
  // As a double, a larger number would be equal to others: it is the id of something.
  if (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
    return { type: "number", text, key: keyOfNumber(value) }
  }
  const date = keyOfDate(text.trim())
  return date === undefined ? { type: "text", text, key: keyOfText(text) } : { type: "date", text, key: date }
}

const readYaml = (yaml: string): ReadonlyArray<Property> => {
  const document = parseDocument(yaml, { schema: "core", uniqueKeys: false, logLevel: "silent" })
  if (document.errors.length > 0 || !isMap(document.contents)) return []
  const anchors = new Map<string, Node>()
  const meant = new Map<unknown, unknown>()
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) meant.set(node, anchors.get(node.source))
      else if (node.anchor !== undefined) anchors.set(node.anchor, node)
    }
  })
  /** The node that an alias such as `*name` repeats. */
  const nodeOf = (node: unknown): unknown => meant.get(node) ?? node
  const nodes = new Map<string, unknown>()
  const collect = (map: YAMLMap, prefix: string): void => {
    for (const { key, value } of map.items) {
      const name = isScalar(key) && key.value !== null ? writtenOf(key).trim() : ""
      const node = nodeOf(value)
      if (name === "") continue
      if (!isMap(node) || node.items.length === 0) nodes.set(prefix + name, node)
      // A map that aliases repeat is read once.
      else if (prefix === "" && node === value) collect(node, `${name}.`)
    }
  }
  collect(document.contents, "")
  return [...nodes]
    .filter(([name]) => cut(name, longestName) === name)
    .slice(0, maxProperties)
    .map(([name, node]) => {
      const items = isSeq(node) ? node.items.slice(0, maxValues).map(nodeOf) : [node]
      const values = items.flatMap((item) => (isScalar(item) ? (valueOf(item) ?? []) : []))
      return { name, values, isList: isSeq(node) }
    })
}

/**
 * The properties of front matter, in its order; none if it cannot be read. `author: { name: … }` is the property
 * `author.name`; deeper maps, and maps and lists in lists, are left out. The last of several with a name counts.
 */
export const propertiesOf = ({ content, language }: FrontMatterBlock): ReadonlyArray<Property> => {
  try {
    return readYaml(language === "toml" ? yamlOfToml(content) : content)
  } catch {
    // TOML that is damaged. The YAML parser fails on thousands of nested brackets.
    return []
  }
}
