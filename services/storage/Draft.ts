import { Context, Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { PgClient } from "@effect/sql-pg/PgClient"
import type { EventType } from "../EventTypes.ts"
import { type Actor, nobody } from "./Actor.ts"
import type { Base, Head } from "./Base.ts"
import { type Change, type RecordRow, records } from "./Change.ts"
import type { Counter } from "./Counters.ts"
import { eventId } from "./EventIds.ts"
import { keyText, type Table } from "./Table.ts"

/** What a change does to a record that clients sync. */
export interface RecordChange {
  readonly revision: number
  /** The resource after the change; null when it is gone. */
  readonly value: object | null
  /** About the size of the value on the wire. */
  readonly bytes: number
}

/** A change as published: with the value that sync sends, when the change is one to a record. */
export interface Appended {
  readonly change: Change
  readonly record: RecordChange | null
}

type Undo = () => void

/**
 * What a batch of writes to one workspace is about to do: rows and log entries, in memory until the committer writes
 * them in one statement. Reads go through it, so that a later write of the batch sees the earlier ones.
 */
export class Draft {
  readonly workspace_id: string
  readonly now: string
  readonly millis: number
  /** The client that reads go through: inside a locked batch the transaction's. */
  readonly sql: PgClient
  /** The head is locked for this batch: set-based statements are allowed. */
  readonly locked: boolean
  readonly head: Head
  /** The seq that the guard expects: that of the database when the draft was begun, or last settled. */
  expected: number
  actor: Actor = nobody
  rows = 0
  bytes = 0
  appended: Array<Appended> = []
  /** Who may do what changes with it: said to all processes in the commit itself. */
  changesAccess = false
  /** The resources that its log entries are about, those that were settled too. */
  readonly touched: Array<string> = []
  private settledWitness: Change | undefined
  private readonly base: Base
  private overlay = new Map<Table<any>, Map<string, any>>()
  /** Of what it has written to tables with a unique column: from its value to the key. */
  private readonly unique = new Map<Table<any>, Map<string, string>>()
  private readonly added = new Map<Table<any>, Set<string>>()
  private readonly loaded = new Map<Table<any>, Map<string, any>>()
  private readonly journal: Array<Undo> = []
  private readonly settleWith: (draft: Draft) => Effect.Effect<void, SqlError.SqlError>

  constructor(options: {
    readonly workspace_id: string
    readonly millis: number
    readonly sql: PgClient
    readonly locked: boolean
    readonly base: Base
    readonly settle: (draft: Draft) => Effect.Effect<void, SqlError.SqlError>
  }) {
    this.workspace_id = options.workspace_id
    this.millis = options.millis
    this.now = new Date(options.millis).toISOString()
    this.sql = options.sql
    this.locked = options.locked
    this.base = options.base
    this.head = { ...options.base.head }
    this.expected = options.base.head.seq
    this.settleWith = options.settle
  }

  /** The row, from what the batch has written, what the writer holds, or the database. */
  get<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): Effect.Effect<Row | undefined> {
    const text = keyText(key)
    const held = this.held(table, text)
    if (held !== undefined) return Effect.succeed(held ?? undefined)
    if (table.resident) return Effect.map(this.resident(table), (rows) => rows.get(text))
    return Effect.map(this.load(table, [key]), () => this.held(table, text) ?? undefined)
  }

  /** null: known to be missing; undefined: not known. */
  private held<Row extends object>(table: Table<Row>, key: string): Row | null | undefined {
    const written = this.overlay.get(table)?.get(key)
    if (written !== undefined) return written
    const loaded = this.loaded.get(table)?.get(key)
    return loaded === undefined && table.weigh !== undefined ? this.base.recent.get(table)?.get(key) : loaded
  }

  /** Brings rows into reach in one query, before the methods that need them run. */
  load<Row extends object>(table: Table<Row>, keys: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<void> {
    let loaded = this.loaded.get(table)
    if (loaded === undefined) this.loaded.set(table, (loaded = new Map()))
    const recent = this.base.recent.get(table)
    const missing = keys.filter((key) => {
      const text = keyText(key)
      return !loaded.has(text) && recent?.has(text) !== true
    })
    if (missing.length === 0) return Effect.void
    const columns = table.key.join(", ")
    const text =
      missing.length === 1
        ? `SELECT ${table.columnList} FROM ${table.name} WHERE ${["workspace_id", ...table.key]
            .map((column, index) => `${column} = $${index + 1}`)
            .join(" AND ")}`
        : `SELECT ${table.columnList} FROM ${table.name} WHERE workspace_id = $1 AND (${columns}) IN (SELECT ${table.key
            .map((column, index) => `unnest($${index + 2}::text[]::${table.columns[column]}[])`)
            .join(", ")})`
    const params = missing.length === 1 ? missing[0]! : table.key.map((_, index) => missing.map((key) => key[index]!))
    return this.sql.unsafe<Row>(text, [this.workspace_id, ...params]).pipe(
      Effect.orDie,
      Effect.map((rows) => {
        for (const key of missing) loaded.set(keyText(key), null)
        for (const row of rows) loaded.set(table.keyOf(row), row)
      })
    )
  }

  /** The rows of a resident table as the database has them; `all` and `find` add what the draft has written. */
  private resident<Row extends object>(table: Table<Row>): Effect.Effect<Map<string, Row>> {
    const held = this.base.resident.get(table)
    if (held !== undefined) return Effect.succeed(held)
    return this.sql
      .unsafe<Row>(`SELECT ${table.columnList} FROM ${table.name} WHERE workspace_id = $1`, [this.workspace_id])
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
    return Effect.map(this.resident(table), (rows) => {
      const written = this.overlay.get(table)
      if (written === undefined || written.size === 0) return rows
      const all = new Map(rows)
      for (const [key, row] of written) row === null ? all.delete(key) : all.set(key, row)
      return all
    })
  }

  /** The row of a resident table whose `unique` column has this value. */
  find<Row extends object>(table: Table<Row>, value: string): Effect.Effect<Row | undefined> {
    return Effect.map(this.resident(table), (rows) => {
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

  private write(table: Table<any>, key: string, row: object | null, bytes: number) {
    let rows = this.overlay.get(table)
    if (rows === undefined) this.overlay.set(table, (rows = new Map()))
    const before = rows.get(key)
    rows.set(key, row)
    this.index(table, key, before, row)
    this.rows++
    this.bytes += bytes
    this.journal.push(() => {
      before === undefined ? rows.delete(key) : rows.set(key, before)
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

  /** Writes the whole row of a key that surely has none yet: cheaper than `put`, which looks for one. */
  add<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    const key = table.keyOf(row)
    this.write(table, key, row, bytes)
    let keys = this.added.get(table)
    if (keys === undefined) this.added.set(table, (keys = new Set()))
    keys.add(key)
    this.journal.push(() => keys.delete(key))
  }

  /** Whether the database surely has no row of this key. */
  isAdded(table: Table<any>, key: string): boolean {
    return this.added.get(table)?.has(key) === true
  }

  /** Writes the whole row. `bytes`: about its size, where it can be large. */
  put<Row extends object>(table: Table<Row>, row: Row, bytes = 200): void {
    this.write(table, table.keyOf(row), row, bytes)
  }

  remove<Row extends object>(table: Table<Row>, ...key: ReadonlyArray<string>): void {
    this.write(table, keyText(key), null, 50)
  }

  /** Adds to a counter of the head. What is counted is appended to the log too: a head is written when it moves on. */
  count(counter: Counter, difference: number): void {
    this.head[counter] += difference
    this.journal.push(() => (this.head[counter] -= difference))
  }

  /** Appends to the log; for a change to a record, says too where and as what it stands now. */
  append(entry: {
    readonly type: EventType
    readonly resource: string
    readonly resource_id: string
    readonly version?: number | null
    readonly data?: unknown
    readonly record?: RecordChange
  }): void {
    const seq = ++this.head.seq
    const change: Change = {
      seq,
      id: eventId(seq),
      type: entry.type,
      resource: entry.resource,
      resource_id: entry.resource_id,
      version: entry.record?.revision ?? entry.version ?? null,
      actor_id: this.actor.user_id,
      device_id: this.actor.device_id,
      ip: this.actor.ip,
      data: entry.data ?? null,
      occurred_at: this.now
    }
    this.appended.push({ change, record: entry.record ?? null })
    this.touched.push(entry.resource_id)
    this.rows++
    this.journal.push(() => {
      this.head.seq--
      this.appended.pop()
      this.touched.pop()
      this.rows--
    })
    if (entry.record !== undefined) {
      const row: RecordRow = {
        type: entry.resource,
        id: entry.resource_id,
        seq,
        revision: entry.record.revision,
        deleted: entry.record.value === null,
        bytes: entry.record.bytes,
        changed_at: this.now,
        actor_id: this.actor.user_id,
        device_id: this.actor.device_id
      }
      // The first revision is the first that is ever heard of the record.
      entry.record.revision === 1 ? this.add(records, row) : this.put(records, row)
    }
  }

  /** A place to go back to when a write fails: only its own part is undone. */
  mark(): number {
    return this.journal.length
  }

  undo(mark: number): void {
    while (this.journal.length > mark) this.journal.pop()!()
  }

  /**
   * Inside a locked batch: writes out what is held so far, so that a set-based statement sees it. The transaction
   * stays open, so a later failure still undoes all.
   */
  settle(): Effect.Effect<void> {
    return Effect.orDie(this.settleWith(this))
  }

  /** After a settle: what was held is in the transaction, and is read from there. */
  settled(): void {
    this.settledWitness = this.witness
    this.expected = this.head.seq
    this.appended = []
    this.forget()
  }

  /** Inside a locked batch, after a savepoint was rolled back to the moment when the head stood so. */
  rewind(head: Head): void {
    Object.assign(this.head, head)
    this.expected = head.seq
    this.appended = []
    this.forget()
  }

  /** An entry of this draft alone: when it stands in the log, all of the draft is stored. */
  get witness(): Change | undefined {
    return this.appended.at(-1)?.change ?? this.settledWitness
  }

  private forget(): void {
    this.overlay = new Map()
    this.unique.clear()
    this.added.clear()
    this.loaded.clear()
    this.base.resident.clear()
    this.base.dropRecent()
    this.journal.length = 0
    this.rows = 0
    this.bytes = 0
  }

  /** Inside a locked batch, after a set-based statement that gave out `count` seqs from `head.seq + 1` on. */
  skip(count: number): void {
    this.head.seq += count
    // It changed rows behind what was read before.
    this.loaded.clear()
    this.base.resident.clear()
    this.base.dropRecent()
  }

  /** What is to be written, table by table: rows to put, and keys to delete (`null` rows). */
  get contents(): ReadonlyMap<Table<any>, ReadonlyMap<string, any>> {
    return this.overlay
  }

  get isEmpty(): boolean {
    return this.head.seq === this.expected && this.overlay.size === 0
  }

  /** What the writer may hold on to once this draft is stored. */
  nextBase(): Base {
    return this.base.after(this.head, this.loaded, this.overlay)
  }
}

/** The draft that the present write belongs to: a write inside a write shares it. */
export const CurrentDraft = Context.Reference<Draft | undefined>("sheaf/storage/CurrentDraft", {
  defaultValue: () => undefined
})
