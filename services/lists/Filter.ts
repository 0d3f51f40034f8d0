import { normalColor } from "../Text.ts"

/**
 * How an index supports conditions on a field. Conditions on other fields are tested row by row.
 *
 * - `few`: the index finds the rows with a value, which are few.
 * - `part`: each index for an order begins with the field, or covers a part of the rows.
 * - `order`: only the index for the order by this field itself.
 */
export type Indexed = "few" | "part" | "order"

/**
 * A field that a filter can name (contract 3). `sql` is the column, or an expression of columns; never a value.
 * `nullable`: the field can be absent.
 */
interface Column {
  readonly sql: string
  readonly nullable?: true
  readonly indexed?: Indexed
}

export type FilterField =
  | (Column & {
      readonly type: "text"
      /** The normal form of a text, which the column holds: names that differ only in case are then equal. */
      readonly normal?: (text: string) => string
      /** The column of the text itself, which ranges compare, where `sql` holds its normal form. */
      readonly raw?: string
      /** Whether ranges are compared by bytes, not in the order that people read. */
      readonly isId?: true
      /** Whether bare terms are looked for in it. */
      readonly isWords?: true
    })
  | (Column & { readonly type: "int" | "boolean" })
  /** Text in the format of stored timestamps: in UTC, with milliseconds. */
  | (Column & { readonly type: "timestamp" })
  /** A date as text, or `~` without one: it sorts last. */
  | (Column & { readonly type: "date" })
  | (Column & { readonly type: "enum"; readonly values: ReadonlyArray<string> })
  /** An array of names. `from` has a row for each name, with its normal form in `key`. */
  | (Column & {
      readonly type: "names"
      readonly from: string
      readonly key: string
      readonly normal: (text: string) => string
    })
  /** Values of any type in the rows of the table `from`. They have the name in `name_key`, and in `note_id` what `sql` has. */
  | (Column & { readonly type: "property"; readonly from: string })

export type FilterFields = Readonly<Record<string, FilterField>>

/** Names that begin so, such as `properties.status`, are fields of the type `property`, if a list has it as `anyProperty`. */
export const propertyPrefix = "properties."
export const anyProperty = `${propertyPrefix}NAME`

/** The field with a name. */
export const fieldOf = (fields: FilterFields, name: string): FilterField | undefined => {
  const own = name.startsWith(propertyPrefix) && name !== propertyPrefix ? anyProperty : name
  return Object.hasOwn(fields, own) ? fields[own] : undefined
}

/** A colour as it is stored: `#rrggbb` in lower case. The short form means the long one. */
export const colorField: FilterField = {
  type: "text",
  sql: "color",
  nullable: true,
  normal: (text) => (/^#[0-9a-f]{3}$/i.test(text) ? normalColor(text) : text.toLowerCase())
}

/** Text to compare with. `start`, `end`: whether a wildcard precedes or follows it. */
export interface Pattern {
  readonly text: string
  readonly start: boolean
  readonly end: boolean
}

/**
 * The milliseconds from `from` to before `until`: a single one for an instant, the whole day for a date. For a property,
 * their keys, or those of a number or a boolean.
 */
export interface Span {
  readonly from: string
  readonly until: string
}

export type FilterValue = Pattern | Span | number | boolean

export type Comparison = "=" | "<" | "<=" | ">" | ">="

/** A parsed filter, checked against its fields: each value has the type of its field. */
export type Filter =
  | { readonly kind: "and" | "or"; readonly filters: ReadonlyArray<Filter> }
  | { readonly kind: "not"; readonly filter: Filter }
  /** `=` holds for any of the values (`IN`); the other comparisons have one value. */
  | {
      readonly kind: "compare"
      readonly field: string
      readonly comparison: Comparison
      readonly values: ReadonlyArray<FilterValue>
    }
  | { readonly kind: "contains"; readonly field: string; readonly text: string }
  | { readonly kind: "present"; readonly field: string }
  /** A bare term: looked for in each field with `isWords`. */
  | { readonly kind: "words"; readonly text: string }

/** The conditions that all must hold. */
export const allOf = (filter: Filter | undefined): ReadonlyArray<Filter> =>
  filter === undefined ? [] : filter.kind === "and" ? filter.filters : [filter]

/** Whether a filter names a field. */
export const mentions = (filter: Filter, field: string): boolean => {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.filters.some((each) => mentions(each, field))
    case "not":
      return mentions(filter.filter, field)
    case "words":
      return false
    default:
      return filter.field === field
  }
}
