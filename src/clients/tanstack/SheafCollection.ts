/** `sheaf/tanstack`: collections of TanStack DB with the records of a sync engine. */
import type { CollectionConfig, SyncConfig } from "@tanstack/db"
import type { Change, RecordType } from "../client/Follow.ts"
import { changedMembers, checkSize } from "../../../services/records/Merge.ts"
import type { SyncEngine } from "../sync/SyncEngine.ts"

export type { RecordType } from "../client/Follow.ts"

type StateOf<T extends RecordType> = Extract<Change, { readonly type: T; readonly op: "upsert" }>["data"]

/** A record as a row. One that the server does not have yet has only the members that the app has set. */
export type SheafRow<T extends RecordType = RecordType> = Partial<StateOf<T>> & { id: string }

/** Options of `sheafCollectionOptions`. */
export interface SheafCollectionOptions<T extends RecordType> {
  /** The id of the collection, by default `sheaf-` and the type. */
  readonly id?: string
  /** Where the records are kept. Several collections can have the same engine. */
  readonly engine: SyncEngine
  /** The type of the records, such as `note`. */
  readonly type: T
}

/** A change of a row, as TanStack DB describes it. */
export interface Mutation {
  readonly type: "insert" | "update" | "delete"
  readonly key: string
  /** The row before the change; an insert has none. */
  readonly original: object
  readonly modified: object
  readonly collection: { readonly id: string }
}

interface MutationList {
  readonly mutations: ReadonlyArray<Mutation>
}

/** Functions of the collection, in `collection.utils`. */
export type SheafCollectionUtils = {
  /**
   * Takes the changes of a transaction: call it in the `mutationFn` of your own transactions. Resolves when they are
   * stored. Rejects as `edit` of the engine does.
   */
  readonly acceptMutations: (transaction: MutationList) => Promise<void>
}

/** Writes the rows of an engine into a collection, now and after each change. Returns a function that ends it. */
const writeRows = <T extends RecordType>(
  { engine, type }: SheafCollectionOptions<T>,
  { begin, commit, markReady, write }: Parameters<SyncConfig<SheafRow<T>, string>["sync"]>[0]
): (() => void) => {
  const rows = new Set<string>()
  const show = (changed: ReadonlyArray<string>) => {
    const ids = changed.filter((id) => rows.has(id) || engine.typeOf(id) === type)
    if (ids.length > 0) begin()
    for (const id of ids) {
      // The server and the app have written the members.
      const value = engine.get(id) as SheafRow<T> | undefined
      if (value !== undefined) write({ type: rows.has(id) ? "update" : "insert", value })
      else if (rows.has(id)) write({ type: "delete", key: id })
      if (value === undefined) rows.delete(id)
      else rows.add(id)
    }
    if (ids.length > 0) commit()
    if (engine.state.isWhole) markReady()
  }
  show(engine.all(type).map(({ id }) => id))
  return engine.subscribe(show)
}

/**
 * Options of a collection with the records of one type, for `createCollection`. The engine has the records: a change of a
 * row is an edit of the engine, which stores it, merges it and pushes it. A transaction ends when its edits are stored.
 */
export const sheafCollectionOptions = <T extends RecordType>(
  options: SheafCollectionOptions<T>
): CollectionConfig<SheafRow<T>, string, never, SheafCollectionUtils> & { readonly utils: SheafCollectionUtils } => {
  const { engine, id = `sheaf-${options.type}`, type } = options
  const take = ({ key, modified, original, type: kind }: Mutation): Promise<void> => {
    if (kind === "delete") return engine.remove(type, key)
    const data = changedMembers({ ...modified, id: key }, { ...original, id: key })
    return engine.edit(type, key, data, kind === "update" ? { ...original } : undefined)
  }
  const acceptMutations: SheafCollectionUtils["acceptMutations"] = async ({ mutations }) => {
    const own = mutations.filter(({ collection }) => collection.id === id)
    // All of them or none.
    for (const { modified } of own) checkSize({ ...modified })
    await Promise.all(own.map(take))
  }
  const accept = ({ transaction }: { readonly transaction: MutationList }) => acceptMutations(transaction)
  return {
    id,
    getKey: (row) => row.id,
    sync: { sync: (sync) => writeRows(options, sync), rowUpdateMode: "full" },
    onInsert: accept,
    onUpdate: accept,
    onDelete: accept,
    utils: { acceptMutations }
  }
}
