import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Base } from "./WriterCache.ts"
import type { ReadRows } from "./RowReads.ts"
import { keyText, type Table } from "../tables/Table.ts"

type Undo = () => void

/**
 * How a row is written. `put`: over what may be there; `add`: it surely is new; `remove`: it goes. No large column is sent
 * again that the database has: `keep` leaves those of a row that surely is there, `inherit` takes those of a new one from
 * the row that the database has of another table (`heirOf`).
 */
export type Verb = "put" | "add" | "keep" | "inherit" | "remove"

/**
 * The rows of a workspace as a batch of writes sees them: what it has written, over what the writer holds, over the
 * database. What was written can be taken back to a mark.
 */
export class Overlay {
  readonly workspace_id: WorkspaceId
  /** How many rows, and about how many bytes, are to be written. */
  rows = 0
  bytes = 0
  protected readonly base: Base
  /** What rows are read through: inside a locked batch, the transaction. */
  protected readonly client: PgClient
  private readonly readRows: ReadRows
  private overlay = new Map<Table<any>, Map<string, any>>()
  /** Of what it has written to tables with a unique column: from its value to the key. */
  private readonly unique = new Map<Table<any>, Map<string, string>>()
  private readonly verbs = new Map<Table<any>, Map<string, Verb>>()
  private readonly loaded = new Map<Table<any>, Map<string, any>>()
  private readonly journal: Array<Undo> = []

  constructor(workspace_id: WorkspaceId, client: PgClient, readRows: ReadRows, base: Base) {
    this.workspace_id = workspace_id
    this.client = client
    this.readRows = readRows
    this.base = base
  }

  /** The row, from what the batch has written, what the writer holds, or the database. */
  get<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): Effect.Effect<Row | undefined> {
    const text = keyText(key)
    const held = this.held(table, text)
    if (held !== undefined) return Effect.succeed(held ?? undefined)
    if (table.resident) return Effect.mapEager(this.resident(table), (rows) => rows.get(text))
    return Effect.map(this.load(table, [key]), () => this.held(table, text) ?? undefined)
  }

  /** The row without asking the database. null: known to be missing; undefined: not known. */
  known<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): Row | null | undefined {
    return this.held(table, keyText(key))
  }

  private held<Row extends object>(table: Table<Row>, key: string): Row | null | undefined {
    const written = this.overlay.get(table)?.get(key)
    if (written !== undefined) return written
    const loaded = this.loaded.get(table)?.get(key)
    return loaded === undefined && table.weigh !== undefined ? this.base.recent.get(table)?.get(key) : loaded
  }

  /** Brings rows into reach in one query, before the methods that need them run; about how many bytes were read. */
  load<Row extends object>(table: Table<Row>, keys: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<number> {
    let loaded = this.loaded.get(table)
    if (loaded === undefined) this.loaded.set(table, (loaded = new Map()))
    const recent = this.base.recent.get(table)
    const missing = keys.filter((key) => {
      const text = keyText(key)
      return !loaded.has(text) && recent?.has(text) !== true
    })
    if (missing.length === 0) return Effect.succeed(0)
    return this.readRows(table, this.workspace_id, missing).pipe(
      Effect.map((rows) => {
        for (const key of missing) loaded.set(keyText(key), null)
        let bytes = 0
        for (const row of rows) {
          loaded.set(table.keyOf(row), row)
          bytes += table.weigh?.(row) ?? 200
        }
        return bytes
      })
    )
  }

  /** All rows whose column has this value: those of the database, as the batch has changed them. */
  having<Row extends object>(
    table: Table<Row>,
    column: keyof Row & string,
    value: string
  ): Effect.Effect<ReadonlyArray<Row>> {
    const text = `SELECT ${table.selectList} FROM ${table.name} WHERE workspace_id = $1 AND ${column} = $2
      ORDER BY ${table.key.join(", ")}`
    return this.client.unsafe<Row>(text, [this.workspace_id, value]).pipe(
      Effect.orDie,
      Effect.map((found) => {
        let loaded = this.loaded.get(table)
        if (loaded === undefined) this.loaded.set(table, (loaded = new Map()))
        const rows = new Map<string, Row | null>()
        for (const row of found) {
          const key = table.keyOf(row)
          loaded.set(key, row)
          rows.set(key, row)
        }
        for (const [key, row] of this.overlay.get(table) ?? []) rows.set(key, row)
        return [...rows.values()].filter((row): row is Row => row !== null && row[column] === value)
      })
    )
  }

  /** How many rows have this value in their column: those of the database, as the batch has changed them. */
  countHaving<Row extends object>(table: Table<Row>, column: keyof Row & string, value: string): Effect.Effect<number> {
    const written = this.overlay.get(table) ?? new Map<string, Row | null>()
    const own = [...written.values()].filter((row) => row !== null && row[column] === value).length
    const [key] = table.key
    const text = `SELECT count(*)::int AS count FROM ${table.name}
      WHERE workspace_id = $1 AND ${column} = $2 AND ${key} <> ALL($3::text[])`
    return this.client.unsafe<{ readonly count: number }>(text, [this.workspace_id, value, [...written.keys()]]).pipe(
      Effect.orDie,
      Effect.map(([row]) => row!.count + own)
    )
  }

  /** The rows of a resident table as the database has them; `all` and `find` add what the draft has written. */
  private resident<Row extends object>(table: Table<Row>): Effect.Effect<Map<string, Row>> {
    const held = this.base.resident.get(table)
    if (held !== undefined) return Effect.succeed(held)
    return this.client
      .unsafe<Row>(`SELECT ${table.selectList} FROM ${table.name} WHERE workspace_id = $1`, [this.workspace_id])
      .pipe(
        Effect.orDie,
        Effect.map((rows) => {
          const map = new Map(rows.map((row) => [table.keyOf(row), row]))
          this.base.hold(table, map)
          return map
        })
      )
  }

  /** All rows of a resident table, by key. */
  all<Row extends object>(table: Table<Row>): Effect.Effect<ReadonlyMap<string, Row>> {
    return Effect.mapEager(this.resident(table), (rows) => {
      const written = this.overlay.get(table)
      if (written === undefined || written.size === 0) return rows
      const all = new Map(rows)
      for (const [key, row] of written) row === null ? all.delete(key) : all.set(key, row)
      return all
    })
  }

  /** The row of a resident table whose `unique` column has this value. */
  find<Row extends object>(table: Table<Row>, value: string): Effect.Effect<Row | undefined> {
    return Effect.mapEager(this.resident(table), (rows) => {
      const written = this.overlay.get(table)
      const own = this.unique.get(table)?.get(value)
      if (own !== undefined) return written!.get(own) as Row
      const key = this.base.unique.get(table)!.get(value)
      return key === undefined || written?.has(key) === true ? undefined : rows.get(key)
    })
  }

  /** The rows that this batch has written so far: what a query of one's own does not see yet. */
  *written<Row extends object>(table: Table<Row>): Iterable<Row> {
    for (const row of this.overlay.get(table)?.values() ?? []) if (row !== null) yield row as Row
  }

  private write(table: Table<any>, key: string, row: object | null, verb: Verb, bytes: number) {
    let rows = this.overlay.get(table)
    if (rows === undefined) this.overlay.set(table, (rows = new Map()))
    let verbs = this.verbs.get(table)
    if (verbs === undefined) this.verbs.set(table, (verbs = new Map()))
    const before = rows.get(key)
    const verbBefore = verbs.get(key)
    rows.set(key, row)
    verbs.set(key, verb)
    this.index(table, key, before, row)
    this.rows++
    this.bytes += bytes
    this.onUndo(() => {
      if (before === undefined) {
        rows.delete(key)
        verbs.delete(key)
      } else {
        rows.set(key, before)
        verbs.set(key, verbBefore!)
      }
      this.index(table, key, row, before)
      this.rows--
      this.bytes -= bytes
    })
  }

  /** Moves the index of the unique column along. Another row may have taken the value of the one before by now. */
  private index(table: Table<any>, key: string, before: any, after: any) {
    if (table.unique === undefined) return
    let index = this.unique.get(table)
    if (index === undefined) this.unique.set(table, (index = new Map()))
    if (before != null && index.get(before[table.unique]) === key) index.delete(before[table.unique])
    if (after != null) index.set(after[table.unique], key)
  }

  /** How the row of a key is written. */
  verbOf(table: Table<any>, key: string): Verb | undefined {
    return this.verbs.get(table)?.get(key)
  }

  /** Writes the whole row of a key that surely has none yet: cheaper than `put`, which looks for one. */
  add<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    this.write(table, table.keyOf(row), row, "add", bytes)
  }

  /** Writes the whole row. `bytes`: about its size, where it can be large. */
  put<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    const key = table.keyOf(row)
    this.write(table, key, row, this.verbToPut(table, key, row), bytes)
  }

  private verbToPut(table: Table<any>, key: string, row: any): Verb {
    if (table.appendOnly) return "add"
    const verb = this.verbOf(table, key)
    // What this batch has put there first is not in the database.
    if (verb === "add" || verb === "put") return verb
    if (table.large.length === 0) return "put"
    const before: any = this.held(table, key)
    return before != null && table.large.every((column) => before[column] === row[column]) ? "keep" : "put"
  }

  /** Writes a new row whose large columns are those that the database has now in the row of the table that it is heir of. */
  inherit<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    this.write(table, table.keyOf(row), row, "inherit", bytes)
  }

  /** Whether the row is known as the database has it, and this batch has not written to it. */
  isUnchanged(table: Table<any>, key: string): boolean {
    return this.verbOf(table, key) === undefined && this.held(table, key) != null
  }

  remove<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): void {
    this.write(table, keyText(key), null, "remove", 50)
  }

  /** What is to be written, table by table: rows to put, and keys to delete (`null` rows). */
  get contents(): ReadonlyMap<Table<any>, ReadonlyMap<string, any>> {
    return this.overlay
  }

  /** What was read of the database for this batch. */
  protected get read(): ReadonlyMap<Table<any>, ReadonlyMap<string, any>> {
    return this.loaded
  }

  protected onUndo(undo: Undo): void {
    this.journal.push(undo)
  }

  /** A place to go back to when a write fails: only its own part is undone. */
  mark(): number {
    return this.journal.length
  }

  undo(mark: number): void {
    while (this.journal.length > mark) this.journal.pop()!()
  }

  /** Rows have changed behind what was read before. */
  protected clearRead(): void {
    this.loaded.clear()
    this.base.resident.clear()
    this.base.dropRecent()
  }

  /** What was written is in the transaction, and is read from there. */
  protected clear(): void {
    this.overlay = new Map()
    this.unique.clear()
    this.verbs.clear()
    this.clearRead()
    this.journal.length = 0
    this.rows = 0
    this.bytes = 0
  }
}
