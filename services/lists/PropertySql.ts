import { folded } from "../markdown/LinkText.ts"
import { keyOfText } from "../markdown/PropertyKeys.ts"
import {
  allOf,
  fieldOf,
  type Filter,
  type FilterField,
  type FilterFields,
  type FilterValue,
  type Pattern,
  propertyPrefix,
  type Span
} from "./Filter.ts"
import { anyOf, type Dialect, escapeLike, inTime, isPlain } from "./FilterDialect.ts"

/** How conditions on properties are written in SQL. Values are compared by their keys (services/markdown/PropertyKeys.ts). */

type Bind = Dialect["bind"]
type PropertyField = FilterField & { readonly type: "property" }
/** A condition on one field. */
export type OnField = Extract<Filter, { readonly field: string }>

const key = "p.value"

const isText = (value: FilterValue): value is Pattern => typeof value === "object" && "text" in value
const isSpan = (value: FilterValue): value is Span => typeof value === "object" && "from" in value

const like = ({ end, start, text }: Pattern, bind: Bind): string => {
  const [type, ...rest] = keyOfText(text)
  return `${key} LIKE ${bind(`${type}${start ? "%" : ""}${escapeLike(rest.join(""))}${end ? "%" : ""}`, "text")}`
}

/** Whether it has the times of a day too, and not only one value. */
const isDay = ({ from }: Span): boolean => /^3.{10}$/.test(from)

const equals = (values: ReadonlyArray<FilterValue>, bind: Bind): string => {
  const [texts, spans] = [values.filter(isText), values.filter(isSpan)]
  const keys = [
    ...texts.filter(isPlain).map(({ text }) => keyOfText(text)),
    ...spans.filter((span) => !isDay(span)).map(({ from }) => from)
  ]
  return anyOf([
    ...spans.filter(isDay).map((span) => inTime(key, "=", span, bind)),
    ...texts.filter((value) => !isPlain(value)).map((value) => like(value, bind)),
    ...(keys.length === 0 ? [] : [`${key} = ANY(${bind(keys, "text[]")})`])
  ])
}

/** The values of one type begin with the same digit. Others are neither less nor greater. */
const ofType = (type: string, bind: Bind): string =>
  `${key} >= ${bind(type, "text")} AND ${key} < ${bind(String(Number(type) + 1), "text")}`

const valueCondition = (filter: OnField, bind: Bind): string => {
  if (filter.kind === "present") return `${key} > ''`
  if (filter.kind === "contains") return like({ text: filter.text, start: true, end: true }, bind)
  const { comparison, values } = filter
  if (comparison === "=") return equals(values, bind)
  const [value] = values.map((value) => (isText(value) ? keyOfText(value.text) : (value as Span)))
  const compared =
    typeof value === "string" ? `${key} ${comparison} ${bind(value, "text")}` : inTime(key, comparison, value!, bind)
  return `${compared} AND ${ofType((typeof value === "string" ? value : value!.from)[0]!, bind)}`
}

const propertyOf = ({ field }: OnField, fields: FilterFields) => fieldOf(fields, field) as PropertyField

/** The rows of values `p` that meet a condition. */
export const valueRows = (filter: OnField, fields: FilterFields, bind: Bind): string => {
  const name = bind(folded(filter.field.slice(propertyPrefix.length)), "text")
  const { from } = propertyOf(filter, fields)
  return `${from} p WHERE p.workspace_id = $1 AND p.name_key = ${name} AND ${valueCondition(filter, bind)}`
}

/** Whether one of the values of a row meets the condition. OFFSET 0 keeps the planner from collecting all rows that do. */
export const anyValue = (filter: OnField, fields: FilterFields, { bind, column }: Dialect): string =>
  `EXISTS (SELECT FROM ${valueRows(filter, fields, bind)} AND p.note_id = ${column(propertyOf(filter, fields))} OFFSET 0)`

/** The same where few rows do: an index finds them. An array, so that the planner looks up only the rows in it. */
export const amongFew = (filter: OnField, fields: FilterFields, bind: Bind): string =>
  `${propertyOf(filter, fields).sql} = ANY(ARRAY(SELECT p.note_id FROM ${valueRows(filter, fields, bind)}))`

/** Whether an index finds the values that meet the condition. None supports wildcards. */
const isFindable = (filter: Filter, fields: FilterFields): filter is OnField =>
  (filter.kind === "present" ||
    (filter.kind === "compare" &&
      filter.values.every((value) => isSpan(value) || (isText(value) && isPlain(value))))) &&
  propertyOf(filter, fields).type === "property"

/** The conditions on properties that all must hold and that an index can find, each with the SQL that counts its values. */
export const findable = (workspace_id: string, filter: Filter, fields: FilterFields, most: number) =>
  allOf(filter).flatMap((condition) => {
    if (!isFindable(condition, fields)) return []
    const params: Array<unknown> = [workspace_id]
    const rows = valueRows(condition, fields, (value, type) => `$${params.push(value)}::${type}`)
    // In the order of the index, so that no more values are read.
    const counted = `SELECT FROM ${rows} ORDER BY ${key} LIMIT ${most}`
    return [{ condition, text: `SELECT count(*)::int AS found FROM (${counted}) p`, params }]
  })
