import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDay, timeOfDay } from "../Dates.ts"
import { texts } from "../Messages.ts"
import { addressOf } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import { loadUndoing } from "../undoing/Undo.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { activityTexts } from "./ActivityMessages.ts"
import { type ActivityLine, dayOf, linesOf } from "./ActivityText.ts"

interface ActivityDialogProps {
  readonly store: WorkspaceStore
  readonly note_id: string
  readonly onClose: () => void
  /** Shows a version in the history. Absent for a note in the trash, whose history cannot be read. */
  readonly onVersion?: (version: number) => void
}

interface LineProps extends Pick<ActivityDialogProps, "onClose" | "onVersion"> {
  readonly line: ActivityLine
  /** Undoes a change set. Absent for a user who may not write. */
  readonly onUndo: ((set: string) => void) | undefined
}

const Line = ({ line: { occurred_at, other, set, text, undo, versions }, onClose, onUndo, onVersion }: LineProps) => (
  <li>
    <span>
      <time dateTime={occurred_at}>{timeOfDay(occurred_at)}</time> {text}
    </span>
    {versions !== null &&
      (onVersion === undefined ? (
        <span class="hint">{activityTexts.versions(...versions)}</span>
      ) : (
        <button type="button" class="link" onClick={() => onVersion(versions[0])}>
          {activityTexts.versions(...versions)}
        </button>
      ))}
    {other !== null && (
      <a class="link" href={addressOf({ kind: "all" }, other.id)} onClick={onClose}>
        {other.isCopy ? activityTexts.openCopy : activityTexts.openOriginal}
      </a>
    )}
    {set !== null && undo !== null && onUndo !== undefined && (
      <button type="button" class="link undo" onClick={() => onUndo(set)}>
        {undo}
      </button>
    )}
  </li>
)

/** The activity of a note, day by day: each change with its author, device and means. */
export const ActivityDialog = ({ note_id, onClose, onVersion, store }: ActivityDialogProps) => {
  const [items, setItems] = useState<ReadonlyArray<Schemas["NoteActivity"]>>()
  const [cursor, setCursor] = useState<string | null>(null)
  const { failure, isBusy, run } = useAction()
  const read = (from: string | null) =>
    run(async () => {
      const at = from === null ? {} : { cursor: from }
      const page = await store.client.listNoteActivity({ id: note_id, limit: 50, ...at })
      setItems((known = []) => (from === null ? page.data : [...known, ...page.data]))
      setCursor(page.next_cursor)
    })
  useEffect(() => void read(null), [])
  const undo = async (set: string) => {
    await (await loadUndoing())?.showUndo(store, { set })
    await read(null)
  }
  const onUndo = store.canWrite.value ? (set: string) => void undo(set) : undefined
  const lines = linesOf(items ?? [], note_id, (user_id) => store.nameOf(user_id))
  const days = [...Map.groupBy(lines, ({ occurred_at }) => dayOf(occurred_at)).values()]
  return (
    <Dialog title={texts.note.activity} onClose={onClose}>
      <Failure failure={failure} />
      {items?.length === 0 && <p class="hint">{activityTexts.none}</p>}
      {days.map((day) => (
        <section key={day[0]!.id} class="activity">
          <h3>{longDay(day[0]!.occurred_at)}</h3>
          <ul class="rows">
            {day.map((line) => (
              <Line
                key={line.id}
                line={line}
                onClose={onClose}
                onUndo={onUndo}
                {...(onVersion === undefined ? {} : { onVersion })}
              />
            ))}
          </ul>
        </section>
      ))}
      {cursor !== null && (
        <Button isDisabled={isBusy} onClick={() => void read(cursor)}>
          {activityTexts.more}
        </Button>
      )}
    </Dialog>
  )
}
