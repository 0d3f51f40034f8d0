import { createRxDatabase, type RxCollection, type RxStorage } from "rxdb"
import { getRxStorageMemory } from "rxdb/plugins/storage-memory"
import {
  recordConflicts,
  recordSchema,
  type ReplicateOptions,
  replicateSheaf,
  type SheafRecord
} from "../../../src/clients/rxdb/SheafRxDB.ts"
import type { AdapterDevice } from "./AdapterScenario.ts"
import type { Network } from "./Network.ts"

/** A device with an RxDB collection that is replicated. */
export const startRxDevice = async (
  { client }: Pick<Network, "client">,
  options: Partial<ReplicateOptions> & { readonly storage?: RxStorage<any, any>; readonly name?: string } = {}
): Promise<AdapterDevice & { readonly collection: RxCollection<SheafRecord> }> => {
  const {
    name = `d${crypto.randomUUID().replaceAll("-", "")}`,
    storage = getRxStorageMemory(),
    ...replicated
  } = options
  const database = await createRxDatabase<{ records: RxCollection<SheafRecord> }>({
    name,
    storage,
    multiInstance: false
  })
  const { records: collection } = await database.addCollections({
    records: { schema: recordSchema, conflictHandler: recordConflicts }
  })
  const onRefused = ({ edit, problem }: Parameters<ReplicateOptions["onRefused"]>[0]) => {
    throw new Error(`${edit.type} ${edit.id} was refused: ${problem.detail}`)
  }
  replicateSheaf({ collection, client, onRefused, retryTime: 50, ...replicated })
  return {
    collection,
    records: async () => (await collection.find().exec()).map((doc) => doc.toJSON()),
    insert: async (record) => void (await collection.insert({ ...record, version: 0 })),
    change: async (id, data) => {
      const doc = await collection.findOne(id).exec(true)
      await doc.incrementalModify((record: SheafRecord) => ({ ...record, data: { ...record.data, ...data } }))
    },
    remove: async (id) => {
      const doc = await collection.findOne(id).exec(true)
      await doc.incrementalRemove()
    },
    watch: (listener) => {
      collection.$.subscribe(({ documentData: { id, type, version } }) => {
        if (type === "note") listener(id, version)
      })
    },
    stop: async () => void (await database.close())
  }
}
