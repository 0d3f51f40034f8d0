import { eraseIndexedDbStore, indexedDbCopy, indexedDbStore } from "../../indexeddb/IndexedDbStore.ts"
import { openSync, type SyncEngine } from "../../sync/SyncEngine.ts"
import { StoreError, type SyncStore } from "../../sync/SyncStore.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { copyName, isKept } from "./CopyMark.ts"
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

const engineOf = ({ client }: WorkspaceStore, store: SyncStore): Promise<SyncEngine> =>
  openSync({ client, store, types: ["note"], device: { name: "Console", platform: "web" } })

/** Pulls until the workspace is closed, or until the copy is wanted no more. What fails is repeated with the next change or connection. */
const follow = (engine: SyncEngine, store: WorkspaceStore, channel: BroadcastChannel) =>
  new Promise<void>((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const report = () => {
      const { error, isWhole } = engine.state
      const notes = engine.all("note").length
      channel.postMessage({ notes, isWhole, isUnstored: error instanceof StoreError } satisfies Message)
    }
    const pull = () => {
      timer = undefined
      engine.sync().catch(console.warn).then(report)
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
    const engine = await engineOf(store, indexedDbStore(copyName(store.account), { waitUntil: store.ended }))
    await follow(engine, store, channel)
    await engine.close()
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
  const copy = engineOf(store, indexedDbCopy(copyName(store.account))).then((engine) => new OfflineNotes(engine))
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
