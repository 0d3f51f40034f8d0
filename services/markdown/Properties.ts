import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, visit, type YAMLMap } from "yaml"
import type { FrontMatterBlock } from "./FrontMatterBlock.ts"
import { cut, keyOfBoolean, keyOfDate, keyOfNumber, keyOfText, longestText, storable } from "./PropertyKeys.ts"
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

/** Maximum number of properties of a note and of values of a property, and of characters of names. */
const maxProperties = 100
const maxValues = 100
const longestName = 100

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
