import { eraseIndexedDbStore, indexedDbCopy, indexedDbStore } from "../../indexeddb/IndexedDbStore.ts"
import { SharedRun } from "../../sync/SharedRun.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { copyName, isKept } from "./CopyNames.ts"
import { type Kept, keepNotebooks, keptNotebooks } from "./KeptNotebooks.ts"
import { OfflineNotes } from "./OfflineNotes.ts"
import { type CopyState, PulledCopy } from "./PulledCopy.ts"
import { storeRenderer } from "./StoredRenderer.ts"

/** Milliseconds from a change to the pull, so that many changes cause one. */
const beforePull = 2_000

/** Messages between tabs: `changed`, `chosen` and `ended` for the tab that pulls, and its state for the others. */
type Message = "changed" | "chosen" | "ended" | "state?" | CopyState

const channelOf = (store: WorkspaceStore): BroadcastChannel => new BroadcastChannel(copyName(store.account))

/** Sends a message to the other tabs, and to the part of this one that pulls. */
const post = (store: WorkspaceStore, message: Message): void => {
  const channel = channelOf(store)
  channel.postMessage(message)
  channel.close()
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
      else if (data === "chosen") pull()
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
  // Without it, notes are shown as text.
  storeRenderer().catch(console.warn)
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
const read = new WeakMap<WorkspaceStore, Promise<OfflineNotes | undefined>>()

/** The copy as it is on this device; undefined if it cannot be read. */
export const copyOf = (store: WorkspaceStore): Promise<OfflineNotes | undefined> => {
  const known = read.get(store)
  if (known !== undefined) return known
  const copy = indexedDbCopy(copyName(store.account))
    .load()
    .then(
      (entries) => new OfflineNotes(entries, keptNotebooks(store.account)),
      (error: unknown) => {
        console.warn(error)
        return undefined
      }
    )
  read.set(store, copy)
  const before = store.connections.peek()
  const stop = store.connections.subscribe((connections) => {
    if (connections === before) return
    read.delete(store)
    stop()
  })
  return copy
}

/** Calls a listener with the state of the tab that pulls, now and later, until the returned function is called. */
export const watchCopy = (store: WorkspaceStore, listener: (state: CopyState) => void): (() => void) => {
  const channel = channelOf(store)
  channel.onmessage = ({ data }: MessageEvent<Message>) => typeof data === "object" && listener(data)
  channel.postMessage("state?" satisfies Message)
  return () => channel.close()
}

/**
 * Chooses what is kept from now on, and asks the browser not to remove it when the device is short of room. The tab that pulls
 * follows the choice.
 */
export const chooseCopy = async (store: WorkspaceStore, kept: Kept): Promise<void> => {
  const isNew = !isKept(store.account)
  keepNotebooks(store.account, kept)
  if (isNew) void keepCopy(store)
  else post(store, "chosen")
  await navigator.storage.persist()
}

/** Ends to keep a copy, and removes it. */
export const endCopy = async (store: WorkspaceStore): Promise<void> => {
  const name = copyName(store.account)
  localStorage.removeItem(name)
  post(store, "ended")
  await eraseIndexedDbStore(name)
}
