import { DatabaseSync } from "node:sqlite"

/** A `localStorage` on disk. What a program writes in one turn is stored whole or not at all, as RxDB relies on. */
export class DiskItems implements Storage {
  readonly [name: string]: any
  private readonly database: DatabaseSync
  private isWriting = false

  constructor(path: string) {
    this.database = new DatabaseSync(path)
    this.database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    this.database.exec("CREATE TABLE IF NOT EXISTS items (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
  }

  get length(): number {
    return Number(this.database.prepare("SELECT count(*) AS count FROM items").get()!["count"])
  }

  key(index: number): string | null {
    const row = this.database.prepare("SELECT key FROM items ORDER BY key LIMIT 1 OFFSET ?").get(index)
    return row === undefined ? null : String(row["key"])
  }

  getItem(key: string): string | null {
    const row = this.database.prepare("SELECT value FROM items WHERE key = ?").get(key)
    return row === undefined ? null : String(row["value"])
  }

  setItem(key: string, value: string): void {
    this.begin()
    this.database.prepare("INSERT OR REPLACE INTO items VALUES (?, ?)").run(key, value)
  }

  removeItem(key: string): void {
    this.begin()
    this.database.prepare("DELETE FROM items WHERE key = ?").run(key)
  }

  clear(): void {
    this.begin()
    this.database.exec("DELETE FROM items")
  }

  private begin(): void {
    if (this.isWriting) return
    this.isWriting = true
    this.database.exec("BEGIN")
    // RxDB resolves the promise of its write in a later microtask.
    queueMicrotask(() => {
      this.isWriting = false
      this.database.exec("COMMIT")
    })
  }
}
