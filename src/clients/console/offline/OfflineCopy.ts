import { type Batch, follow } from "../../client/SheafClient.ts"
import { eraseIndexedDbStore, indexedDbCopy, indexedDbStore } from "../../indexeddb/IndexedDbStore.ts"
import { SharedRun } from "../../sync/SharedRun.ts"
import { type Entry, StoreError, type SyncStore } from "../../sync/SyncStore.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { copyName, isKept } from "../DeviceSettings.ts"
import { OfflineNotes } from "./OfflineNotes.ts"

/** Milliseconds from a change to the pull, so that many changes cause one. */
const beforePull = 2_000

/** How far the tab that pulls has come. */
export interface CopyState {
  readonly notes: number
  readonly isWhole: boolean
  /** Whether the browser could not store the copy, such as for want of room. */
  readonly isUnstored: boolean
}

/** Messages between tabs: `changed` and `ended` for the tab that pulls, and its state for the others. */
type Message = "changed" | "ended" | "state?" | CopyState

const channelOf = (store: WorkspaceStore): BroadcastChannel => new BroadcastChannel(copyName(store.account))

/** The key of the cursor in the copy. Other keys are ids of records. */
const cursorKey = "cursor"

/** The copy of the tab that pulls. */
class PulledCopy {
  readonly #database: SyncStore
  readonly #ids: Set<string>
  #cursor: string | undefined
  #isWhole = false
  #isUnstored = false

  constructor(database: SyncStore, entries: ReadonlyMap<string, unknown>) {
    this.#database = database
    this.#cursor = entries.get(cursorKey) as string | undefined
    this.#ids = new Set(entries.keys().filter((key) => key !== cursorKey))
  }

  get state(): CopyState {
    const notes = [...this.#ids].filter((id) => id.startsWith("nt_")).length
    return { notes, isWhole: this.#isWhole, isUnstored: this.#isUnstored }
  }

  /** Pulls what has changed. A pull that fails continues with the next one. */
  async pull({ client, ended }: WorkspaceStore): Promise<void> {
    try {
      const options = { cursor: this.#cursor, types: ["note", "notebook"], isOnce: true, signal: ended } as const
      for await (const batch of follow(client, options)) await this.#apply(batch)
      this.#isWhole = true
      this.#isUnstored = false
    } catch (error) {
      this.#isUnstored = error instanceof StoreError
      if (!ended.aborted) console.warn(error)
    }
  }

  async #apply({ changes, cursor, isFirst }: Batch): Promise<void> {
    // What everything does not contain does not exist any more.
    const dropped = isFirst ? [...this.#ids] : []
    const written: ReadonlyArray<Entry> = [
      ...dropped.map((id) => [id, undefined] as const),
      ...changes.map(({ data, id, op, type }) => [id, op === "delete" ? undefined : { type, data }] as const),
      [cursorKey, cursor]
    ]
    await this.#database.write(written)
    for (const id of dropped) this.#ids.delete(id)
    for (const { id, op } of changes) op === "delete" ? this.#ids.delete(id) : this.#ids.add(id)
    this.#cursor = cursor
  }
}

/**
 * Pulls until the workspace is closed, or until the copy is wanted no more. What fails is repeated with the next change or
 * connection.
 */
const pullOn = (copy: PulledCopy, store: WorkspaceStore, channel: BroadcastChannel) =>
  new Promise<void>((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const report = () => channel.postMessage(copy.state satisfies Message)
    // One pull at a time: two would store states of a record in any order.
    const pulls = new SharedRun(() => copy.pull(store).then(report))
    const pull = () => {
      clearTimeout(timer)
      timer = undefined
      void pulls.run()
    }
    const pullSoon = () => (timer ??= setTimeout(pull, beforePull))
    const unsubscribe = [store.subscribe(pullSoon), store.connections.subscribe(pullSoon)]
    const end = () => {
      clearTimeout(timer)
      for (const each of unsubscribe) each()
      resolve()
    }
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data === "changed") pullSoon()
      else if (data === "state?") report()
      else if (data === "ended") end()
    }
    store.ended.addEventListener("abort", end)
    if (store.ended.aborted || !isKept(store.account)) end()
    else pull()
  })

/**
 * Keeps a copy of the notes of a workspace on this device until it is closed, or the copy is wanted no more. One tab pulls; the
 * others report changes to it, and one of them continues when that tab ends.
 */
export const keepCopy = async (store: WorkspaceStore): Promise<void> => {
  const channel = channelOf(store)
  const unsubscribe = store.subscribe(() => channel.postMessage("changed" satisfies Message))
  try {
    const database = indexedDbStore(copyName(store.account), { waitUntil: store.ended })
    const copy = new PulledCopy(database, await database.load())
    await pullOn(copy, store, channel)
    await database.close()
  } catch (error) {
    // Without its copy, the console works with a network only.
    if (!store.ended.aborted) console.warn(error)
  } finally {
    unsubscribe()
    channel.close()
  }
}

/** The copies that were read, until there is a connection again. */
const read = new WeakMap<WorkspaceStore, { readonly connections: number; readonly copy: Promise<OfflineNotes> }>()

/** The copy as it is on this device. */
export const copyOf = (store: WorkspaceStore): Promise<OfflineNotes> => {
  const connections = store.connections.peek()
  const known = read.get(store)
  if (known?.connections === connections) return known.copy
  const copy = indexedDbCopy(copyName(store.account))
    .load()
    .then((entries) => new OfflineNotes(entries))
  read.set(store, { connections, copy })
  return copy
}

/** Calls a listener with the state of the tab that pulls, now and later, until the returned function is called. */
export const watchCopy = (store: WorkspaceStore, listener: (state: CopyState) => void): (() => void) => {
  const channel = channelOf(store)
  channel.onmessage = ({ data }: MessageEvent<Message>) => typeof data === "object" && listener(data)
  channel.postMessage("state?" satisfies Message)
  return () => channel.close()
}

/** Marks that a copy is wanted, and asks the browser not to remove it when the device is short of room. */
export const beginCopy = async (store: WorkspaceStore): Promise<void> => {
  localStorage.setItem(copyName(store.account), "")
  await navigator.storage.persist()
}

/** Ends to keep a copy, and removes it. */
export const endCopy = async (store: WorkspaceStore): Promise<void> => {
  const name = copyName(store.account)
  localStorage.removeItem(name)
  const channel = channelOf(store)
  channel.postMessage("ended" satisfies Message)
  channel.close()
  await eraseIndexedDbStore(name)
}
