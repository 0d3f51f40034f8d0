import { useEffect, useState } from "preact/hooks"
import { SharedRun } from "../../sync/SharedRun.ts"
import { failureOf, isRefusal } from "../drafts/SaveFailure.ts"
import { SaveSchedule } from "../drafts/SaveSchedule.ts"
import { messageOf, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { readShared } from "./SharedArrivals.ts"
import type { SharedContent } from "./SharedContent.ts"
import { SharedDialog } from "./SharedDialog.tsx"
import { takeShared } from "./SharedIntake.ts"
import { outcomeOfShared } from "./SharedMessages.ts"

/** Whether the user has chosen where to make the note: the server was away then. */
const isChosen = ({ choice }: SharedContent): boolean => choice !== undefined && choice.isRefused !== true

/** Makes the notes that the user has confirmed, after each connection, and again while the server cannot be reached. */
const useSending = (store: WorkspaceStore): void => {
  const [sender] = useState(() => {
    const schedule = new SaveSchedule(() => void runs.run())
    const sendAll = async () => {
      if (store.connections.peek() === 0 || store.failure.peek() !== undefined) return
      for (const { choice, key } of store.shared.peek().filter(isChosen)) {
        try {
          await takeShared(store, key, choice!.notebook_id)
          schedule.succeeded()
        } catch (error) {
          const failure = failureOf(error)
          if (failure.kind === "defect") throw error
          if (failure.kind === "offline") schedule.failed(failure.retryAfter)
          if (isRefusal(failure)) notify(messageOf(error))
        }
      }
      await readShared(store)
    }
    const runs = new SharedRun(sendAll)
    return { schedule, runs }
  })
  const isWaiting = store.shared.value.some(isChosen)
  const connections = store.connections.value
  useEffect(() => {
    if (isWaiting && connections > 0) void sender.runs.run()
  }, [isWaiting, connections])
  useEffect(() => () => sender.schedule.stop(), [])
}

/** Shows what other apps have shared, one content after the other, and makes the notes. */
export const SharedWaiting = ({ store }: { readonly store: WorkspaceStore }) => {
  const [left, setLeft] = useState<ReadonlyArray<string>>([])
  useSending(store)
  const shared = store.shared.value.find((each) => !isChosen(each) && !left.includes(each.key))
  if (shared === undefined || store.inbox.value === undefined || !store.canWrite.value) return null
  return <SharedDialog key={shared.key} store={store} shared={shared} onClose={() => setLeft([...left, shared.key])} />
}

/** Shows what has become of the content with which the browser came, if its address says so. */
export const showOutcome = (): void => {
  const word = new URLSearchParams(location.search).get("shared")
  const outcome = word === null ? undefined : outcomeOfShared(word)
  if (outcome !== undefined) notify(outcome, undefined, "shared", true)
}
