import { createCollection } from "@tanstack/db"
import { openSync } from "../../../src/clients/sync/SyncEngine.ts"
import { memoryStore } from "../../../src/clients/sync/SyncStore.ts"
import { type RecordType, sheafCollectionOptions } from "../../../src/clients/tanstack/SheafCollection.ts"
import type { StartDevice } from "./AdapterScenario.ts"

const allTypes: ReadonlyArray<RecordType> = ["notebook", "note", "tag", "template", "attachment", "comment", "reminder"]

/** A device with a collection of TanStack DB for each type. */
export const startTanStackDevice: StartDevice = async (network, { onRefused, types } = {}) => {
  const engine = await openSync({
    client: network.client,
    store: memoryStore(),
    ...(types === undefined ? {} : { types })
  })
  const collections = new Map(
    allTypes.map((type) => [type, createCollection(sheafCollectionOptions({ engine, type, id: type }))])
  )
  engine.start()
  for (const collection of collections.values()) await collection.preload()
  const at = (type: string) => collections.get(type as RecordType)!
  const holding = (id: string) => [...collections.values()].find((collection) => collection.has(id))!
  engine.subscribe(() => {
    for (const each of engine.refused) {
      if (onRefused === undefined) throw new Error(`${each.edit.type} ${each.edit.id}: ${each.problem.detail}`)
      onRefused(each)
      void engine.discard(each)
    }
  })
  // What a browser reports by an event.
  network.onOnline = () => void engine.sync().catch(() => {})
  return {
    records: async () =>
      [...collections].flatMap(([type, collection]) =>
        collection.toArray.map((row) => ({ id: row.id, type, data: engine.get(row.id)! }))
      ),
    insert: async ({ data, id, type }) => void at(type).insert({ ...data, id }),
    change: async (id, data) => void holding(id).update(id, (row) => void Object.assign(row, data)),
    remove: async (id) => void holding(id).delete(id),
    watch: (listener) => {
      at("note").subscribeChanges((changes) => {
        for (const { value } of changes) listener(value.id, Number(engine.get(value.id)?.["version"]))
      })
    },
    stop: async () => {
      for (const collection of collections.values()) await collection.cleanup()
      await engine.close()
    }
  }
}
