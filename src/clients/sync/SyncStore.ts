/** A value of JSON and its key. `undefined` removes the key. */
export type Entry = readonly [key: string, value: unknown]

/**
 * Where an engine keeps its state, such as a file or a database of the browser. The engine makes one call of `write` at a
 * time, and does not change values that it has written. All methods reject with a `StoreError`.
 */
export interface SyncStore {
  /** Opens the store, and returns all entries. Rejects if another process has it open. A call that rejects opens nothing. */
  readonly load: () => Promise<Map<string, unknown>>
  /** Writes all entries or none, so that they survive a crash. */
  readonly write: (entries: ReadonlyArray<Entry>) => Promise<void>
  /** The names of the files: the SHA-256 of their bytes. */
  readonly files: () => Promise<ReadonlyArray<string>>
  readonly writeFile: (name: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  readonly readFile: (name: string) => Promise<Uint8Array<ArrayBuffer>>
  readonly removeFile: (name: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** A store cannot be opened, read or written. The message says why. */
export class StoreError extends Error {
  override readonly name = "StoreError"
}

/** Keeps the state in memory, until the process ends. It can be opened again after an engine was closed. */
export const memoryStore = (): SyncStore => {
  const entries = new Map<string, unknown>()
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    load: async () => new Map(entries),
    write: async (changed) => {
      for (const [key, value] of changed) {
        if (value === undefined) entries.delete(key)
        else entries.set(key, value)
      }
    },
    files: async () => [...files.keys()],
    writeFile: async (name, bytes) => void files.set(name, bytes.slice()),
    readFile: async (name) => {
      const bytes = files.get(name)
      if (bytes === undefined) throw new StoreError(`There is no file ${name}`)
      return bytes
    },
    removeFile: async (name) => void files.delete(name),
    close: async () => {}
  }
}
