/** `sheaf/indexeddb`: a store for `sheaf/sync` in the database of a browser. */
import { memoryStore, StoreError, type SyncStore } from "../sync/SyncStore.ts"

interface Options {
  /** Until this signal, `load` waits for another tab that has the store open. By default it rejects at once. */
  readonly waitUntil?: AbortSignal
  /** Called when the open store is closed because it was removed, by a tab or by the user: `load` opens another one. */
  readonly onRemoved?: () => void
}

const entries = "entries"
const files = "files"

const lockOf = (name: string): string => `sheaf/indexeddb ${name}`

const settled = <A>(request: IDBRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** The browser reports a full disk and other causes. */
const guarded = async <A>(what: string, task: () => Promise<A>): Promise<A> => {
  try {
    return await task()
  } catch (cause) {
    if (cause instanceof StoreError) throw cause
    const reason = cause instanceof Error || cause instanceof DOMException ? cause.message || cause.name : String(cause)
    throw new StoreError(`${what}: ${reason}`, { cause })
  }
}

/** Takes the lock of a store, which ends with its tab. Returns what releases it; undefined if another tab has it. */
const take = async (name: string, waitUntil: AbortSignal | undefined): Promise<(() => void) | undefined> => {
  if (!("locks" in navigator)) throw new StoreError("The page has no locks: they need https, or localhost")
  return new Promise((resolve, reject) => {
    const options = waitUntil === undefined ? { ifAvailable: true } : { signal: waitUntil }
    const held = (lock: Lock | null) =>
      lock === null ? resolve(undefined) : new Promise<void>((release) => resolve(release))
    navigator.locks.request(lockOf(name), options, held).catch(reject)
  })
}

const open = (name: string): Promise<IDBDatabase> => {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore(entries)
    request.result.createObjectStore(files)
  }
  return settled(request)
}

const readAll = async (database: IDBDatabase): Promise<Map<string, unknown>> => {
  const store = database.transaction(entries).objectStore(entries)
  const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())])
  return new Map(keys.map((key, index) => [String(key), values[index]]))
}

/**
 * Keeps the state in IndexedDB, under a name. One tab at a time has it open: `load` rejects with a `StoreError` while
 * another one does, or waits for its end. When the browser has no space for a write, that is rejected and nothing is
 * written. Ask `navigator.storage.persist()`: otherwise the browser may remove the store when the device is short of space.
 */
export const indexedDbStore = (name: string, { onRemoved, waitUntil }: Options = {}): SyncStore => {
  let database: IDBDatabase | undefined
  let release: (() => void) | undefined

  /** Runs a request in a transaction. It is written to the disk before the promise resolves. */
  const run = <A>(
    store: string,
    mode: IDBTransactionMode,
    task: (store: IDBObjectStore) => IDBRequest<A> | undefined
  ): Promise<A> =>
    new Promise((resolve, reject) => {
      if (database === undefined) throw new StoreError(`${name} is not open`)
      const transaction = database.transaction(store, mode, { durability: "strict" })
      transaction.onabort = () => reject(transaction.error ?? new StoreError(`The browser has closed ${name}`))
      try {
        const request = task(transaction.objectStore(store))
        transaction.oncomplete = () => resolve(request?.result as A)
      } catch (error) {
        // A value that cannot be stored, such as a function. The entries before it are not stored either.
        reject(error)
        transaction.abort()
      }
    })

  const close = async (): Promise<void> => {
    database?.close()
    database = undefined
    release?.()
    release = undefined
  }

  return {
    load: () =>
      guarded(`${name} cannot be opened`, async () => {
        if (release !== undefined) throw new StoreError(`${name} is already open`)
        release = await take(name, waitUntil)
        if (release === undefined) throw new StoreError(`${name} is open in another tab`)
        try {
          database = await open(name)
          // The user has removed the data of the page, or a tab erases the store.
          const removed = () => void close().then(onRemoved)
          database.onclose = removed
          database.onversionchange = removed
          return await readAll(database)
        } catch (error) {
          await close()
          throw error
        }
      }),
    write: (changed) =>
      guarded(`${name} cannot be written`, () =>
        run<void>(entries, "readwrite", (store) => {
          for (const [key, value] of changed) value === undefined ? store.delete(key) : store.put(value, key)
          return undefined
        })
      ),
    files: () =>
      guarded(`${name} cannot be read`, async () =>
        (await run(files, "readonly", (store) => store.getAllKeys())).map(String)
      ),
    writeFile: (file, bytes) =>
      guarded(`${name} cannot be written`, async () => {
        await run(files, "readwrite", (store) => store.put(bytes, file))
      }),
    readFile: (file) =>
      guarded(`${name} cannot be read`, async () => {
        const bytes = await run<Uint8Array<ArrayBuffer> | undefined>(files, "readonly", (store) => store.get(file))
        if (bytes === undefined) throw new StoreError(`There is no file ${file}`)
        return bytes
      }),
    removeFile: (file) =>
      guarded(`${name} cannot be written`, () => run<undefined>(files, "readwrite", (store) => store.delete(file))),
    close
  }
}

/** A copy of a store, which any tab can read while another one has it open. What is written to it is not kept. */
export const indexedDbCopy = (name: string): SyncStore => ({
  ...memoryStore(),
  load: () =>
    guarded(`${name} cannot be read`, async () => {
      if (!(await indexedDB.databases()).some((each) => each.name === name)) return new Map()
      const database = await open(name)
      try {
        return await readAll(database)
      } finally {
        database.close()
      }
    })
})

/** Removes a store with its unsent edits, such as at a sign-out. The tab that has it open can no longer write to it. */
export const eraseIndexedDbStore = (name: string): Promise<void> =>
  guarded(`${name} cannot be removed`, async () => void (await settled(indexedDB.deleteDatabase(name))))
