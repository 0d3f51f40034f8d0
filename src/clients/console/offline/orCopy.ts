import { effect, untracked } from "@preact/signals"
import { isAway } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isKept } from "./CopyMarks.ts"
import type { OfflineNotes } from "./OfflineNotes.ts"

/**
 * The response of the server, or that of the copy on this device while the server cannot be reached: then `late` is called
 * when it is reached again.
 */
export const orCopy = async <A>(
  store: WorkspaceStore,
  ask: () => Promise<A>,
  read: (copy: OfflineNotes) => A | undefined | Promise<A | undefined>,
  late: () => void
): Promise<A> => {
  const { account, connections, failure } = store
  const before = connections.peek()
  const copied = async (error: unknown): Promise<A> => {
    if (!isAway(error) || !isKept(account)) throw error
    const { copyOf, notKept } = await import("../AfterStart.ts")
    const copy = await copyOf(store)
    const found = copy && (await read(copy))
    // The server was reached meanwhile.
    if (connections.peek() !== before) return orCopy(store, ask, read, late)
    if (found === undefined) throw notKept(error)
    const stop = effect(() => {
      if (connections.value === before) return
      stop()
      untracked(late)
    })
    return found
  }
  // The server may be back by now.
  return copied(failure.peek()).catch(() => ask().catch(copied))
}
