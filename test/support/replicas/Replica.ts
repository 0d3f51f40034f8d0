import { createCollection } from "@tanstack/db"
import { getRxStorageLocalstorage } from "rxdb/plugins/storage-localstorage"
import type { SheafClient } from "../../../src/clients/client/SheafClient.ts"
import { fileStore } from "../../../src/clients/sync/FileSyncStore.ts"
import type { Data } from "../../../services/records/Merge.ts"
import { openSync, type Refused, type SyncEngine } from "../../../src/clients/sync/SheafSync.ts"
import { sheafCollectionOptions } from "../../../src/clients/tanstack/SheafCollection.ts"
import type { TypedRecord } from "../adapters/AdapterScenario.ts"
import { startRxDevice } from "../adapters/RxDevice.ts"
import { DiskItems } from "./DiskItems.ts"

/** A copy of a workspace on disk. What a promise of an edit resolves for survives the end of the process. */
export interface Replica {
  readonly records: () => Promise<ReadonlyArray<TypedRecord>>
  readonly insert: (record: TypedRecord) => Promise<void>
  /** Changes members of a record that the user has seen. Resolves to false if it does not exist any more. */
  readonly edit: (seen: TypedRecord, change: (data: Data) => Data) => Promise<boolean>
  readonly remove: (record: TypedRecord) => Promise<void>
  /** Exchanges changes with the server without a wait for the next repetition. Rejects with a SheafError. */
  readonly sync: () => Promise<void>
}

interface Settings {
  readonly client: SheafClient
  readonly path: string
  readonly onRefused: (refused: Refused) => void
}

const types = ["note", "notebook", "tag"] as const

const openEngine = async ({ client, onRefused, path }: Settings): Promise<SyncEngine> => {
  const engine = await openSync({ client, store: fileStore(path) })
  engine.subscribe(() => engine.refused.forEach(onRefused))
  engine.start()
  return engine
}

const startEngine = async (settings: Settings): Promise<Replica> => {
  const engine = await openEngine(settings)
  return {
    records: async () => types.flatMap((type) => engine.all(type).map((data) => ({ id: data.id, type, data }))),
    insert: ({ data, id, type }) => engine.edit(type, id, data),
    edit: async ({ data, id, type }, change) => {
      if (engine.get(id) === undefined) return false
      await engine.edit(type, id, change(data), data)
      return true
    },
    remove: ({ id, type }) => engine.remove(type, id),
    sync: () => engine.sync()
  }
}

/** The members of a row without those of TanStack DB itself. */
const membersOf = (row: object): Data =>
  Object.fromEntries(Object.entries(row).filter(([member]) => !member.startsWith("$")))

const startTanStack = async (settings: Settings): Promise<Replica> => {
  const engine = await openEngine(settings)
  const collections = types.map((type) => createCollection(sheafCollectionOptions({ engine, type })))
  for (const collection of collections) collection.startSyncImmediate()
  const of = ({ type }: TypedRecord) => collections[types.findIndex((each) => each === type)]!
  return {
    records: async () =>
      collections.flatMap(({ toArray }, index) =>
        toArray.map((row) => ({ id: row.id, type: types[index]!, data: membersOf(row) }))
      ),
    insert: async (record) => {
      await of(record).insert({ ...record.data, id: record.id }).isPersisted.promise
    },
    edit: async (record, change) => {
      if (!of(record).has(record.id)) return false
      const edit = of(record).update(record.id, (row) => void Object.assign(row, change(row)))
      await edit.isPersisted.promise
      return true
    },
    remove: async (record) => {
      if (of(record).has(record.id)) await of(record).delete(record.id).isPersisted.promise
    },
    sync: () => engine.sync()
  }
}

/** The name of the RxDB database of a replica. */
export const nameOf = (path: string): string => path.replaceAll(/[^a-z\d]/gi, "")

const startRxDB = async ({ client, onRefused, path }: Settings): Promise<Replica> => {
  const storage = getRxStorageLocalstorage({ localStorage: new DiskItems(path) })
  const { collection, insert, records } = await startRxDevice({ client }, { storage, name: nameOf(path), onRefused })
  return {
    records,
    insert,
    edit: async ({ id }, change) => {
      const doc = await collection.findOne(id).exec()
      const edited = await doc?.incrementalModify((record) =>
        record._deleted ? record : { ...record, data: { ...record.data, ...change(record.data) } }
      )
      return edited?.deleted === false
    },
    remove: async ({ id }) => void (await (await collection.findOne(id).exec())?.incrementalRemove()),
    // It pushes and pulls as soon as a stream is connected.
    sync: async () => {}
  }
}

export const starts = { engine: startEngine, rxdb: startRxDB, tanstack: startTanStack }
export type Kind = keyof typeof starts
