import type { SyncConfig } from "@tanstack/db"
import type { Client } from "../client/Client.ts"
import { SheafError } from "../client/ClientProblem.ts"
import { type Batch, follow, pause } from "../client/Follow.ts"
import { EditPusher } from "../sync/EditPusher.ts"
import type { Refused } from "../sync/EditQueue.ts"
import { type Edit, isKnown, type Known, type View } from "../sync/Rules.ts"
import { changedMembers, type RecordType, type SheafRecord } from "../sync/SheafRecord.ts"

type Sync = Parameters<SyncConfig<SheafRecord, string>["sync"]>[0]

/** A change of the user, as TanStack DB describes it. */
export interface Mutation {
  readonly type: "insert" | "update" | "delete"
  readonly key: string
  /** The row before the change; an insert has none. */
  readonly original: SheafRecord | Readonly<Record<string, never>>
  readonly modified: SheafRecord
}

const isRecord = (row: Mutation["original"]): row is SheafRecord => "version" in row

export interface RecordsOptions {
  readonly client: Client
  readonly types?: ReadonlyArray<RecordType>
  readonly onRefused: (refused: Refused) => void
  readonly onConnection?: (error: unknown) => void
  readonly retryTime: number
}

/** The records of a collection in memory: those of the server, and the edits that it does not have yet. */
export class CollectionRecords {
  private readonly options: RecordsOptions
  private readonly queue: EditPusher
  private readonly known = new Map<string, Known>()
  /** The records with a row in the collection. */
  private readonly rows = new Set<string>()
  /** The records that have changed and whose rows have not. */
  private readonly changed = new Set<string>()
  /** The records that a pull of everything has named, while it runs. */
  private named: Set<string> | undefined
  private cursor: string | undefined
  private sync: Sync | undefined
  private ended = new AbortController()
  private connected = new AbortController()
  private pushing: Promise<void> | undefined

  constructor(options: RecordsOptions) {
    this.options = options
    this.queue = new EditPusher(options.client, {
      known: (id) => this.known.get(id),
      notebooks: async () => [...this.known.values()].filter(({ type }) => type === "notebook"),
      take: (state) => this.take(state),
      forget: (id) => this.forget(id),
      onRefused: options.onRefused
    })
  }

  /** Fills a collection and follows the server, until the returned function is called. */
  start(sync: Sync): () => void {
    this.sync = sync
    this.ended = new AbortController()
    this.rows.clear()
    for (const id of this.known.keys()) this.changed.add(id)
    this.show()
    void this.follow(sync, this.ended.signal)
    this.push()
    return () => {
      this.sync = undefined
      this.ended.abort()
    }
  }

  /** Queues changes of the user. */
  edit(mutations: Iterable<Mutation>): void {
    for (const { key: id, modified, original, type } of mutations) {
      const op = type === "delete" ? "delete" : "upsert"
      const seen = isRecord(original) ? original.data : {}
      const data = op === "delete" ? {} : changedMembers(modified.data, seen)
      if (type === "update" && Object.keys(data).length === 0) continue
      this.queue.add({ type: modified.type, id, op, data } satisfies Partial<Edit>, this.viewOf(original))
    }
    this.show()
    this.push()
  }

  /** Resolves when no edit waits, or the collection was cleaned up. Rejects with an error of `onRefused`. */
  async pushed(): Promise<void> {
    await this.pushing
  }

  /** What the user saw before a change, which may be older than the state now. */
  private viewOf(original: Mutation["original"]): Pick<View, "known" | "shown"> {
    const known = (id: string) => this.known.get(id)
    const shown = (id: string) => this.queue.shown(id)
    if (!isRecord(original)) return { known, shown }
    return {
      known: (id) => {
        const state = known(id)
        return state?.op === "upsert"
          ? { ...state, revision: Math.max(1, Math.min(state.revision, original.version)) }
          : state
      },
      shown: (id) => ({ op: shown(id).op, data: original.data })
    }
  }

  /** Writes the rows of changed records, as they are with the edits of the user. */
  private show(): void {
    const types = this.queue.types
    const ids = new Set([...this.changed, ...types.keys()])
    if (this.sync === undefined || ids.size === 0) return
    const { begin, commit, write } = this.sync
    begin()
    for (const id of ids) {
      const { data, op } = this.queue.shown(id)
      const known = this.known.get(id)
      const type = known?.type ?? types.get(id)
      if (op === "delete" || type === undefined) {
        if (this.rows.delete(id)) write({ type: "delete", key: id })
      } else {
        const value = { id, type, version: known?.revision ?? 0, data }
        write({ type: this.rows.has(id) ? "update" : "insert", value })
        this.rows.add(id)
      }
    }
    this.changed.clear()
    commit()
  }

  private async follow({ markError, markReady }: Sync, signal: AbortSignal): Promise<void> {
    const { client, onConnection, retryTime, types } = this.options
    const connected = (error: unknown) => {
      onConnection?.(error)
      // What waits is pushed at once, and not after `retryTime`.
      if (error === undefined) this.connected.abort()
    }
    while (!signal.aborted) {
      const options = {
        cursor: this.cursor,
        signal,
        onConnection: connected,
        ...(types === undefined ? {} : { types })
      }
      try {
        for await (const batch of follow(client, options)) {
          this.takeBatch(batch)
          if (batch.isWhole) markReady()
        }
      } catch (error) {
        connected(error)
        if (this.cursor === undefined) markError(error)
        await pause(retryTime, signal)
      }
    }
  }

  private takeBatch({ changes, cursor, isFirst, isWhole }: Batch): void {
    if (isFirst) this.named = new Set()
    const states: ReadonlyArray<unknown> = changes
    for (const change of states.filter(isKnown)) {
      // After the restore of a backup, a record may have a lower revision than before.
      if (this.named !== undefined && !this.named.has(change.id)) this.keep(change)
      else this.take(change)
      this.named?.add(change.id)
    }
    if (isWhole && this.named !== undefined) {
      for (const id of this.known.keys()) if (!this.named.has(id)) this.forget(id)
      this.named = undefined
    }
    this.cursor = cursor
    this.show()
  }

  /** A revision before the known one changes nothing. */
  private take(state: Known): void {
    const before = this.known.get(state.id)
    if (before === undefined || before.revision <= state.revision) this.keep(state)
  }

  private keep(state: Known): void {
    this.known.set(state.id, { ...state, data: state.data ?? this.known.get(state.id)?.data ?? null })
    this.changed.add(state.id)
  }

  private forget(id: string): void {
    this.known.delete(id)
    this.changed.add(id)
  }

  private push(): void {
    if (this.pushing === undefined && !this.queue.isEmpty) this.pushing = this.pushAll()
  }

  /** Pushes until no edit waits, one push after the other. */
  private async pushAll(): Promise<void> {
    try {
      // Changes that are made one after the other are joined.
      await Promise.resolve()
      while (!this.queue.isEmpty && !this.ended.signal.aborted) await this.pushOnce(this.ended.signal)
    } finally {
      this.pushing = undefined
    }
  }

  private async pushOnce(signal: AbortSignal): Promise<void> {
    for (const id of this.queue.types.keys()) this.changed.add(id)
    try {
      await this.queue.push(signal)
      this.show()
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof SheafError)) throw error
      this.options.onConnection?.(error)
      this.connected = new AbortController()
      await pause(this.options.retryTime, AbortSignal.any([signal, this.connected.signal]))
    }
  }
}
