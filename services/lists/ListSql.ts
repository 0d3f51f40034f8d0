import type { UserId, WorkspaceId } from "../Ids.ts"
import type { Filter, FilterField, FilterFields } from "./Filter.ts"
import type { ListSpec, SortTerm } from "./Page.ts"
import { byIndex, conditionOf, fieldsOf, termsOf } from "./FilterSql.ts"
import { amongFew, type OnField } from "./PropertySql.ts"
import type { Shape } from "../tables/Column.ts"
import { rowJson } from "../tables/RowJson.ts"

/** Bytes after which a page may end early (contract 3). */
export const maxPageBytes = 4 * 1024 * 1024

/** Maximum number of rows examined for a page (contract 3). */
export const maxExamined = 10_000

/** Maximum bytes of examined rows, by the number of terms that each is tested for: about half a second of work. */
export const maxExaminedBytes = (terms: number): number => Math.floor((48 * 1024 * 1024) / (1 + terms))

/** More rows than any page has. A literal in the SQL: for a parameter, the planner assumes a tenth of the table. */
const maxRows = 101

/** The owner of a list. The rows have a column of that name; the server owns all rows. */
export type Owner =
  | { readonly workspace_id: WorkspaceId }
  | { readonly user_id: UserId }
  | { readonly server: "server" }

export const ofServer: Owner = { server: "server" }

export const ownerOf = (owner: Owner): string =>
  "server" in owner ? owner.server : "user_id" in owner ? owner.user_id : owner.workspace_id

/** The condition that a row belongs to the owner, who is the first parameter. */
export const ownedBy = (owner: Owner): string =>
  "server" in owner ? "$1 = 'server'" : `${"user_id" in owner ? "user_id" : "workspace_id"} = $1`

export type Listed = Owner & {
  readonly spec: ListSpec
  /** Further conditions; their parameters are numbered from $2. */
  readonly where?: string
  readonly params?: ReadonlyArray<unknown>
  /** The scope of the conditions, such as the id of a note: cursors are bound to it. */
  readonly within?: string
}

/** Which rows to read, in which order, from where. */
export interface Selection {
  readonly listed: Listed
  readonly terms: ReadonlyArray<SortTerm>
  /** The sort values of the row before the first; empty at the beginning. */
  readonly values: ReadonlyArray<string>
  readonly filter: Filter | undefined
  readonly fields: FilterFields
  /** Conditions that hold unless the filter mentions their fields. */
  readonly conditions: ReadonlyArray<string>
  /** A condition on a property that few rows meet: they are found by it, and sorted. */
  readonly few?: OnField | undefined
}

export interface Statement {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

/** The flag that an order begins with, such as `pinned`: the rows with one value come before those with the other. */
const flagOf = ({ terms: [first, second] }: Selection): SortTerm | undefined =>
  first!.type === "boolean" && second !== undefined ? first : undefined

/** The column that a list is sorted by, after its flag. */
const orderOf = (selection: Selection): SortTerm => selection.terms[flagOf(selection) === undefined ? 0 : 1]!

/** The parts of the filter that an index supports, and the rest. */
const partsOf = (selection: Selection) => {
  const { few, fields, filter } = selection
  const { indexed, rest } = byIndex(filter, fields, orderOf(selection).sql)
  return { indexed, rest: rest.filter((each) => each !== few) }
}

/** The condition for rows after the cursor: one row comparison if all terms have one direction, else term by term. */
const after = (terms: ReadonlyArray<SortTerm>, values: ReadonlyArray<string>, bind: Bind): string => {
  const value = terms.map((term, index) => bind(values[index], term.type))
  if (terms.every((term) => term.descending === terms[0]!.descending)) {
    return `(${terms.map((term) => term.sql).join(", ")}) ${terms[0]!.descending ? "<" : ">"} (${value.join(", ")})`
  }
  const alternatives = terms.map((term, index) =>
    [
      ...terms.slice(0, index).map((equal, place) => `${equal.sql} = ${value[place]}`),
      `${term.sql} ${term.descending ? "<" : ">"} ${value[index]}`
    ].join(" AND ")
  )
  return `(${alternatives.map((each) => `(${each})`).join(" OR ")})`
}

type Bind = (value: unknown, type: string) => string

const binder = (listed: Listed) => {
  const bound: Array<unknown> = [ownerOf(listed), ...(listed.params ?? [])]
  const bind: Bind = (value, type) => `$${bound.push(value)}::${type}`
  return { bound, bind }
}

/** Whether an index finds the rows in another order: they are then sorted, since they are few. */
const isFound = (selection: Selection): boolean =>
  selection.few !== undefined ||
  partsOf(selection).indexed.some((each) => {
    if (selection.fields[each.field]!.indexed !== "few") return false
    const isOne = each.kind === "compare" && each.values.length === 1
    return !isOne || selection.listed.spec.within?.[each.field]?.includes(columnOf(orderOf(selection))) !== true
  })

/** The columns from which the members are made. */
const columnsIn = (shape: Shape): ReadonlyArray<string> =>
  Object.entries(shape).map(([name, { beginningOf }]) => beginningOf?.column ?? name)

/** Reads the rows from the table in order, with all conditions that an index supports. */
const scan = (selection: Selection, bind: Bind, more: ReadonlyArray<string>, limit: number): string => {
  const { listed, terms, values } = selection
  const conditions = [ownedBy(listed), ...selection.conditions]
  if (listed.where !== undefined) conditions.push(listed.where)
  const column = ({ sql }: FilterField) => sql
  const dialect = { column, lowered: (field: FilterField) => `lower(${column(field)})`, bind }
  for (const each of partsOf(selection).indexed) conditions.push(conditionOf(each, selection.fields, dialect))
  if (selection.few !== undefined) conditions.push(amongFew(selection.few, selection.fields, bind))
  const columns = [...columnsIn(listed.spec.shape), ...more].join(", ")
  const rows = (from: string, conditions: ReadonlyArray<string>, terms: ReadonlyArray<SortTerm>) =>
    `SELECT ${columns} FROM ${from}${conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`}
    ORDER BY ${terms.map((term) => `${term.sql} ${term.descending ? "DESC" : "ASC"}`).join(", ")} LIMIT ${limit}`
  if (isFound(selection)) {
    // OFFSET 0 keeps the planner from scanning an index in the order of the list until it meets these rows.
    const found = `(SELECT * FROM ${listed.spec.from} WHERE ${conditions.join(" AND ")} OFFSET 0) found`
    return rows(found, values.length === 0 ? [] : [after(terms, values, bind)], terms)
  }
  const flag = flagOf(selection)
  if (flag === undefined) {
    return rows(listed.spec.from, values.length === 0 ? conditions : [...conditions, after(terms, values, bind)], terms)
  }
  // One part after the other, so that an index has each in order, whatever the directions of flag and order.
  const others = terms.slice(1)
  const parts = partsAfter(flag, values).map((isSet) => {
    const own = [...conditions, isSet ? flag.sql : `NOT ${flag.sql}`]
    if (isCursorIn(isSet, values)) own.push(after(others, values.slice(1), bind))
    return `(${rows(listed.spec.from, own, others)})`
  })
  return `SELECT * FROM (${parts.join(" UNION ALL ")}) parts LIMIT ${limit}`
}

/** Whether the cursor is in the part of the rows with the flag, or without it. */
const isCursorIn = (isSet: boolean, [first]: ReadonlyArray<string>): boolean => first === String(isSet)

/** The parts that follow the cursor, by whether their rows have the flag. */
const partsAfter = ({ descending }: SortTerm, values: ReadonlyArray<string>): ReadonlyArray<boolean> =>
  values.length === 0 || isCursorIn(descending, values) ? [descending, !descending] : [!descending]

const columnOf = ({ sql }: SortTerm): string => sql.replace(/ COLLATE \S+$/, "")

/** The member of the response that a term sorts by, if there is one. */
const memberOf = ({ spec }: Listed, term: SortTerm): string | undefined => {
  const column = columnOf(term)
  return Object.hasOwn(spec.shape, column) ? column : undefined
}

/** Whether no condition must be tested row by row: such a list is read directly from an index. */
export const isPlain = (selection: Selection): boolean => partsOf(selection).rest.length === 0

/** The members of the response that hold the sort values; undefined if one of these is not shown. */
export const keyMembers = ({ listed, terms }: Selection): ReadonlyArray<string> | undefined => {
  const members = terms.flatMap((term) => memberOf(listed, term) ?? [])
  return members.length === terms.length ? members : undefined
}

const keyColumns = ({ terms }: Selection): ReadonlyArray<string> =>
  terms.map(({ sql }, index) => `(${sql})::text AS key_${index}`)

const keysOf = ({ terms }: Selection): string =>
  `to_json(ARRAY[${terms.map((_, index) => `key_${index}`).join(", ")}])::text`

/** Bytes of a row up to which any number of rows up to `rows` fits into a page. */
const maxRow = (rows: number): number => Math.floor(maxPageBytes / rows)

/** The bytes of a row that count for a page. */
const pageSizeOf = ({ spec }: Listed): string | undefined => (spec.isBrief === true ? undefined : spec.size)

/** A row of `plainPage`. */
export interface Plain {
  /** Null when the row is so large that bytes must be counted. */
  readonly json: string | null
  /** Its sort values, when they are not members. */
  readonly keys?: string
}

/** The first `rows` rows as JSON, without counting bytes. */
export const plainPage = (selection: Selection, rows: number): Statement => {
  const { listed } = selection
  const { bind, bound } = binder(listed)
  const { shape } = listed.spec
  const size = pageSizeOf(listed)
  const hasKeys = keyMembers(selection) !== undefined
  const more = [...(hasKeys ? [] : keyColumns(selection)), ...(size === undefined ? [] : [`${size} AS row_bytes`])]
  const from = scan(selection, bind, more, maxRows)
  const json = rowJson("k", shape)
  const shown = size === undefined ? json : `CASE WHEN k.row_bytes <= ${bind(maxRow(rows), "int")} THEN ${json} END`
  const keys = hasKeys ? "" : `, ${keysOf(selection)} AS keys`
  return { text: `SELECT ${shown} AS json${keys} FROM (${from}) k LIMIT ${bind(rows, "int")}`, params: bound }
}

/** The parameters of `plainPage` without a filter, in the order in which it binds them. */
export const plainParams = (selection: Selection, rows: number): ReadonlyArray<unknown> => [
  ownerOf(selection.listed),
  ...(selection.listed.params ?? []),
  ...selection.values.slice(flagOf(selection) === undefined ? 0 : 1),
  ...(pageSizeOf(selection.listed) === undefined ? [] : [maxRow(rows)]),
  rows
]

/** The form of the text of `plainPage` without a filter, besides the list and the sort: where the cursor is. */
export const plainForm = (selection: Selection): string =>
  `${selection.values.length} ${flagOf(selection) === undefined ? "" : selection.values[0]}`

/** The rows in order, each with its sort values and whether the filter holds: `k`. */
const tried = (selection: Selection, bind: Bind, counted: string): string => {
  const { fields, listed } = selection
  const { rest } = partsOf(selection)
  const read = [...new Set(rest.flatMap((each) => fieldsOf(each, fields)))].filter(
    ({ sql }) => !Object.hasOwn(listed.spec.shape, sql)
  )
  const column = (field: FilterField) => {
    const place = read.indexOf(field)
    return place < 0 ? `i.${field.sql}` : `i.read_${place}`
  }
  const from = scan(
    selection,
    bind,
    [
      ...keyColumns(selection),
      ...read.map(({ sql }, place) => `${sql} AS read_${place}`),
      `${listed.spec.size ?? "0"} AS row_bytes`
    ],
    maxExamined + 1
  )
  const inLowerCase: Array<FilterField> = []
  const lowered = (field: FilterField) => {
    if (!inLowerCase.includes(field)) inLowerCase.push(field)
    return `t.lowered_${inLowerCase.indexOf(field)}`
  }
  const matches = rest.map((each) => conditionOf(each, fields, { column, lowered, bind }))
  const isLimited = rest.length > 0
  const maxBytes = maxExaminedBytes(rest.reduce((sum, each) => sum + termsOf(each), 0))
  // OFFSET 0 keeps the planner from repeating `lower(…)` in each of the conditions.
  const texts = inLowerCase.map((field, place) => `lower(${column(field)}) AS lowered_${place}`).join(", ")
  const tested = `(SELECT ${matches.join(" AND ") || "true"} AS matches${
    texts === "" ? "" : ` FROM (SELECT ${texts} OFFSET 0) t`
  } OFFSET 0)`
  return `SELECT j.*, ${counted},
      ${isLimited ? `row_place > ${maxExamined} OR examined - row_bytes >= ${maxBytes}` : "false"} AS is_beyond,
      ${isLimited ? `row_place = ${maxExamined} OR examined >= ${maxBytes}` : "false"} AS is_last
    FROM (
      SELECT i.*, row_number() OVER w AS row_place, sum(row_bytes) OVER w AS examined, tested.matches
      FROM (${from}) i CROSS JOIN LATERAL ${tested} tested WINDOW w AS (ROWS UNBOUNDED PRECEDING)
    ) j WINDOW w AS (ROWS UNBOUNDED PRECEDING)`
}

/** A row of `filteredPage`. */
export interface Filtered {
  /** Null when the row does not match, or does not fit on the page. */
  readonly json: string | null
  readonly matches: boolean
  /** Whether the examination ends before this row. */
  readonly is_beyond: boolean
  readonly keys: string
}

/**
 * The rows that match, in order, and the row where the examination ended, if it did. Two more than the limit: the last
 * examined row, and one that shows that there is more.
 */
export const filteredPage = (selection: Selection, limit: number): Statement => {
  const { listed } = selection
  const { bind, bound } = binder(listed)
  const rows = tried(selection, bind, "sum(row_bytes) FILTER (WHERE matches) OVER w AS shown")
  const fits = pageSizeOf(listed) === undefined ? "true" : `k.shown - k.row_bytes < ${maxPageBytes}`
  const text = `SELECT CASE WHEN k.matches AND NOT k.is_beyond AND ${fits}
      THEN ${rowJson("k", listed.spec.shape)} END AS json,
      k.matches, k.is_beyond, ${keysOf(selection)} AS keys
    FROM (${rows}) k WHERE k.matches OR k.is_last OR k.is_beyond LIMIT ${bind(limit + 2, "int")}`
  return { text, params: bound }
}

/** The sort values of the matching row number `offset`, or of the row where the examination ended. */
export const skipped = (selection: Selection, offset: number): Statement => {
  const { bind, bound } = binder(selection.listed)
  const rows = tried(selection, bind, "count(*) FILTER (WHERE matches) OVER w AS nth")
  return {
    text: `SELECT ${keysOf(selection)} AS keys, k.is_beyond
      FROM (${rows}) k WHERE k.matches AND k.nth = ${bind(offset, "int")} OR k.is_beyond LIMIT 1`,
    params: bound
  }
}
