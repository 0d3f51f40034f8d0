import { createCollection } from "@tanstack/db"
import {
  type SheafCollectionOptions,
  sheafCollectionOptions,
  type SheafRecord
} from "../../../src/tanstack/SheafCollection.ts"
import type { Network } from "./Network.ts"

/** A device with a collection of TanStack DB. */
export const startTanStackDevice = async ({ client }: Network, options: Partial<SheafCollectionOptions> = {}) => {
  const onRefused: SheafCollectionOptions["onRefused"] = ({ edit, problem }) => {
    throw new Error(`${edit.type} ${edit.id} was refused: ${problem.detail}`)
  }
  const collection = createCollection(sheafCollectionOptions({ client, onRefused, retryTime: 50, ...options }))
  return {
    collection,
    records: async () => collection.toArray,
    insert: async (record: SheafRecord) => void collection.insert(record),
    change: async (id: string, data: Readonly<Record<string, unknown>>) =>
      void collection.update(id, (record) => void (record.data = { ...record.data, ...data })),
    remove: async (id: string) => void collection.delete(id),
    watch: (listener: (id: string, version: number) => void) => {
      collection.subscribeChanges((changes) => {
        for (const { value } of changes) listener(value.id, value.version)
      })
    },
    stop: () => collection.cleanup()
  }
}
