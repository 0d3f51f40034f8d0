import { normalColor } from "../Text.ts"

/**
 * How an index answers conditions on a field; those on other fields are tried row by row.
 *
 * - `few`: it finds the rows that have a value, and these are few.
 * - `part`: each index on an order begins with it, or is of a part of the rows.
 * - `order`: only the index on the order by this field itself.
 */
export type Indexed = "few" | "part" | "order"

/**
 * What a list offers its filter by name (contract 3). `sql` is the column, or an expression of columns; never a value.
 * `nullable`: it can be absent.
 */
interface Column {
  readonly sql: string
  readonly nullable?: true
  readonly indexed?: Indexed
}

export type FilterField =
  | (Column & {
      readonly type: "text"
      /** The column holds what this made of the text: names that differ only in case are then one. */
      readonly normal?: (text: string) => string
      /** The column of the text itself, by which ranges are compared, where `sql` holds its normal form. */
      readonly raw?: string
      /** Ranges are compared by bytes, not in the order that people read. */
      readonly isId?: true
      /** Bare terms are looked for in it. */
      readonly isWords?: true
    })
  | (Column & { readonly type: "int" | "boolean" })
  /** Text as `storage` keeps timestamps: in UTC, with milliseconds. */
  | (Column & { readonly type: "timestamp" })
  | (Column & { readonly type: "enum"; readonly values: ReadonlyArray<string> })
  /** An array of names, each of which has a row of its own in `from`, with its normal form in `key`. */
  | (Column & {
      readonly type: "names"
      readonly from: string
      readonly key: string
      readonly normal: (text: string) => string
    })

export type FilterFields = Readonly<Record<string, FilterField>>

/** A colour as it is kept, `#rrggbb` in lower case; the short form stands for the long one. */
export const colorField: FilterField = {
  type: "text",
  sql: "color",
  nullable: true,
  normal: (text) => (/^#[0-9a-f]{3}$/i.test(text) ? normalColor(text) : text.toLowerCase())
}

/** Text to compare with; `start`, `end`: a wildcard stands there, and anything may. */
export interface Pattern {
  readonly text: string
  readonly start: boolean
  readonly end: boolean
}

/** The milliseconds from `from` up to, and without, `until`: one of an instant, those of a whole day of a date. */
export interface Span {
  readonly from: string
  readonly until: string
}

export type FilterValue = Pattern | Span | number | boolean

export type Comparison = "=" | "<" | "<=" | ">" | ">="

/** A filter that was read and checked against its fields: each value is of its field's type. */
export type Filter =
  | { readonly kind: "and" | "or"; readonly filters: ReadonlyArray<Filter> }
  | { readonly kind: "not"; readonly filter: Filter }
  /** `=` holds with any of the values (`IN`); the others have one. */
  | {
      readonly kind: "compare"
      readonly field: string
      readonly comparison: Comparison
      readonly values: ReadonlyArray<FilterValue>
    }
  | { readonly kind: "contains"; readonly field: string; readonly text: string }
  | { readonly kind: "present"; readonly field: string }
  /** A bare term: looked for in each of the fields for words. */
  | { readonly kind: "words"; readonly text: string }

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
