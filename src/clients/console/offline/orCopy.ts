import { isAway } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isKept } from "./CopyMark.ts"
import type { OfflineNotes } from "./OfflineNotes.ts"

/** The response of the server, or that of the copy on this device while the server cannot be reached. */
export const orCopy = async <A>(
  store: WorkspaceStore,
  ask: () => Promise<A>,
  read: (copy: OfflineNotes) => A | undefined
): Promise<A> => {
  const copied = async (error: unknown): Promise<A | undefined> => {
    if (!isAway(error) || !isKept(store.account)) return undefined
    const { copyOf } = await import("../OnDemand.ts")
    return read(await copyOf(store))
  }
  const found = await copied(store.failure.peek())
  if (found !== undefined) return found
  try {
    return await ask()
  } catch (error) {
    const found = await copied(error)
    if (found === undefined) throw error
    return found
  }
}
