import { useEffect, useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Form } from "../ui/Form.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { Place } from "../workspace/Place.ts"
import { RequestKey } from "../drafts/RequestKey.ts"

type Reminder = Schemas["Reminder"]

const channels = ["push", "email", "webhook"] as const

interface RemindersDialogProps {
  readonly place: Place
  readonly note_id: string
  readonly onClose: () => void
}

/** The reminders of a note. */
export const RemindersDialog = ({ note_id, onClose, place }: RemindersDialogProps) => {
  const [reminders, setReminders] = useState<ReadonlyArray<Reminder>>([])
  const [when, setWhen] = useState("")
  const [channel, setChannel] = useState<Reminder["channel"]>("email")
  const { failure, isBusy, run } = useAction()
  const key = useRef(new RequestKey()).current
  const read = async () => {
    setReminders((await place.client.listReminders({ filter: `note_id = ${note_id}`, limit: 100 })).data)
  }
  useEffect(() => void run(read), [])
  const add = () =>
    run(async () => {
      const input = { note_id, remind_at: new Date(when).toISOString(), channel }
      await place.client.createReminder(input, { idempotencyKey: key.of(input) })
      key.succeeded()
      setWhen("")
      await read()
    })
  return (
    <Dialog title={texts.note.reminders} onClose={onClose}>
      <Failure failure={failure} />
      <ul class="rows">
        {reminders.map((reminder) => (
          <li key={reminder.id}>
            <span>{longDate(reminder.remind_at)}</span>
            <span class="hint">
              {reminder.done ? texts.reminders.done : texts.reminders.channels[reminder.channel]}
            </span>
            {place.canWrite.value && (
              <Button
                onClick={() => void run(async () => (await place.client.deleteReminder({ id: reminder.id }), read()))}
              >
                {texts.reminders.remove}
              </Button>
            )}
          </li>
        ))}
        {reminders.length === 0 && <li class="hint">{texts.reminders.none}</li>}
      </ul>
      {place.canWrite.value && (
        <Form onSubmit={() => add()}>
          <Field label={texts.reminders.when} autofocus type="datetime-local" required value={when} onValue={setWhen} />
          <label class="field">
            {texts.reminders.channel}
            <select
              value={channel}
              onChange={({ currentTarget }) => setChannel(currentTarget.value as Reminder["channel"])}
            >
              {channels.map((each) => (
                <option key={each} value={each}>
                  {texts.reminders.channels[each]}
                </option>
              ))}
            </select>
          </label>
          <Button kind="main" type="submit" isDisabled={isBusy}>
            {texts.reminders.add}
          </Button>
        </Form>
      )}
    </Dialog>
  )
}
