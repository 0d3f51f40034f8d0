import { messageOf, notify } from "../ui/Notices.tsx"
import { newChangeSet, undoing } from "../undoing/Undo.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type Action, type ListedNote, type Outcome, withEach } from "./SeveralNotes.ts"
import { texts } from "./SeveralMessages.ts"

/** Maximum number of notes that a notice names. */
const mostNamed = 3

/** All notices are about one topic: a later one takes the place of the one before. */
const topic = "several"

const failuresOf = ({ failed }: Outcome): ReadonlyArray<string> =>
  failed.length === 0
    ? []
    : [
        texts.failed(
          failed.length,
          failed.slice(0, mostNamed).map(({ error, note }) => texts.failure(note.title, messageOf(error)))
        )
      ]

/** Says how many notes have changed, offers to take that back, and names those that have failed. */
const report = (outcome: Outcome, done: (count: number) => string, undo: ReturnType<typeof undoing>): void => {
  const { changed, failed } = outcome
  const said = changed.length === 0 && failed.length > 0 ? [] : [done(changed.length)]
  notify([...said, ...failuresOf(outcome)].join(" "), changed.length === 0 ? undefined : undo, topic, failed.length > 0)
}

/** Does something with several notes, says what has come of it, and returns the ids of those that have failed. */
export const doWithEach = async (
  store: WorkspaceStore,
  notes: ReadonlyArray<ListedNote>,
  action: Action,
  done: (count: number) => string,
  onProgress?: (done: number) => void
): Promise<ReadonlyArray<string>> => {
  const changeSet = newChangeSet()
  const outcome = await withEach(notes, action, { changeSet }, onProgress)
  report(outcome, done, undoing(store, changeSet))
  return outcome.failed.map(({ note }) => note.id)
}
