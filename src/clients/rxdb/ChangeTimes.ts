import { addRxPlugin, normalizeMangoQuery, prepareQuery, type RxCollection, type RxPlugin } from "rxdb"
import type { SheafRecord } from "./RecordSchema.ts"

interface Named {
  readonly databaseName: string
  readonly collectionName: string
}

/** The time of the last change of each collection that is replicated. */
const lastTimes = new Map<string, number>()

const nameOf = ({ collectionName, databaseName }: Named): string => JSON.stringify([databaseName, collectionName])

/**
 * RxDB pushes what has changed after the last pushed change, by the clock of the device. If the clock was set back, RxDB
 * would push nothing: a change gets a time after the last one.
 */
const increasingTimes: RxPlugin = {
  name: "sheaf-increasing-times",
  rxdb: true,
  hooks: {
    preStorageWrite: {
      after: ({ rows, storageInstance }) => {
        const name = nameOf(storageInstance)
        const last = lastTimes.get(name)
        if (last === undefined) return
        // RxDB's times have two decimals.
        const next = Math.round(last * 100 + 1) / 100
        for (const { document } of rows) document._meta.lwt = Math.max(document._meta.lwt, next)
        lastTimes.set(name, Math.max(next, ...rows.map(({ document }) => document._meta.lwt)))
      }
    }
  }
}

/** Gives all further changes of a collection increasing times. Resolves when that has begun. */
export const increaseTimes = async (collection: RxCollection<SheafRecord>): Promise<void> => {
  const { storageInstance: storage } = collection
  const name = nameOf(storage)
  addRxPlugin(increasingTimes)
  const latest = { selector: {}, sort: [{ "_meta.lwt": "desc" as const }, { id: "desc" as const }], limit: 1, skip: 0 }
  const query = prepareQuery(storage.schema, normalizeMangoQuery(storage.schema, latest))
  const { documents } = await storage.query(query)
  lastTimes.set(name, documents[0]?._meta.lwt ?? 0)
  collection.onClose.push(() => lastTimes.delete(name))
}
