/** `sheaf/tanstack`: a collection of TanStack DB with the records of a workspace. */
import type { CollectionConfig, Transaction } from "@tanstack/db"
import type { SheafClient } from "../client/Client.ts"
import type { Refused } from "../sync/EditQueue.ts"
import { type RecordType, type SheafRecord, typesWithNotebooks } from "../sync/SheafRecord.ts"
import { CollectionRecords } from "./CollectionRecords.ts"

export type { Refused } from "../sync/EditQueue.ts"
export { newId } from "../sync/Rules.ts"
export type { RecordType, SheafRecord } from "../sync/SheafRecord.ts"

/** Options of `sheafCollectionOptions`. */
export interface SheafCollectionOptions {
  /** The id of the collection, by default `sheaf`. */
  readonly id?: string
  readonly client: SheafClient
  /** The types in the collection, by default all. Notebooks are always among them. */
  readonly types?: ReadonlyArray<RecordType>
  /**
   * Called when the server refuses a change. The record then has the state of the server again. The app shows the change
   * to the user, who would lose it otherwise.
   */
  readonly onRefused: (refused: Refused) => void
  /** Called when the connection is lost or found again: `undefined` means that changes come live. */
  readonly onConnection?: (error: unknown) => void
  /** Milliseconds before a failed push is sent again, by default 5 000. */
  readonly retryTime?: number
}

/** Functions of the collection, in `collection.utils`. */
export type SheafCollectionUtils = {
  /** Resolves when all changes were pushed. Rejects with an error of `onRefused`. */
  readonly pushed: () => Promise<void>
  /** Takes the changes of a transaction: call it in the `mutationFn` of your own transactions. */
  readonly acceptMutations: (transaction: Pick<Transaction<SheafRecord>, "mutations">) => void
}

/**
 * Options of a collection with the records of a workspace, for `createCollection`. Changes are visible at once, and wait
 * in memory until the server has them. They are merged with those of others by the rules of sync.
 */
export const sheafCollectionOptions = (
  options: SheafCollectionOptions
): CollectionConfig<SheafRecord, string, never, SheafCollectionUtils> & { readonly utils: SheafCollectionUtils } => {
  const id = options.id ?? "sheaf"
  const types = options.types === undefined ? {} : { types: typesWithNotebooks(options.types) }
  const records = new CollectionRecords({ ...options, ...types, retryTime: options.retryTime ?? 5_000 })
  const acceptMutations: SheafCollectionUtils["acceptMutations"] = ({ mutations }) =>
    records.edit(mutations.filter(({ collection }) => collection.id === id))
  const accept = async ({ transaction }: { readonly transaction: Pick<Transaction<SheafRecord>, "mutations"> }) =>
    acceptMutations(transaction)
  return {
    id,
    getKey: (record) => record.id,
    sync: { sync: (sync) => records.start(sync), rowUpdateMode: "full" },
    startSync: true,
    // Without subscribers, changes are pushed too.
    gcTime: 0,
    onInsert: accept,
    onUpdate: accept,
    onDelete: accept,
    utils: { pushed: () => records.pushed(), acceptMutations }
  }
}
