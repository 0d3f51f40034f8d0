import type { SyncStore } from "../../../src/clients/sync/SyncStore.ts"

declare global {
  /** A collection that a tab replicates. */
  var collection: import("rxdb").RxCollection<import("../../../src/clients/rxdb/SheafRxDB.ts").SheafRecord>
  /** A function of a test that its page calls. */
  var note: (text: string) => void
  /** The modules of the package, and what the tests need to use them. */
  var modules: {
    readonly client: typeof import("../../../src/clients/client/ClientPackage.ts")
    readonly session: import("../../../src/clients/client/ClientPackage.ts").SessionStore
    readonly sync: typeof import("../../../src/clients/sync/SheafSync.ts")
    readonly indexeddb: {
      readonly indexedDbStore: (name: string, options?: { readonly waitUntil?: AbortSignal }) => SyncStore
      readonly indexedDbCopy: (name: string) => SyncStore
      readonly eraseIndexedDbStore: (name: string) => Promise<void>
    }
    readonly rxdb: typeof import("../../../src/clients/rxdb/SheafRxDB.ts")
    readonly tanstack: typeof import("../../../src/clients/tanstack/SheafCollection.ts")
    readonly createCollection: typeof import("@tanstack/db").createCollection
    readonly createRxDatabase: typeof import("rxdb").createRxDatabase
    readonly getRxStorageDexie: typeof import("rxdb/plugins/storage-dexie").getRxStorageDexie
  }
}

/** A page for tests that makes the modules of the package global. */
export const modulesScript = `
import * as client from "sheaf/client"
import * as sync from "sheaf/sync"
import * as indexeddb from "sheaf/indexeddb"
import * as rxdb from "sheaf/rxdb"
import * as tanstack from "sheaf/tanstack"
import { createCollection } from "@tanstack/db"
import { createRxDatabase } from "rxdb"
import { getRxStorageDexie } from "rxdb/plugins/storage-dexie"

// Tabs see a change of localStorage late, and one of IndexedDB at once.
const opened = indexedDB.open("session")
opened.onupgradeneeded = () => opened.result.createObjectStore("session")
const database = new Promise((resolve) => (opened.onsuccess = () => resolve(opened.result)))
const transact = async (mode, request) => {
  const transaction = (await database).transaction("session", mode)
  const { result } = await new Promise((resolve) => {
    const sent = request(transaction.objectStore("session"))
    transaction.oncomplete = () => resolve(sent)
  })
  return result
}
const session = {
  read: () => transact("readonly", (store) => store.get("session")),
  write: (session) => transact("readwrite", (store) => store.put(session, "session"))
}
globalThis.modules = { client, session, sync, indexeddb, rxdb, tanstack, createCollection, createRxDatabase, getRxStorageDexie }
`
