/** What a draft may hold of a table: its columns with their PostgreSQL types, without `workspace_id`. */
export interface Table<Row extends object> {
  readonly name: string
  readonly columns: { readonly [Column in keyof Row & string]: string }
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
  readonly keyOf: (row: Row) => string
  readonly columnList: string
}

/** Of no parts it is empty: the key of the one row that a workspace has. */
export const keyText = (parts: ReadonlyArray<unknown>): string =>
  parts.length === 1 ? String(parts[0]) : parts.join("\u0001")

export const make = <Row extends object>(
  name: string,
  options: {
    readonly columns: { readonly [Column in keyof Row & string]: string }
    readonly key: ReadonlyArray<keyof Row & string>
    readonly resident?: boolean
    readonly weigh?: (row: Row) => number
    readonly unique?: keyof Row & string
    readonly appendOnly?: boolean
  }
): Table<Row> => {
  const columns = Object.keys(options.columns)
  const [first] = options.key
  return {
    name,
    columns: options.columns,
    key: options.key,
    resident: options.resident ?? false,
    weigh: options.weigh,
    unique: options.unique,
    appendOnly: options.appendOnly ?? false,
    keyOf:
      options.key.length === 1
        ? (row) => row[first!] as string
        : (row) => keyText(options.key.map((column) => row[column])),
    columnList: columns.join(", ")
  }
}
