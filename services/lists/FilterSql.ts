import {
  allOf,
  type Comparison,
  fieldOf,
  type Filter,
  type FilterField,
  type FilterFields,
  type FilterValue,
  type Pattern,
  type Span
} from "./Filter.ts"
import { anyOf, type Dialect, escapeLike, inTime, isPlain } from "./FilterDialect.ts"
import { anyValue, type OnField } from "./PropertySql.ts"
import { asRead } from "../database/TextOrder.ts"

type TextField = FilterField & { readonly type: "text" }

/**
 * PostgreSQL compares a pattern `%…` at each position of a text, and cannot be cancelled meanwhile: for a pattern
 * longer than this many characters, that takes up to 3 s per 1 MB. A longer pattern is looked for in pieces of the
 * text, between which PostgreSQL can be cancelled, or only at the end of the text.
 */
const longText = 256
const piece = 262_144

const matching = (column: string, { end, start, text }: Pattern, { bind }: Dialect): string => {
  if (!start || text.length <= longText) {
    return `${column} LIKE ${bind(`${start ? "%" : ""}${escapeLike(text)}${end ? "%" : ""}`, "text")}`
  }
  const wanted = bind(text, "text")
  return end
    ? `EXISTS (SELECT FROM generate_series(1, length(${column}), ${piece}) AS place
        WHERE strpos(substr(${column}, place, ${piece} - 1 + length(${wanted})), ${wanted}) > 0)`
    : `right(${column}, length(${wanted})) = ${wanted}`
}

const same = (text: string): string => text

/** Matches any of the patterns. Patterns without wildcards become one list. */
const anyPattern = (
  column: string,
  values: ReadonlyArray<Pattern>,
  normal: (text: string) => string,
  dialect: Dialect
): string => {
  const { bind } = dialect
  const plain = values.filter(isPlain).map((value) => normal(value.text))
  const conditions = values
    .filter((value) => !isPlain(value))
    .map((value) => matching(column, { ...value, text: normal(value.text) }, dialect))
  if (plain.length === 1) conditions.push(`${column} = ${bind(plain[0], "text")}`)
  if (plain.length > 1) conditions.push(`${column} = ANY(${bind(plain, "text[]")})`)
  return anyOf(conditions)
}

/** A range of text, in the order of a list that is sorted by the field. */
const inOrder = (field: TextField, comparison: Comparison, text: string, { bind, column }: Dialect): string => {
  if (field.isId === true) return `${column(field)} COLLATE "C" ${comparison} ${bind(text, "text")}`
  const { normal = same, raw } = field
  return raw === undefined
    ? `${asRead(column(field))} ${comparison} ${bind(normal(text), "text")}`
    : `${asRead(column({ ...field, sql: raw }))} ${comparison} ${bind(text, "text")}`
}

const compare = (
  field: Exclude<FilterField, { readonly type: "property" }>,
  comparison: Comparison,
  values: ReadonlyArray<FilterValue>,
  dialect: Dialect
): string => {
  const column = dialect.column(field)
  switch (field.type) {
    case "boolean":
      // The column itself, so that a partial index on it is used.
      return anyOf([...new Set(values)].map((value) => (value === true ? column : `NOT ${column}`)))
    case "int":
      return values.length === 1
        ? `${column} ${comparison} ${dialect.bind(String(values[0]), "bigint")}`
        : `${column} = ANY(${dialect.bind(values.map(String), "bigint[]")})`
    case "timestamp":
      return anyOf(values.map((value) => inTime(column, comparison, value as Span, dialect.bind)))
    case "date": {
      if (comparison === "=") return anyPattern(column, values as ReadonlyArray<Pattern>, same, dialect)
      const condition = `${column} ${comparison} ${dialect.bind((values[0] as Pattern).text, "text")}`
      return comparison.startsWith(">") ? `(${condition} AND ${column} < '~')` : condition
    }
    case "names":
      // The spellings are found once, not per row.
      return `${column} && ARRAY(SELECT name FROM ${field.from} WHERE workspace_id = $1 AND ${anyPattern(
        field.key,
        values as ReadonlyArray<Pattern>,
        field.normal,
        dialect
      )})`
    case "enum":
      return anyPattern(column, values as ReadonlyArray<Pattern>, same, dialect)
    case "text": {
      const normal = field.normal ?? same
      if (comparison === "=") return anyPattern(column, values as ReadonlyArray<Pattern>, normal, dialect)
      return inOrder(field, comparison, (values[0] as Pattern).text, dialect)
    }
  }
}

/** Ignores case: text without a normal form is lowered here on both sides. */
const contains = (field: TextField, text: string, dialect: Dialect): string => {
  const pattern = { start: true, end: true, text: field.normal?.(text) ?? text }
  if (field.normal !== undefined) return matching(dialect.column(field), pattern, dialect)
  const bind: Dialect["bind"] = (value, type) => `lower(${dialect.bind(value, type)})`
  return matching(dialect.lowered(field), pattern, { ...dialect, bind })
}

const present = (field: FilterField, { column }: Dialect): string => {
  switch (field.type) {
    case "names":
      return `${column(field)} <> '{}'`
    case "text":
      return `${column(field)} <> ''`
    case "date":
      return `${column(field)} < '~'`
    default:
      return `${column(field)} IS NOT NULL`
  }
}

/** A condition that is true or false, never null: an absent value equals nothing. */
export const conditionOf = (filter: Filter, fields: FilterFields, dialect: Dialect): string => {
  // As two conditions, so that an index on the rows with a value can be used.
  const known = (field: FilterField, condition: string) =>
    field.nullable === true ? `(${dialect.column(field)} IS NOT NULL AND ${condition})` : condition
  switch (filter.kind) {
    case "and":
    case "or": {
      const conditions = filter.filters.map((each) => conditionOf(each, fields, dialect))
      return `(${conditions.join(filter.kind === "and" ? " AND " : " OR ")})`
    }
    case "not":
      return `NOT (${conditionOf(filter.filter, fields, dialect)})`
    case "words":
      return `(${Object.values(fields)
        .flatMap((field) =>
          field.type === "text" && field.isWords === true ? [known(field, contains(field, filter.text, dialect))] : []
        )
        .join(" OR ")})`
    default: {
      const field = fieldOf(fields, filter.field)!
      if (field.type === "property") return anyValue(filter, fields, dialect)
      if (filter.kind === "present") return known(field, present(field, dialect))
      return known(
        field,
        filter.kind === "compare"
          ? compare(field, filter.comparison, filter.values, dialect)
          : contains(field as TextField, filter.text, dialect)
      )
    }
  }
}

/** Whether an index supports the condition in a list sorted by `order`. No index supports wildcards. */
const isForIndex = (filter: Filter, fields: FilterFields, order: string): filter is OnField => {
  if (filter.kind !== "compare" && filter.kind !== "present") return false
  const { indexed, sql } = fieldOf(fields, filter.field)!
  if (indexed === undefined || (indexed === "order" && sql !== order)) return false
  if (indexed === "few" && (filter.kind !== "compare" || filter.comparison !== "=")) return false
  return (
    filter.kind === "present" ||
    filter.values.every((value) => typeof value !== "object" || "from" in value || isPlain(value))
  )
}

/** Splits a filter into the conditions that an index supports in a list sorted by `order`, and the rest. */
export const byIndex = (filter: Filter | undefined, fields: FilterFields, order: string) => {
  const indexed: Array<OnField> = []
  const rest: Array<Filter> = []
  for (const each of allOf(filter)) {
    if (isForIndex(each, fields, order)) indexed.push(each)
    else rest.push(each)
  }
  return { indexed, rest }
}

/** The number of comparisons in a filter. */
export const termsOf = (filter: Filter): number =>
  filter.kind === "and" || filter.kind === "or"
    ? filter.filters.reduce((sum, each) => sum + termsOf(each), 0)
    : filter.kind === "not"
      ? termsOf(filter.filter)
      : 1

/** The fields that a filter reads. */
export const fieldsOf = (filter: Filter, fields: FilterFields): ReadonlyArray<FilterField> => {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.filters.flatMap((each) => fieldsOf(each, fields))
    case "not":
      return fieldsOf(filter.filter, fields)
    case "words":
      return Object.values(fields).filter((field) => field.type === "text" && field.isWords === true)
    default:
      return [fieldOf(fields, filter.field)!]
  }
}
