import { useEffect, useState } from "preact/hooks"
import { onDemand } from "../ui/lazily.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type SharedContent, waitingShared } from "./SharedContent.ts"

const SharedDialog = onDemand((all) => all.SharedDialog)

/** Looks for what other apps have shared, and shows one content after the other. */
export const SharedWaiting = ({ store }: { readonly store: WorkspaceStore }) => {
  const [waiting, setWaiting] = useState<ReadonlyArray<SharedContent>>([])
  const read = () => waitingShared().then(setWaiting)
  useEffect(() => {
    void read()
    const onVisible = () => document.visibilityState === "visible" && void read()
    document.addEventListener("visibilitychange", onVisible)
    return () => document.removeEventListener("visibilitychange", onVisible)
  }, [])
  const shared = waiting[0]
  if (shared === undefined || store.inbox.value === undefined || !store.canWrite.value) return null
  return (
    <SharedDialog
      key={shared.key}
      store={store}
      shared={shared}
      onChange={read}
      onClose={() => setWaiting(waiting.slice(1))}
    />
  )
}
