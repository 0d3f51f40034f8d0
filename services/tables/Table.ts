import { Schema } from "effect"
import { type Column, type Shape, shapeOf } from "./Column.ts"

/** What a draft may hold of a table. Its columns are those that the writer knows, without `workspace_id`. */
export interface Table<Row extends object> {
  readonly name: string
  readonly columns: { readonly [Name in keyof Row & string]: Column<Row[Name]> }
  /** The columns that, after `workspace_id`, make the primary key; none where a workspace has one row. */
  readonly key: ReadonlyArray<keyof Row & string>
  /** Small tables, of which a workspace's writer keeps all rows at hand. */
  readonly resident: boolean
  /** About the bytes of a row, of tables whose recently used rows a workspace's writer keeps at hand. */
  readonly weigh: ((row: Row) => number) | undefined
  /** Of a resident table: a column whose value no two rows of a workspace share. */
  readonly unique: (keyof Row & string) | undefined
  /** Rows that are only ever added. */
  readonly appendOnly: boolean
  /** The table that this one shows a part of, under the same keys: what is written there is read here anew. */
  readonly partOf: Table<any> | undefined
  /** Whose rows leave their large columns to new rows of this table, and the columns that are their key. */
  readonly heirOf: { readonly table: Table<any>; readonly key: ReadonlyArray<keyof Row & string> } | undefined
  /** The columns that may be of megabytes. */
  readonly large: ReadonlyArray<string>
  readonly keyOf: (row: Row) => string
  readonly columnList: string
  /** The columns as they are read: the driver gives 64-bit numbers as texts. */
  readonly selectList: string
}

export type Row<T> = T extends Table<infer Row> ? Row : never

/** Of no parts it is empty: the key of the one row that a workspace has. */
export const keyText = (parts: ReadonlyArray<unknown>): string =>
  parts.length === 1 ? String(parts[0]) : parts.join("\u0001")

interface Options<Row extends object> {
  readonly key: ReadonlyArray<keyof Row & string>
  readonly resident?: boolean
  readonly weigh?: (row: Row) => number
  readonly unique?: keyof Row & string
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

/** The row that columns make. */
type RowFrom<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never
}

/** A table of what clients never see as it is. */
export const make = <const Columns extends Shape>(
  name: string,
  columns: Columns,
  options: Options<RowFrom<Columns>>
): Table<RowFrom<Columns>> => tableOf(name, columns, options)

/** A record's row: what the schema shows, null where it leaves a member out. */
type RowShown<Shown> = {
  readonly [Name in keyof Shown]-?: Record<never, never> extends Pick<Shown, Name>
    ? Exclude<Shown[Name], undefined> | null
    : Shown[Name]
}

/** A table of records that clients see. */
export interface RecordTable<Row extends object, Shown extends object> extends Table<Row> {
  /** All members, */
  readonly shape: Shape
  /** and those of change data: without the derived ones (contract 2). */
  readonly synced: Shape
  /** The schema of change data, by this name. */
  readonly syncedAs: (identifier: string) => Schema.Codec<unknown>
  /** The record as it is answered, */
  readonly show: (row: Row) => Shown
  /** and as sync sends it. */
  readonly dataOf: (row: Row) => Partial<Shown>
}

/** Members are copied one by one: a rest of a spread costs fifteen times as much. */
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
 * The table of a record: its columns are the members of the record's schema, and what is `internal`. From the schema
 * follow the row, its JSON, what sync sends, and what lists may sort and filter by.
 */
export const ofRecord = <
  Fields extends Readonly<Record<string, Schema.Codec<any, any>>>,
  const Derived extends keyof Fields & string = never,
  Internal extends Shape = Record<never, never>
>(
  name: string,
  schema: Schema.Struct<Fields>,
  options: Options<RowShown<Schema.Struct.Type<Fields>> & RowFrom<Internal>> & {
    /** Columns that are never shown. */
    readonly internal: Internal
    /** Members that follow from other records: shown, and not in change data. */
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
