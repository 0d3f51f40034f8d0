import { texts as common } from "../Messages.ts"
import { messageOf, notify } from "../ui/Notices.tsx"
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
const report = (outcome: Outcome, done: (count: number) => string): void => {
  const { changed, failed } = outcome
  const undo = async () => {
    const byId = new Map(changed.map(({ note, undo }) => [note.id, undo]))
    const back = await withEach(
      changed.map(({ note }) => note),
      async ({ id }) => ((await byId.get(id)!()) === undefined ? undefined : () => Promise.resolve())
    )
    notify([texts.undone(back.changed.length), ...failuresOf(back)].join(" "), undefined, topic)
  }
  const said = changed.length === 0 && failed.length > 0 ? [] : [done(changed.length)]
  notify(
    [...said, ...failuresOf(outcome)].join(" "),
    changed.length === 0 ? undefined : { label: common.undo, run: () => void undo() },
    topic,
    failed.length > 0
  )
}

/** Does something with several notes, says what has come of it, and returns the ids of those that have failed. */
export const doWithEach = async (
  notes: ReadonlyArray<ListedNote>,
  action: Action,
  done: (count: number) => string,
  onProgress?: (done: number) => void
): Promise<ReadonlyArray<string>> => {
  const outcome = await withEach(notes, action, onProgress)
  report(outcome, done)
  return outcome.failed.map(({ note }) => note.id)
}
