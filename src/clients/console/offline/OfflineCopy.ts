import { eraseIndexedDbStore, indexedDbCopy, indexedDbStore } from "../../indexeddb/IndexedDbStore.ts"
import { SharedRun } from "../../sync/SharedRun.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import {
  type CopyMessage,
  copyName,
  type CopyState,
  isKept,
  keepNotebooks,
  keptNotebooks,
  post,
  unmark
} from "./CopyMarks.ts"
import type { Kept } from "./KeptNotebooks.ts"
import { OfflineNotes } from "./OfflineNotes.ts"
import { PulledCopy } from "./PulledCopy.ts"
import { storeRenderer } from "./StoredRenderer.ts"

/** Milliseconds from a change to the pull, so that many changes cause one. */
const beforePull = 2_000

const channelOf = (store: WorkspaceStore): BroadcastChannel => new BroadcastChannel(copyName(store.account))

/**
 * Calls a listener when the user may have chosen what is kept, in any tab, until the returned function is called. The message
 * of another tab can come before its choice is in the storage of this one, which reports it then.
 */
const onChoice = (store: WorkspaceStore, channel: BroadcastChannel, listener: () => void): (() => void) => {
  const onMessage = ({ data }: MessageEvent<CopyMessage>) => data === "chosen" && listener()
  const onStorage = ({ key }: StorageEvent) => key === copyName(store.account) && listener()
  channel.addEventListener("message", onMessage)
  addEventListener("storage", onStorage)
  return () => {
    channel.removeEventListener("message", onMessage)
    removeEventListener("storage", onStorage)
  }
}

/** Resolves when a signal is aborted. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve())
  })

/**
 * Pulls until the workspace is closed, or the copy is no longer wanted. What fails is repeated with the next change or
 * connection.
 */
const keepPulling = async (copy: PulledCopy, store: WorkspaceStore, channel: BroadcastChannel, ended: AbortSignal) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const report = () => {
    if (!ended.aborted) channel.postMessage(copy.state satisfies CopyMessage)
  }
  // One pull at a time: two would store states of a record in any order.
  const pulls = new SharedRun(() => copy.pull(store, ended).then(report))
  const pull = () => {
    clearTimeout(timer)
    timer = undefined
    if (!ended.aborted) void pulls.run()
  }
  const pullSoon = () => (timer ??= setTimeout(pull, beforePull))
  const unsubscribe = [store.subscribe(pullSoon), store.connections.subscribe(pullSoon)]
  const onMessage = ({ data }: MessageEvent<CopyMessage>) => {
    if (data === "changed") pullSoon()
    else if (data === "state?") report()
  }
  channel.addEventListener("message", onMessage)
  const unwatch = onChoice(store, channel, pull)
  pull()
  await aborted(ended)
  channel.removeEventListener("message", onMessage)
  clearTimeout(timer)
  for (const each of [...unsubscribe, unwatch]) each()
  await pulls.ended()
}

/** Pulls as long as the copy is wanted, as soon as no other tab does. Returns whether it can. */
const pullAlone = async (store: WorkspaceStore, channel: BroadcastChannel): Promise<boolean> => {
  const name = copyName(store.account)
  const unwanted = new AbortController()
  const ended = AbortSignal.any([store.ended, unwanted.signal])
  const unwatch = onChoice(store, channel, () => isKept(store.account) || unwanted.abort())
  try {
    // The end of an earlier choice may remove the copy that was just begun: then another one is begun.
    const database = indexedDbStore(name, { waitUntil: ended, onRemoved: () => unwanted.abort() })
    await keepPulling(new PulledCopy(database, await database.load()), store, channel, ended)
    await database.close()
  } catch (error) {
    if (!ended.aborted) {
      // Without its copy, the console works with a network only.
      console.warn(error)
      return false
    }
  } finally {
    unwatch()
  }
  // This tab may have opened the database again after it was removed.
  if (!isKept(store.account)) await eraseIndexedDbStore(name).catch(console.warn)
  return true
}

/** Resolves when the user chooses what is kept, in any tab, the workspace changes, or it is closed. */
const choice = (store: WorkspaceStore, channel: BroadcastChannel): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      unwatch()
      unsubscribe()
      resolve()
    }
    const unwatch = onChoice(store, channel, end)
    // A copy that could not be opened is tried again.
    const unsubscribe = store.subscribe(end)
    void aborted(store.ended).then(end)
  })

/**
 * Keeps a copy of the notes of a workspace on this device until it is closed, whenever a copy is wanted. One tab pulls; the
 * others report changes to it, and one of them continues when that tab ends.
 */
export const keepCopy = async (store: WorkspaceStore): Promise<void> => {
  const channel = channelOf(store)
  const unsubscribe = store.subscribe(() => channel.postMessage("changed" satisfies CopyMessage))
  let isWanted = isKept(store.account)
  while (!store.ended.aborted) {
    if (isWanted) {
      // Without it, notes are shown as text.
      storeRenderer().catch(console.warn)
      isWanted = (await pullAlone(store, channel)) && isKept(store.account)
    } else {
      await choice(store, channel)
      isWanted = isKept(store.account)
    }
  }
  unsubscribe()
  channel.close()
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
  channel.onmessage = ({ data }: MessageEvent<CopyMessage>) => typeof data === "object" && listener(data)
  channel.postMessage("state?" satisfies CopyMessage)
  return () => channel.close()
}

/**
 * Chooses what is kept from now on, and asks the browser not to remove it when the device is short of space. The tab that pulls
 * follows the choice.
 */
export const chooseCopy = async (store: WorkspaceStore, kept: Kept): Promise<void> => {
  keepNotebooks(store.account, kept)
  post(copyName(store.account), "chosen")
  await navigator.storage.persist()
}

/** Stops keeping the copy, and removes it. */
export const endCopy = async (store: WorkspaceStore): Promise<void> => {
  const name = copyName(store.account)
  unmark(name)
  await eraseIndexedDbStore(name)
}
