import type { Counts } from "../tables/Counters.ts"
import type { Table } from "../tables/Table.ts"

/** The head of a workspace: its place in the order of changes, and the counters that quotas need. */
export interface Head extends Counts {
  seq: number
  /** The least revision that a change gives to a record: above those of a history that a restore has ended. */
  readonly least_revision: number
}

/** Maximum bytes of recently used rows that the writer of a workspace caches, and of each of these rows. */
const maxRecent = 256 * 1024
const maxRecentRow = 32 * 1024

/** The cached state that a batch starts from: the head as read, and the rows of resident tables at its seq. */
export class WriterCache {
  readonly head: Readonly<Head>
  readonly resident = new Map<Table<any>, Map<string, any>>()
  /** For resident tables with a unique column: keys by the value of that column. */
  readonly unique = new Map<Table<any>, Map<string, string>>()
  /** LRU cache of rows of other tables, the least recently used first: a note that was edited is often edited again. */
  readonly recent = new Map<Table<any>, Map<string, any>>()
  recentBytes = 0
  constructor(head: Head) {
    this.head = head
  }
  #keep(table: Table<any>, key: string, row: any): void {
    const weigh = table.weigh!
    let rows = this.recent.get(table)
    if (rows === undefined) this.recent.set(table, (rows = new Map()))
    const before = rows.get(key)
    if (before !== undefined) {
      this.recentBytes -= weigh(before)
      rows.delete(key)
    }
    if (row === null || weigh(row) > maxRecentRow) return
    rows.set(key, row)
    this.recentBytes += weigh(row)
    for (const [oldest, dropped] of rows) {
      if (this.recentBytes <= maxRecent) break
      this.recentBytes -= weigh(dropped)
      rows.delete(oldest)
    }
  }
  dropRecent(): void {
    this.recent.clear()
    this.recentBytes = 0
  }
  hold(table: Table<any>, rows: Map<string, any>): void {
    this.resident.set(table, rows)
    if (table.unique === undefined) return
    const index = new Map<string, string>()
    for (const [key, row] of rows) index.set(row[table.unique], key)
    this.unique.set(table, index)
  }
  /** The base after a draft was stored. The maps move to the new base, so that this one must not be used any more. */
  after(
    head: Head,
    loaded: ReadonlyMap<Table<any>, ReadonlyMap<string, any>>,
    written: ReadonlyMap<Table<any>, ReadonlyMap<string, any>>
  ): WriterCache {
    const next = new WriterCache({ ...head })
    for (const [table, rows] of this.recent) next.recent.set(table, rows)
    next.recentBytes = this.recentBytes
    for (const [table, rows] of loaded) {
      if (table.weigh !== undefined) for (const [key, row] of rows) next.#keep(table, key, row)
    }
    for (const table of next.recent.keys()) {
      const changed = table.partOf === undefined ? undefined : written.get(table.partOf)
      for (const key of changed?.keys() ?? []) next.#keep(table, key, null)
    }
    // Only written rows that were cached before: most new rows are not edited soon.
    for (const [table, rows] of written) {
      const held = next.recent.get(table)
      if (held !== undefined) for (const [key, row] of rows) if (held.has(key)) next.#keep(table, key, row)
    }
    for (const [table, rows] of this.resident) {
      const index = this.unique.get(table)
      const changed = written.get(table)
      if (changed !== undefined) {
        for (const key of changed.keys()) {
          const before = rows.get(key)
          if (before !== undefined) index?.delete(before[table.unique!])
        }
        for (const [key, row] of changed) {
          if (row === null) rows.delete(key)
          else {
            rows.set(key, row)
            index?.set(row[table.unique!], key)
          }
        }
      }
      next.resident.set(table, rows)
      if (index !== undefined) next.unique.set(table, index)
    }
    return next
  }
  get rows(): number {
    let rows = 0
    for (const map of this.resident.values()) rows += map.size
    return rows
  }
}
