import { useEffect, useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { texts as common } from "../Messages.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { Form } from "../ui/Form.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { RequestKey } from "../drafts/RequestKey.ts"
import { texts } from "../notes/NoteMessages.ts"
import { ReminderChannel } from "./ReminderChannel.tsx"
import { localInput, presets } from "./ReminderTimes.ts"

type Reminder = Schemas["Reminder"]

interface RemindersDialogProps {
  readonly store: WorkspaceStore
  readonly note_id: string
  readonly onClose: () => void
}

/** The reminders of a note. */
export const RemindersDialog = ({ note_id, onClose, store }: RemindersDialogProps) => {
  const [reminders, setReminders] = useState<ReadonlyArray<Reminder>>([])
  const [when, setWhen] = useState("")
  const [channel, setChannel] = useState<Reminder["channel"]>("push")
  const { failure, isBusy, run } = useAction()
  const key = useRef(new RequestKey()).current
  const read = async () => {
    setReminders((await store.client.listReminders({ filter: `note_id = ${note_id}`, limit: 100 })).data)
  }
  useEffect(() => void run(read), [])
  const add = () =>
    run(async () => {
      const input = { note_id, remind_at: new Date(when).toISOString(), channel }
      await store.client.createReminder(input, { idempotencyKey: key.of(input) })
      key.succeeded()
      setWhen("")
      await read()
    })
  return (
    <Dialog title={common.note.reminders} onClose={onClose}>
      <Failure failure={failure} />
      <ul class="rows">
        {reminders.map(({ channel, done, id, remind_at }) => (
          <li key={id}>
            <span>
              {longDate(remind_at)}{" "}
              <span class="hint">{done ? texts.reminders.done : texts.reminders.channels[channel]}</span>
            </span>
            {store.canWrite.value && (
              <IconButton
                icon="trash"
                label={texts.reminders.remove(longDate(remind_at))}
                onClick={() => void run(async () => (await store.client.deleteReminder({ id }), read()))}
              />
            )}
          </li>
        ))}
        {reminders.length === 0 && <li class="hint">{texts.reminders.none}</li>}
      </ul>
      {store.canWrite.value && (
        <Form onSubmit={() => add()}>
          <div class="presets">
            {presets(new Date()).map(([name, at]) => (
              <Button key={name} onClick={() => setWhen(localInput(at))}>
                {texts.reminders.presets[name]}
              </Button>
            ))}
          </div>
          <Field label={texts.reminders.when} autofocus type="datetime-local" required value={when} onValue={setWhen} />
          <ReminderChannel store={store} channel={channel} onChannel={setChannel} />
          <Button kind="main" type="submit" isDisabled={isBusy}>
            {texts.reminders.add}
          </Button>
        </Form>
      )}
    </Dialog>
  )
}
