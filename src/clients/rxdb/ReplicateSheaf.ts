import type { RxCollection, RxReplicationPullStreamItem } from "rxdb"
import { replicateRxCollection, type RxReplicationState } from "rxdb/plugins/replication"
import { filter, firstValueFrom, Observable, type Subscriber } from "rxjs"
import { isProblem, type Restored } from "../client/ClientProblem.ts"
import { follow, type FollowOptions, type RecordType } from "../client/Follow.ts"
import type { SheafClient } from "../client/Client.ts"
import type { Refused } from "../sync/EditQueue.ts"
import { withNotebooks } from "../sync/Edit.ts"
import { increaseTimes } from "./ChangeTimes.ts"
import { pushLost } from "./LostRecords.ts"
import type { SheafRecord } from "./RecordSchema.ts"
import { type Checkpoint, PullHandler } from "./PullHandler.ts"
import { PushHandler, type Row } from "./PushHandler.ts"

/** Options of `replicateSheaf`. */
export interface ReplicateOptions {
  /** A collection with `recordSchema` and `recordConflicts`. */
  readonly collection: RxCollection<SheafRecord>
  readonly client: SheafClient
  /** The types that are pulled, by default all. Notebooks are always among them. */
  readonly types?: ReadonlyArray<RecordType>
  /** The ids of the notebooks that are pulled, with those in them; by default all. Tags and templates are then not pulled. */
  readonly notebooks?: ReadonlyArray<string>
  /** Whether the replication continues after the first run, by default true. */
  readonly live?: boolean
  /**
   * Called when the server refuses a change, before the record gets the state of the server again. The app shows it to
   * the user, who would lose the change otherwise. Called again if it rejects.
   */
  readonly onRefused: (refused: Refused) => void | Promise<void>
  /** Called when the live connection is lost or found again: `undefined` means that changes come live. */
  readonly onConnection?: (error: unknown) => void
  /** Names the server, the workspace and the types in the database, by default `sheaf`. */
  readonly replicationIdentifier?: string
  /** Milliseconds before a failed request is sent again, by default 5 000. */
  readonly retryTime?: number
  /** Whether one tab replicates for all, by default true. */
  readonly waitForLeadership?: boolean
  /** Whether the replication starts by itself, by default true. */
  readonly autoStart?: boolean
}

/** Batches of RxDB. The handlers divide them into requests. */
const batchSize = 500

type Item = RxReplicationPullStreamItem<SheafRecord, Checkpoint>

/** Sends live changes to a subscriber until the signal. */
const sendLive = async (
  { client, onConnection }: Pick<ReplicateOptions, "client" | "onConnection">,
  selection: Pick<FollowOptions, "notebooks" | "types">,
  pulls: PullHandler,
  /** Resolves when no push is running. */
  untilPushed: () => Promise<unknown>,
  subscriber: Subscriber<Item>,
  signal: AbortSignal
): Promise<void> => {
  while (true) {
    const cursor = await pulls.next()
    let isLost = false
    const connected = (error: unknown) => {
      onConnection?.(error)
      // Pushes what waits at once, and not after `retryTime`.
      if (error === undefined && isLost) subscriber.next("RESYNC")
      isLost = error !== undefined
    }
    try {
      for await (const batch of follow(client, { ...selection, cursor, signal, onConnection: connected })) {
        // Everything comes again: that is for the pull handler.
        if (batch.isFirst) break
        // RxDB would keep the changes until the push has ended, which may store later states of the same records.
        await untilPushed()
        const documents = [...(await pulls.docsOf(batch.changes))]
        if (documents.length > 0) subscriber.next({ documents, checkpoint: { cursor: batch.cursor, isWhole: true } })
      }
    } catch (error) {
      connected(error)
    }
    if (signal.aborted) return
    // The pull is repeated until it succeeds, and reports its errors.
    subscriber.next("RESYNC")
  }
}

/**
 * Replicates a collection with a workspace. Own changes are merged with those of others by the rules of sync, and each
 * record gets the state that the server has stored. Failed requests are emitted by `error$`.
 */
export const replicateSheaf = (options: ReplicateOptions): RxReplicationState<SheafRecord, Checkpoint> => {
  const { client, collection, onRefused } = options
  const { notebooks, types } = options
  const selection = { notebooks, types: types && withNotebooks(types) }
  const increasing = increaseTimes(collection)
  const versions = new Map<string, number>()
  const onRestored = (restored: Restored) => pushLost({ client, collection, onRefused, ...selection }, restored)
  const pulls = new PullHandler({ client, collection, versions, onRestored, ...selection })
  const pushes = new PushHandler({ client, collection, versions, onRefused, notebooks, cursor: () => pulls.cursor })
  const push = async (rows: ReadonlyArray<Row>) => {
    await increasing
    // Records that the server has lost are pushed before changes that were made on top of it.
    await pulls.untilBegun()
    try {
      return await pushes.push(rows)
    } catch (error) {
      if (!isProblem(error, "cursor_expired") || error.problem.restored === undefined) throw error
      await onRestored(error.problem.restored)
      pulls.cursor = undefined
      return pushes.push(rows)
    }
  }
  const stream$ = new Observable<Item>((subscriber) => {
    const ended = new AbortController()
    void sendLive(options, selection, pulls, untilPushed, subscriber, ended.signal)
    return () => ended.abort()
  })
  const replication = replicateRxCollection<SheafRecord, Checkpoint>({
    collection,
    replicationIdentifier: options.replicationIdentifier ?? "sheaf",
    live: options.live ?? true,
    retryTime: options.retryTime ?? 5_000,
    waitForLeadership: options.waitForLeadership ?? true,
    autoStart: options.autoStart ?? true,
    pull: { handler: (checkpoint, size) => increasing.then(() => pulls.pull(checkpoint, size)), batchSize, stream$ },
    push: { handler: push, batchSize }
  })
  const untilPushed = () => firstValueFrom(replication.active$.pipe(filter((isActive) => !isActive)))
  return replication
}
