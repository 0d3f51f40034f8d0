import { effect, untracked } from "@preact/signals"
import { isAway } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isKept } from "../DeviceSettings.ts"
import type { OfflineNotes } from "./OfflineNotes.ts"

/**
 * The response of the server, or that of the copy on this device while the server cannot be reached: then `late` is called
 * when it is reached again.
 */
export const orCopy = async <A>(
  store: WorkspaceStore,
  ask: () => Promise<A>,
  read: (copy: OfflineNotes) => A | undefined,
  late: () => void
): Promise<A> => {
  const { account, connections } = store
  const before = connections.peek()
  const copied = async (error: unknown): Promise<A | undefined> => {
    if (!isAway(error) || !isKept(account)) return undefined
    const { copyOf } = await import("../OnDemand.ts")
    const found = read(await copyOf(store))
    if (found === undefined) return undefined
    const stop = effect(() => {
      if (connections.value === before) return
      stop()
      untracked(late)
    })
    return found
  }
  const found = await copied(store.failure.peek())
  if (found !== undefined) return found
  return ask().catch(async (error: unknown) => {
    const found = await copied(error)
    if (found === undefined) throw error
    return found
  })
}
