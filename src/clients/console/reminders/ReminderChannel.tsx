import { useEffect, useId, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { Button } from "../ui/Button.tsx"
import { attempt, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { canSubscribe, isSubscribed, subscribe } from "./Notifications.ts"
import { texts } from "../notes/NoteMessages.ts"

type Channel = Schemas["Reminder"]["channel"]
/** Which channels reach the user, and whether notifications reach this browser. */
type Works = Schemas["ReminderChannels"] & { readonly here: boolean }

const channels = ["push", "email", "webhook"] as const

interface ReminderChannelProps {
  readonly store: WorkspaceStore
  readonly channel: Channel
  readonly onChannel: (channel: Channel) => void
}

/** How a reminder reaches the user: one of the channels that work, and what can be done for the others. */
export const ReminderChannel = ({ channel, onChannel, store }: ReminderChannelProps) => {
  const id = useId()
  const [works, setWorks] = useState<Works>()
  const read = async (): Promise<Works> => {
    const found = { ...(await store.client.getReminderChannels()), here: await isSubscribed(store) }
    setWorks(found)
    return found
  }
  useEffect(
    () =>
      void attempt(async () => {
        const found = await read()
        onChannel(channels.find((each) => found[each]) ?? "push")
      }),
    []
  )
  const allow = () =>
    attempt(async () => {
      const isAllowed = await subscribe(store)
      notify(isAllowed ? texts.reminders.subscribed : texts.reminders.denied)
      if (!isAllowed) return
      await read()
      onChannel("push")
    })
  const isRefused = (each: Channel) => each !== "push" && works?.[each] === false
  const labelOf = (each: Channel) =>
    each === "webhook" && isRefused(each) ? texts.reminders.noWebhook : texts.reminders.channels[each]
  return (
    <>
      <div class="field">
        <label for={id}>{texts.reminders.channel}</label>
        <select
          id={id}
          aria-describedby={`${id}-about`}
          value={channel}
          onChange={({ currentTarget }) => onChannel(currentTarget.value as Channel)}
        >
          {channels.map((each) => (
            <option key={each} value={each} disabled={isRefused(each)}>
              {labelOf(each)}
            </option>
          ))}
        </select>
        <p id={`${id}-about`} class="hint" role="status">
          {works !== undefined &&
            [
              ...(works.email ? [] : [texts.reminders.noMail]),
              ...(channel !== "push" || works.here
                ? []
                : [works.push ? texts.reminders.elsewhere : texts.reminders.onlyOpen])
            ].join(" ")}
        </p>
      </div>
      {works !== undefined && !works.here && canSubscribe && (
        <p>
          <Button onClick={() => void allow()}>{texts.reminders.subscribe}</Button>
        </p>
      )}
    </>
  )
}
