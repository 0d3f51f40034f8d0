import type { Comparison, FilterField, Pattern, Span } from "./Filter.ts"

/** How a filter is written in SQL: the columns of its fields, and a parameter for each value. */
export interface Dialect {
  readonly column: (field: FilterField) => string
  /** The column in lower case: computed once per row for all conditions. */
  readonly lowered: (field: FilterField) => string
  /** The placeholder of a value, such as `$3::text`. The SQL never contains values themselves. */
  readonly bind: (value: unknown, type: string) => string
}

export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&")

export const isPlain = (value: Pattern): boolean => !value.start && !value.end

export const anyOf = (conditions: ReadonlyArray<string>): string =>
  conditions.length === 1 ? conditions[0]! : `(${conditions.join(" OR ")})`

/** Compares with a span of time; an instant is a span of a millisecond. */
export const inTime = (
  column: string,
  comparison: Comparison,
  { from, until }: Span,
  bind: Dialect["bind"]
): string => {
  switch (comparison) {
    case "=":
      return `(${column} >= ${bind(from, "text")} AND ${column} < ${bind(until, "text")})`
    case "<":
      return `${column} < ${bind(from, "text")}`
    case "<=":
      return `${column} < ${bind(until, "text")}`
    case ">":
      return `${column} >= ${bind(until, "text")}`
    case ">=":
      return `${column} >= ${bind(from, "text")}`
  }
}
