import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { Submit } from "../../ui/Submit.tsx"
import { errorsOf } from "../../ui/errorsOf.ts"
import { Failure } from "../../ui/Failure.tsx"
import { Field } from "../../ui/Field.tsx"
import { Form } from "../../ui/Form.tsx"
import { useAction } from "../../ui/useAction.ts"
import { EventChoice } from "./EventChoice.tsx"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../SettingsMessages.ts"

type WebhookInput = Pick<Schemas["Webhook"], "events" | "url">

interface WebhookFormProps {
  readonly webhook?: WebhookInput
  readonly action: string
  readonly onSubmit: (input: WebhookInput) => Promise<void>
}

/** The address and the events of a webhook. */
export const WebhookForm = ({ action, onSubmit, webhook }: WebhookFormProps) => {
  const [url, setUrl] = useState(webhook?.url ?? "")
  const [events, setEvents] = useState<ReadonlyArray<string>>(webhook?.events ?? ["*"])
  const { failure, run } = useAction()
  const errors = errorsOf(failure)
  return (
    <Form class="form" onSubmit={() => run(() => onSubmit({ url, events: [...events] }))}>
      <Failure failure={failure} fields={["url", "events"]} />
      <Field
        label={words.address}
        hint={texts.webhooks.urlHint}
        error={errors["url"]}
        type="url"
        autocomplete="off"
        required
        value={url}
        onValue={setUrl}
      />
      <EventChoice value={events} onValue={setEvents} error={errors["events"]} />
      <Submit label={action} />
    </Form>
  )
}
