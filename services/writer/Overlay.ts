import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { WriterCache } from "./WriterCache.ts"
import type { ReadRows } from "./RowReads.ts"
import { keyText, type Table } from "../tables/Table.ts"

type Undo = () => void

/**
 * How a row is written. `put`: inserts or replaces it; `add`: inserts a row that is known to be new; `remove`: deletes
 * it. Large columns that the database has already are not sent again: `keep` replaces an existing row except its large
 * columns, `inherit` inserts a new row and copies them from a row of another table (`heirOf`).
 */
export type Verb = "put" | "add" | "keep" | "inherit" | "remove"

/** A row that was written, and the row that it replaced. Null: there is none; undefined: it was not read. */
export interface Written {
  readonly table: Table<any>
  readonly before: object | null | undefined
  readonly after: object | null
}

/**
 * The identity map of a batch of writes: the rows that it has written, over those that the writer caches, over the
 * database. Its writes can be undone back to a mark, like a savepoint.
 */
export class Overlay {
  readonly workspace_id: WorkspaceId
  /** The rows of the present write, if they are checked. */
  protected watched: Array<Written> | undefined
  /** Number of rows to be written, and their approximate bytes. */
  rows = 0
  bytes = 0
  protected readonly base: WriterCache
  /** Reads rows: inside a locked batch, through the transaction. */
  protected readonly client: PgClient
  readonly #readRows: ReadRows
  #overlay = new Map<Table<any>, Map<string, any>>()
  /** For written rows of tables with a unique column: keys by the value of that column. */
  readonly #unique = new Map<Table<any>, Map<string, string>>()
  readonly #verbs = new Map<Table<any>, Map<string, Verb>>()
  readonly #loaded = new Map<Table<any>, Map<string, any>>()
  readonly #journal: Array<Undo> = []

  constructor(workspace_id: WorkspaceId, client: PgClient, readRows: ReadRows, base: WriterCache) {
    this.workspace_id = workspace_id
    this.client = client
    this.#readRows = readRows
    this.base = base
  }

  /** The row, from what the batch has written, the cache of the writer, or the database. */
  get<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): Effect.Effect<Row | undefined> {
    const text = keyText(key)
    const held = this.#held(table, text)
    if (held !== undefined) return Effect.succeed(held ?? undefined)
    if (table.resident) return Effect.mapEager(this.#resident(table), (rows) => rows.get(text))
    return Effect.map(this.load(table, [key]), () => this.#held(table, text) ?? undefined)
  }

  /** The row without a query. null: known to be missing; undefined: not known. */
  known<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): Row | null | undefined {
    return this.#known(table, keyText(key))
  }

  #known<Row extends object>(table: Table<Row>, key: string): Row | null | undefined {
    const held = this.#held(table, key)
    const rows = this.base.resident.get(table)
    return held !== undefined || rows === undefined ? held : (rows.get(key) ?? null)
  }

  #held<Row extends object>(table: Table<Row>, key: string): Row | null | undefined {
    const written = this.#overlay.get(table)?.get(key)
    if (written !== undefined) return written
    const loaded = this.#loaded.get(table)?.get(key)
    return loaded === undefined && table.weigh !== undefined ? this.base.recent.get(table)?.get(key) : loaded
  }

  /**
   * Prefetches the rows that are not known yet in one query, before the methods that need them run. Returns the
   * approximate bytes that were read.
   */
  load<Row extends object>(table: Table<Row>, keys: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<number> {
    let loaded = this.#loaded.get(table)
    if (loaded === undefined) this.#loaded.set(table, (loaded = new Map()))
    const missing = keys.filter((key) => this.#held(table, keyText(key)) === undefined)
    if (missing.length === 0) return Effect.succeed(0)
    return this.#readRows(table, this.workspace_id, missing).pipe(
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

  /** All rows whose column has this value: those of the database with the changes of the batch. */
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
        let loaded = this.#loaded.get(table)
        if (loaded === undefined) this.#loaded.set(table, (loaded = new Map()))
        const rows = new Map<string, Row | null>()
        for (const row of found) {
          const key = table.keyOf(row)
          loaded.set(key, row)
          rows.set(key, row)
        }
        for (const [key, row] of this.#overlay.get(table) ?? []) rows.set(key, row)
        return [...rows.values()].filter((row): row is Row => row !== null && row[column] === value)
      })
    )
  }

  /** Number of rows whose column has this value: those of the database with the changes of the batch. */
  countHaving<Row extends object>(table: Table<Row>, column: keyof Row & string, value: string): Effect.Effect<number> {
    const written = this.#overlay.get(table) ?? new Map<string, Row | null>()
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
  #resident<Row extends object>(table: Table<Row>): Effect.Effect<Map<string, Row>> {
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
    return Effect.mapEager(this.#resident(table), (rows) => {
      const written = this.#overlay.get(table)
      if (written === undefined || written.size === 0) return rows
      const all = new Map(rows)
      for (const [key, row] of written) row === null ? all.delete(key) : all.set(key, row)
      return all
    })
  }

  /** The row of a resident table whose `unique` column has this value. */
  find<Row extends object>(table: Table<Row>, value: string): Effect.Effect<Row | undefined> {
    return Effect.mapEager(this.#resident(table), (rows) => {
      const written = this.#overlay.get(table)
      const own = this.#unique.get(table)?.get(value)
      if (own !== undefined) return written!.get(own) as Row
      const key = this.base.unique.get(table)!.get(value)
      return key === undefined || written?.has(key) === true ? undefined : rows.get(key)
    })
  }

  /** Adds a row that is about to be written, with the row that it replaces. */
  #watch(watched: Array<Written>, table: Table<any>, key: string, after: object | null, verb: Verb): void {
    const before = verb === "add" || verb === "inherit" ? null : this.#known(table, key)
    watched.push({ table, before, after })
  }

  #write(table: Table<any>, key: string, row: object | null, verb: Verb, bytes: number) {
    let rows = this.#overlay.get(table)
    if (rows === undefined) this.#overlay.set(table, (rows = new Map()))
    let verbs = this.#verbs.get(table)
    if (verbs === undefined) this.#verbs.set(table, (verbs = new Map()))
    const before = rows.get(key)
    const verbBefore = verbs.get(key)
    if (this.watched !== undefined) this.#watch(this.watched, table, key, row, verb)
    rows.set(key, row)
    verbs.set(key, verb)
    this.#index(table, key, before, row)
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
      this.#index(table, key, row, before)
      this.rows--
      this.bytes -= bytes
    })
  }

  /** Updates the index of the unique column. By now another row may have the old value of this row. */
  #index(table: Table<any>, key: string, before: any, after: any) {
    if (table.unique === undefined) return
    let index = this.#unique.get(table)
    if (index === undefined) this.#unique.set(table, (index = new Map()))
    if (before != null && index.get(before[table.unique]) === key) index.delete(before[table.unique])
    if (after != null) index.set(after[table.unique], key)
  }

  /** How the row of a key is written. */
  verbOf(table: Table<any>, key: string): Verb | undefined {
    return this.#verbs.get(table)?.get(key)
  }

  /** Inserts the whole row under a key that is known to have none: cheaper than `put`, which looks for one. */
  add<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    this.#write(table, table.keyOf(row), row, "add", bytes)
  }

  /** Writes the whole row. `bytes`: its approximate size, if it can be large. */
  put<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    const key = table.keyOf(row)
    this.#write(table, key, row, this.#verbToPut(table, key, row), bytes)
  }

  #verbToPut(table: Table<any>, key: string, row: any): Verb {
    if (table.appendOnly) return "add"
    const verb = this.verbOf(table, key)
    // The database does not have a row that this batch wrote first.
    if (verb === "add" || verb === "put") return verb
    if (table.large.length === 0) return "put"
    const before: any = this.#held(table, key)
    return before != null && table.large.every((column) => before[column] === row[column]) ? "keep" : "put"
  }

  /** Inserts a new row that takes its large columns from a row of the `heirOf` table, as the database has it now. */
  inherit<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    this.#write(table, table.keyOf(row), row, "inherit", bytes)
  }

  /** Whether the row is known, and this batch has not written to it. */
  isUnchanged(table: Table<any>, key: string): boolean {
    return this.verbOf(table, key) === undefined && this.#held(table, key) != null
  }

  remove<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): void {
    this.#write(table, keyText(key), null, "remove", 50)
  }

  /** The rows to be written, by table and key; null for rows to delete. */
  get contents(): ReadonlyMap<Table<any>, ReadonlyMap<string, any>> {
    return this.#overlay
  }

  /** The rows that were read from the database for this batch. */
  protected get read(): ReadonlyMap<Table<any>, ReadonlyMap<string, any>> {
    return this.#loaded
  }

  protected onUndo(undo: Undo): void {
    this.#journal.push(undo)
  }

  /** A position in the undo log: a write that fails is undone back to it, and earlier writes stay. */
  mark(): number {
    return this.#journal.length
  }

  undo(mark: number): void {
    while (this.#journal.length > mark) this.#journal.pop()!()
  }

  /** Drops cached reads, after SQL has changed rows. */
  protected clearRead(): void {
    this.#loaded.clear()
    this.base.resident.clear()
    this.base.dropRecent()
  }

  /** Drops everything, once the transaction has what was written: it is read from there. */
  protected clear(): void {
    this.#overlay = new Map()
    this.#unique.clear()
    this.#verbs.clear()
    this.clearRead()
    this.#journal.length = 0
    this.rows = 0
    this.bytes = 0
  }
}
