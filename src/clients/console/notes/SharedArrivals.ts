import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { sharedWith } from "./SharedContent.ts"

/** Reads again what other apps have shared. */
export const readShared = async (store: WorkspaceStore): Promise<void> => {
  try {
    store.shared.value = await sharedWith(store.account.id)
  } catch (error) {
    // The browser has no database, such as in a private window.
    console.warn(error)
  }
}

/** Looks for what other apps share, when the tab is opened or shown, until the workspace is closed. */
export const followShared = (store: WorkspaceStore): void => {
  const look = () => document.visibilityState === "visible" && void readShared(store)
  document.addEventListener("visibilitychange", look, { signal: store.ended })
  look()
}
