import { escapeHtml } from "../EscapeHtml.ts"
import type { Json } from "./Description.ts"
import type { PageUrls } from "./PageUrls.ts"
import type { SchemaShape, SchemaShapes } from "./SchemaShape.ts"

/** Maximum number of values that are shown without folding. */
const shownValues = 12

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const count = (value: number): string => value.toLocaleString("en").replaceAll(",", "&#8239;")

/** Returns a range in words: `1 to 5 characters`. */
const between = (least: number | undefined, most: number | undefined, of: string): string | undefined => {
  if (least !== undefined && most !== undefined) {
    return least === most ? `exactly ${count(least)}${of}` : `${count(least)} to ${count(most)}${of}`
  }
  if (most !== undefined) return `at most ${count(most)}${of}`
  return least === undefined ? undefined : `at least ${count(least)}${of}`
}

/** A pattern of ids, such as `^nt_[0-9A-Za-z_-]{16,40}$`. */
const prefixed = /^\^([a-z]+_)(\[[^\]]+\])\{(\d+),(\d+)\}\$$/

const patternText = (pattern: string): string => {
  const [, prefix, letters, least, most] = prefixed.exec(pattern) ?? []
  return prefix === undefined
    ? `matches ${code(pattern)}`
    : `${code(prefix)} and ${least} to ${most} of ${code(letters!)}`
}

/** Types and constraints of schemas, in words. */
export class TypeText {
  readonly shapes: SchemaShapes
  readonly #places: PageUrls

  constructor(shapes: SchemaShapes, places: PageUrls) {
    this.shapes = shapes
    this.#places = places
  }

  link(name: string): string {
    return `<a href="${this.#places.schema(name)}">${escapeHtml(name)}</a>`
  }

  /** The type without constraints: `string or null`, `list of Note`. */
  of(schema: Json): string {
    const shape = this.shapes.of(schema)
    const present = this.#present(shape)
    if (present === undefined) return shape.isNullable ? "null" : "anything"
    return shape.isNullable ? `${present} or null` : present
  }

  /** The type without null; undefined if the schema has none. */
  #present(shape: SchemaShape): string | undefined {
    if (shape.ref !== undefined) return this.link(shape.ref)
    const { keywords, properties, types, unions, values } = shape
    if (types.includes("array") || shape.items !== undefined) {
      return shape.items === undefined ? "list" : `list of ${this.of(shape.items)}`
    }
    if (unions.length > 0) return [...new Set(unions.flat().map((each) => this.of(each)))].join(" or ")
    if (properties.size > 0) return "object"
    const others = keywords["additionalProperties"]
    if (typeof others === "object" && Object.keys(others).length > 0) return `object of ${this.of(others)}`
    if (keywords["format"] !== undefined) return escapeHtml(keywords["format"])
    if (types.length > 0) return types.join(" or ")
    return values === undefined ? undefined : [...new Set(values.map((value) => typeof value))].join(" or ")
  }

  /** The constraints: values, patterns, ranges and defaults. */
  rules(schema: Json): ReadonlyArray<string> {
    const shape = this.shapes.of(schema)
    const { items, keywords, unions } = shape
    const rules = [
      keywords["deprecated"] === true ? "deprecated" : undefined,
      keywords["readOnly"] === true ? "set by the server" : undefined,
      keywords["writeOnly"] === true ? "never returned" : undefined,
      shape.values === undefined ? undefined : valuesText(shape.values),
      ...shape.patterns.map(patternText),
      between(keywords["minimum"], keywords["maximum"], ""),
      keywords["exclusiveMinimum"] === undefined ? undefined : `more than ${count(keywords["exclusiveMinimum"])}`,
      keywords["exclusiveMaximum"] === undefined ? undefined : `less than ${count(keywords["exclusiveMaximum"])}`,
      keywords["multipleOf"] === undefined ? undefined : `a multiple of ${count(keywords["multipleOf"])}`,
      // This pattern includes the length.
      shape.patterns.some((pattern) => prefixed.test(pattern))
        ? undefined
        : between(keywords["minLength"], keywords["maxLength"], " characters"),
      between(keywords["minItems"], keywords["maxItems"], " items"),
      keywords["uniqueItems"] === true ? "unique items" : undefined,
      keywords["default"] === undefined ? undefined : `default ${code(asText(keywords["default"]))}`
    ].filter((rule) => rule !== undefined)
    // The constraints of a named schema are in its article.
    if (shape.ref !== undefined) return rules
    const ofBranches = unions.flat().flatMap((each) => this.rules(each).map((rule) => `${this.of(each)}: ${rule}`))
    const ofItems = items === undefined ? [] : this.rules(items).map((rule) => `each: ${rule}`)
    return [...rules, ...ofItems, ...ofBranches]
  }
}

/** Returns all values, folded if there are many. */
const valuesText = (values: ReadonlyArray<unknown>): string => {
  const list = values.map((value) => code(asText(value))).join(" ")
  if (values.length === 1) return `always ${list}`
  return values.length <= shownValues
    ? `one of ${list}`
    : `<details><summary>one of ${values.length} values</summary><p>${list}</p></details>`
}
