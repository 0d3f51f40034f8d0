import { Schema } from "effect"
import { type Column, type Shape, shapeOf } from "./Column.ts"

/** A table whose rows drafts can hold. Its columns are those that the writer uses, without `workspace_id`. */
export interface Table<Row extends object> {
  readonly name: string
  readonly columns: { readonly [Name in keyof Row & string]: Column<Row[Name]> }
  /** The columns that follow `workspace_id` in the primary key; empty when a workspace has one row. */
  readonly key: ReadonlyArray<keyof Row & string>
  /** Whether the writer of a workspace keeps all its rows in memory: for small tables. */
  readonly resident: boolean
  /**
   * Approximate bytes of a row, for tables whose recently used rows the writer of a workspace caches; else undefined.
   */
  readonly weigh: ((row: Row) => number) | undefined
  /** A column of a resident table whose values are unique in a workspace. */
  readonly unique: (keyof Row & string) | undefined
  /** What contains a row, for callers that reach some notebooks only; undefined for rows of the whole workspace. */
  readonly within: Within | undefined
  /** Whether rows are only added, and never changed. */
  readonly appendOnly: boolean
  /**
   * The table that this table is a projection of, with the same keys: a row that is written there is read again here.
   */
  readonly partOf: Table<any> | undefined
  /**
   * The table from which new rows of this table can copy their large columns, and the columns here that hold its key.
   */
  readonly heirOf: { readonly table: Table<any>; readonly key: ReadonlyArray<keyof Row & string> } | undefined
  /** The columns whose values can be megabytes. */
  readonly large: ReadonlyArray<string>
  readonly keyOf: (row: Row) => string
  readonly columnList: string
  /** The columns of a SELECT. Casts 64-bit integers, which the driver returns as texts. */
  readonly selectList: string
}

/** The place of a row: the row with the id in `column`, in one of the tables. */
export interface Within {
  readonly column: string
  readonly containers: () => ReadonlyArray<Table<any>>
  /** Whether the rows themselves are notebooks. */
  readonly isNotebook?: true
}

export type Row<T> = T extends Table<infer Row> ? Row : never

/** The key of a row as one text. It is empty without parts: a workspace has one row of such a table. */
export const keyText = (parts: ReadonlyArray<unknown>): string =>
  parts.length === 1 ? String(parts[0]) : parts.join("\u0001")

interface Options<Row extends object> {
  readonly key: ReadonlyArray<keyof Row & string>
  readonly resident?: boolean
  readonly weigh?: (row: Row) => number
  readonly unique?: keyof Row & string
  readonly within?: Within
  readonly appendOnly?: boolean
  readonly partOf?: Table<any>
  readonly heirOf?: { readonly table: Table<any>; readonly key: ReadonlyArray<keyof Row & string> }
}

const tableOf = <Row extends object>(name: string, columns: Shape, options: Options<Row>): Table<Row> => {
  const [first] = options.key
  return {
    name,
    columns: columns as Table<Row>["columns"],
    key: options.key,
    resident: options.resident ?? false,
    weigh: options.weigh,
    unique: options.unique,
    within: options.within,
    appendOnly: options.appendOnly ?? false,
    partOf: options.partOf,
    heirOf: options.heirOf,
    large: Object.keys(columns).filter((column) => columns[column]!.isLarge),
    keyOf:
      options.key.length === 1
        ? (row) => row[first!] as string
        : (row) => keyText(options.key.map((column) => row[column])),
    columnList: Object.keys(columns).join(", "),
    selectList: Object.entries(columns)
      .map(([column, { type }]) => (type === "bigint" ? `${column}::float8 AS ${column}` : column))
      .join(", ")
  }
}

/** The type of a row with these columns. */
type RowFrom<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never
}

/** Makes a table of rows that clients do not see as they are. */
export const make = <const Columns extends Shape>(
  name: string,
  columns: Columns,
  options: Options<RowFrom<Columns>>
): Table<RowFrom<Columns>> => tableOf(name, columns, options)

/** The row of a record: the members of its schema, null where the schema omits one. */
type RowShown<Shown> = {
  readonly [Name in keyof Shown]-?: Record<never, never> extends Pick<Shown, Name>
    ? Exclude<Shown[Name], undefined> | null
    : Shown[Name]
}

/** A table of records that clients see. */
export interface RecordTable<Row extends object, Shown extends object> extends Table<Row> {
  /** The columns of all members. */
  readonly shape: Shape
  /** The columns of change data: all but the derived members (contract 2). */
  readonly synced: Shape
  /** The schema of change data, with this identifier. */
  readonly syncedAs: (identifier: string) => Schema.Codec<unknown>
  /** The record as responses show it. */
  readonly show: (row: Row) => Shown
  /** The record as sync sends it. */
  readonly dataOf: (row: Row) => Partial<Shown>
}

/** Copies the members of a shape from a row. One by one: object rest syntax is fifteen times as expensive. */
const picked =
  (shape: Shape) =>
  (row: any): any => {
    const shown: Record<string, unknown> = {}
    for (const name in shape) {
      const value = row[name]
      if (value !== null || !shape[name]!.optional) shown[name] = value
    }
    return shown
  }

/**
 * Makes the table of a record: its columns are the members of the record's schema and the `internal` columns. The row,
 * its JSON, what sync sends, and what lists can sort and filter by are derived from the schema.
 */
export const ofRecord = <
  Fields extends Readonly<Record<string, Schema.Codec<any, any>>>,
  const Derived extends keyof Fields & string = never,
  Internal extends Shape = Record<never, never>
>(
  name: string,
  schema: Schema.Struct<Fields>,
  options: Options<RowShown<Schema.Struct.Type<Fields>> & RowFrom<Internal>> & {
    /** Columns that clients never see. */
    readonly internal: Internal
    /** Members that are computed from other records: shown, but not in change data. */
    readonly derived?: ReadonlyArray<Derived>
  }
): RecordTable<RowShown<Schema.Struct.Type<Fields>> & RowFrom<Internal>, Schema.Struct.Type<Fields>> => {
  const shape = shapeOf(schema)
  const isDerived = (member: string) => options.derived?.some((derived) => derived === member) === true
  const without = <A>(members: Readonly<Record<string, A>>) =>
    Object.fromEntries(Object.entries(members).filter(([member]) => !isDerived(member)))
  const synced = without(shape)
  return {
    ...tableOf(name, { ...shape, ...options.internal }, options),
    shape,
    synced,
    syncedAs: (identifier) =>
      options.derived === undefined ? schema : Schema.Struct(without(schema.fields)).annotate({ identifier }),
    show: picked(shape),
    dataOf: picked(synced)
  }
}
