import type { Column, Shape } from "./Column.ts"

/** The JSON of a column's value, as text; null for null. */
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

const memberOf = (table: string, member: string, column: Column<unknown>, first: boolean): string => {
  const value = textOf(`${table}.${member}`, column)
  const name = `'${first ? "{" : ","}"${member}":' || `
  if (column.optional) return `coalesce(${name}${value}, '')`
  return name + (column.nullable ? `coalesce(${value}, 'null')` : value)
}

/** What is large stands last, so that it is copied least. */
const inOrder = (shape: Shape): ReadonlyArray<string> =>
  Object.keys(shape).toSorted((one, other) => Number(shape[one]!.isLarge) - Number(shape[other]!.isLarge))

/** Shapes are constants: each expression is made once. */
const made = new WeakMap<Shape, Map<string, string>>()

/**
 * An expression for the JSON object of a row: half the price of `row_to_json`, which looks each column's type up anew
 * for each row. The first member is there in any case.
 */
export const rowJson = (table: string, shape: Shape): string => {
  const known = made.get(shape)?.get(table)
  if (known !== undefined) return known
  const members = inOrder(shape).map((member, index) => memberOf(table, member, shape[member]!, index === 0))
  // Literals that meet are made one: each joint costs, for each row.
  const text = `${members.join(" || ")} || '}'`.replaceAll("' || '", "")
  const byTable = made.get(shape) ?? new Map<string, string>()
  made.set(shape, byTable.set(table, text))
  return text
}
