import type { RxCollection } from "rxdb"
import type { Client } from "../client/Client.ts"
import { isProblem, type Restored } from "../client/ClientProblem.ts"
import type { FollowOptions } from "../client/Follow.ts"
import type { Schemas } from "../client/Types.ts"
import { knownOf } from "../sync/Edit.ts"
import { docOf, type RecordDoc, type SheafRecord } from "./RecordSchema.ts"

/** Where a replication continues. */
export interface Checkpoint {
  readonly cursor: string
  /** Whether everything that existed has come once. */
  readonly isWhole: boolean
}

/** Pulls changes. Records that a pull of everything does not name do not exist any more. */
export class PullHandler {
  readonly #client: Client
  readonly #collection: RxCollection<SheafRecord>
  readonly #selection: Pick<FollowOptions, "notebooks" | "types">
  readonly #versions: Map<string, number>
  /** The records that a pull of everything has named, while it runs. */
  #named: Set<string> | undefined
  #ended = Promise.withResolvers<string>()
  readonly #begun = Promise.withResolvers<void>()
  readonly #onRestored: (restored: Restored) => Promise<void>
  /** The last cursor that the server has accepted or issued; undefined before the first page. */
  cursor: string | undefined

  /** `versions` are the versions of records that were pushed. `onRestored` pushes what a restore has taken away. */
  constructor({
    client,
    collection,
    onRestored,
    versions,
    ...selection
  }: Pick<FollowOptions, "notebooks" | "types"> & {
    readonly client: Client
    readonly collection: RxCollection<SheafRecord>
    readonly versions: Map<string, number>
    readonly onRestored: (restored: Restored) => Promise<void>
  }) {
    this.#onRestored = onRestored
    this.#client = client
    this.#collection = collection
    this.#selection = selection
    this.#versions = versions
  }

  /** Resolves to the cursor of the next pull that has ended. */
  next(): Promise<string> {
    return this.#ended.promise
  }

  /** Resolves when the server has accepted the checkpoint, or what it had lost was pushed. */
  untilBegun(): Promise<void> {
    return this.#begun.promise
  }

  /** Pulls at least `size` changes, or all. Rejects with a SheafError. */
  async pull(
    checkpoint: Checkpoint | undefined,
    size: number
  ): Promise<{ readonly documents: Array<RecordDoc>; readonly checkpoint: Checkpoint }> {
    const isBroken = checkpoint?.isWhole === false && this.#named === undefined
    let cursor = isBroken ? undefined : checkpoint?.cursor
    const documents: Array<RecordDoc> = []
    while (true) {
      const page = await this.#page(cursor)
      if (page.isFirst) {
        this.#named = new Set()
        this.#versions.clear()
      }
      for (const { id } of page.changes) this.#named?.add(id)
      documents.push(...(await this.docsOf(page.changes)))
      cursor = page.cursor
      if (!page.has_more) {
        documents.push(...(await this.#unnamed()))
        this.#named = undefined
        this.#ended.resolve(cursor)
        this.#ended = Promise.withResolvers()
      }
      if (!page.has_more || documents.length >= size) {
        return { documents, checkpoint: { cursor, isWhole: this.#named === undefined } }
      }
    }
  }

  async #page(cursor: string | undefined): Promise<Schemas["SyncObject"] & { readonly isFirst: boolean }> {
    try {
      const input = { cursor, ...this.#selection, limit: 500 }
      const page = await this.#client.call<Schemas["SyncObject"]>("pullChanges", input)
      this.cursor = page.cursor
      this.#begun.resolve()
      return { ...page, isFirst: cursor === undefined }
    } catch (error) {
      if (isProblem(error, "cursor_expired") && error.problem.restored !== undefined) {
        await this.#onRestored(error.problem.restored)
        return this.#page(undefined)
      }
      if (isProblem(error, "cursor_expired")) return this.#page(error.problem.resync_cursor ?? undefined)
      // A server that refuses a cursor of an earlier pull has lost the key of its cursors.
      const isReplaced = cursor !== undefined && this.#named === undefined && isProblem(error, "invalid_cursor")
      if (!isReplaced) throw error
      return this.#page(undefined)
    }
  }

  /** The records that the server does not have any more, as deletions. */
  async #unnamed(): Promise<ReadonlyArray<RecordDoc>> {
    const named = this.#named
    if (named === undefined) return []
    const docs = await this.#collection.find().exec()
    return docs
      .map((doc) => ({ ...doc.toJSON(), _deleted: true }))
      .filter(({ id, version }) => version > 0 && !named.has(id))
  }

  /** The documents of changes, without states that are older than what was pushed. */
  async docsOf(changes: ReadonlyArray<unknown>): Promise<ReadonlyArray<RecordDoc>> {
    const newer = changes.map(knownOf).filter(({ id, revision }) => {
      const pushed = this.#versions.get(id) ?? 0
      if (revision >= pushed) this.#versions.delete(id)
      return revision >= pushed
    })
    const deleted = newer.filter(({ op }) => op === "delete").map(({ id }) => id)
    const before = deleted.length === 0 ? new Map() : await this.#collection.findByIds(deleted).exec()
    return newer.map((change) => docOf(change, before.get(change.id)?.toJSON().data))
  }
}
