import type { Column, Shape } from "./Column.ts"

/** An SQL expression for the JSON text of a column's value; null for null. */
const textOf = (name: string, { form, type }: Column<unknown>): string => {
  switch (type) {
    case "text":
      return form === undefined ? `to_json(${name})::text` : `'"' || ${name} || '"'`
    case "int":
    case "bigint":
      return `${name}::text`
    case "boolean":
      return `CASE WHEN ${name} THEN 'true' WHEN NOT ${name} THEN 'false' END`
    case "text[]":
      return `CASE WHEN ${name} = '{}' THEN '[]' ELSE to_json(${name})::text END`
    case "json":
      return `to_json(${name})::text`
  }
}

const valueOf = (table: string, member: string, { beginningOf }: Column<unknown>): string =>
  beginningOf === undefined ? `${table}.${member}` : `left(${table}.${beginningOf.column}, ${beginningOf.characters})`

const memberOf = (table: string, member: string, column: Column<unknown>, first: boolean): string => {
  const value = textOf(valueOf(table, member, column), column)
  const name = `'${first ? "{" : ","}"${member}":' || `
  if (column.optional) return `coalesce(${name}${value}, '')`
  return name + (column.nullable ? `coalesce(${value}, 'null')` : value)
}

/** Members in order, the large ones last so that concatenation copies them least. */
const inOrder = (shape: Shape): ReadonlyArray<string> =>
  Object.keys(shape).toSorted((one, other) => Number(shape[one]!.isLarge) - Number(shape[other]!.isLarge))

/** Cached expressions: shapes are constants. */
const made = new WeakMap<Shape, Map<string, string>>()

/**
 * An SQL expression for the JSON object of a row: half as expensive as `row_to_json`, which looks up each column's type
 * again for each row. The first member must not be optional.
 */
export const rowJson = (table: string, shape: Shape): string => {
  const known = made.get(shape)?.get(table)
  if (known !== undefined) return known
  const members = inOrder(shape).map((member, index) => memberOf(table, member, shape[member]!, index === 0))
  // Adjacent literals become one: each concatenation costs time for each row.
  const text = `${members.join(" || ")} || '}'`.replaceAll("' || '", "")
  const byTable = made.get(shape) ?? new Map<string, string>()
  made.set(shape, byTable.set(table, text))
  return text
}
