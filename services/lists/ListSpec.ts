import type { Schema } from "effect"
import type { FilterField, Indexed } from "./Filter.ts"
import type { ListSpec, SortField } from "./Page.ts"
import { type Column, type Shape, shapeOf } from "../tables/Column.ts"
import { asRead } from "../database/TextOrder.ts"

interface Offer {
  readonly path: string
  /** The table, or the rows of a query in parentheses; it has a `workspace_id`. */
  readonly from: string
  /** The sort fields, the default order first: `-` for descending. */
  readonly sort: ReadonlyArray<string>
  readonly filter: ReadonlyArray<string>
  /** Fields that bare terms of a filter are looked for in. */
  readonly words?: ReadonlyArray<string>
  /** Fields with few possible values: a filter must use one of them. */
  readonly enums?: ReadonlyArray<string>
  /** Fields whose conditions an index supports. */
  readonly indexed?: Readonly<Record<string, Indexed>>
  /** The column or expression that a filter compares instead of the field: the normal form of its text. */
  readonly as?: Readonly<Record<string, string>>
  /** The function that makes the normal form of a text. */
  readonly normal?: Readonly<Record<string, (text: string) => string>>
  /** Sort and filter fields that do not follow from a column. */
  readonly sorts?: Readonly<Record<string, SortField>>
  readonly filters?: Readonly<Record<string, FilterField>>
}

/** Text sorts as people read it; timestamps, ids and enums by bytes, whatever the locale of the database. */
const sortOf = (sql: string, { form, nullable, optional, type, values }: Column<unknown>): SortField => {
  const isAbsent = nullable || optional
  if (type === "int" || type === "bigint" || type === "boolean") {
    if (isAbsent) throw new Error(`${sql} can be null, and cannot be sorted`)
    return { sql, type }
  }
  const own = isAbsent ? `coalesce(${sql}, '')` : sql
  if (form !== undefined) return { sql: own, type: "text" }
  return { sql: values === undefined ? asRead(own) : `${own} COLLATE "C"`, type: "text" }
}

const filterOf = (
  sql: string,
  { form, nullable, optional, type }: Column<unknown>,
  values: ReadonlyArray<string> | undefined,
  {
    normal,
    raw,
    ...marks
  }: Pick<FilterField, "indexed"> & {
    readonly normal?: (text: string) => string
    readonly raw?: string
    readonly isWords?: true
  }
): FilterField => {
  const column = { sql, ...(nullable || optional ? { nullable: true as const } : {}), ...marks }
  if (type === "boolean") return { ...column, type }
  if (type === "int" || type === "bigint") return { ...column, type: "int" }
  if (form === "time") return { ...column, type: "timestamp" }
  if (values !== undefined) return { ...column, type: "enum", values }
  return {
    ...column,
    type: "text",
    ...(normal === undefined ? {} : { normal }),
    ...(raw === undefined ? {} : { raw }),
    ...(form === "id" ? { isId: true as const } : {})
  }
}

/** The spec of a list of records (contract 3). The types of its fields follow from the columns. */
export const listOf = (
  record: Shape | Schema.Struct<any>,
  offer: Offer & Pick<ListSpec, "first" | "polled" | "hidden" | "size" | "unindexedSorts" | "within">
): ListSpec => {
  const shape = isSchema(record) ? shapeOf(record) : record
  const {
    as = {},
    enums,
    filter,
    filters,
    first,
    from,
    hidden,
    indexed,
    normal,
    path,
    polled,
    size,
    sort,
    unindexedSorts,
    sorts,
    within,
    words
  } = offer
  const columnOf = (name: string): Column<unknown> => {
    const column = shape[name]
    if (column === undefined) throw new Error(`${path} has no column ${name}`)
    return column
  }
  return {
    path,
    from,
    shape,
    sorts: Object.fromEntries(
      sort.map((term) => term.replace("-", "")).map((name) => [name, sorts?.[name] ?? sortOf(name, columnOf(name))])
    ),
    defaultSort: sort[0]!,
    filters: Object.fromEntries(
      filter.map((name) => {
        const marks = {
          ...(indexed?.[name] === undefined ? {} : { indexed: indexed[name] }),
          ...(as[name] === undefined ? {} : { raw: name }),
          ...(words?.includes(name) === true ? { isWords: true as const } : {}),
          ...(normal?.[name] === undefined ? {} : { normal: normal[name] })
        }
        const own = filters?.[name]
        if (own !== undefined) return [name, own]
        const column = columnOf(name)
        const values = enums?.includes(name) === true ? column.values : undefined
        return [name, filterOf(as[name] ?? name, column, values, marks)]
      })
    ),
    ...(size === undefined ? {} : { size }),
    ...(first === undefined ? {} : { first }),
    ...(polled === undefined ? {} : { polled }),
    ...(unindexedSorts === undefined ? {} : { unindexedSorts }),
    ...(within === undefined ? {} : { within }),
    ...(hidden === undefined ? {} : { hidden })
  }
}

const isSchema = (record: Shape | Schema.Struct<any>): record is Schema.Struct<any> => "fields" in record
