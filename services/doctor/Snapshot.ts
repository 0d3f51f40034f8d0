import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import { Progress } from "../Progress.ts"

/** Settings of the transaction. */
const settings = [
  // First: PostgreSQL takes the snapshot with the first query.
  "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
  // One statement counts everything in a workspace, which may have a million notes.
  "SET LOCAL statement_timeout = '30min'",
  "SET LOCAL idle_in_transaction_session_timeout = '30min'",
  // Each statement looks up the rows of its slice by index. A hash or a sort would read whole tables for each slice.
  "SET LOCAL enable_hashjoin = off",
  "SET LOCAL enable_mergejoin = off",
  "SET LOCAL enable_sort = off",
  "SET LOCAL enable_incremental_sort = off"
]

/** Runs an effect in a transaction that sees one moment of the database and writes nothing, also while nodes write. */
export const inSnapshot = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { write } = yield* Database
    return yield* write.withTransaction(
      Effect.gen(function* () {
        for (const setting of settings) yield* write.unsafe(setting)
        return yield* effect
      })
    )
  })

/** Rows of a table that are read in slices, in the order of the primary key. */
interface Slices {
  readonly table: string
  /** The columns of the primary key, of text unless `start` has a value before all others. */
  readonly key: ReadonlyArray<string>
  readonly start?: ReadonlyArray<string>
  /** Maximum number of rows of a slice. */
  readonly size: number
  /** The columns of the slice. */
  readonly columns: string
  /** The query over a slice, the table expression `s`. Its further parameters follow those of the key. */
  readonly query: string
  readonly params?: ReadonlyArray<string>
}

/** Runs the query over each slice of a table, until `next` returns false for a row that the query returns. */
export const eachSlice = Effect.fnUntraced(function* <Row extends object, E, R>(
  { columns, key, params = [], query, size, start = key.map(() => ""), table }: Slices,
  next: (row: Row) => Effect.Effect<boolean, E, R>
) {
  const { write } = yield* Database
  const report = yield* Progress
  let done = 0
  const names = key.join(", ")
  const after = `(${names}) > (${key.map((_, index) => `$${index + 1}`).join(", ")}) ORDER BY ${names}`
  const lastOf = `SELECT ${names} FROM ${table} WHERE ${after} OFFSET ${size - 1} LIMIT 1`
  const text = `WITH s AS MATERIALIZED (SELECT ${columns} FROM ${table} WHERE ${after} LIMIT ${size}) ${query}`
  let last = start
  while (true) {
    for (const row of yield* write.unsafe<Row>(text, [...last, ...params])) {
      if (!(yield* next(row))) return
    }
    const [end] = yield* write.unsafe<Readonly<Record<string, string | number>>>(lastOf, last)
    if (end === undefined) return
    report({ what: `Checking ${table}`, done: (done += size), unit: "rows" })
    last = key.map((column) => String(end[column]!))
  }
})

/** Joins the workspace of a slice's row, unless it was deleted: its rows are erased in batches, and then differ. */
export const ofWorkspace = "JOIN workspaces w ON w.workspace_id = s.workspace_id AND w.deleted_at IS NULL"
