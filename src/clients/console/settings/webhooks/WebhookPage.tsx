import { useEffect, useState } from "preact/hooks"
import type { Schemas, SheafClient } from "../../../client/SheafClient.ts"
import { longDate } from "../../Dates.ts"
import { openPage, pageAddress } from "../../Navigation.ts"
import { Button } from "../../ui/Button.tsx"
import { Failure } from "../../ui/Failure.tsx"
import { notify } from "../../ui/Notices.tsx"
import { Question } from "../../ui/Question.tsx"
import { Secret } from "../../ui/Secret.tsx"
import { Section } from "../../ui/Section.tsx"
import { useAction } from "../../ui/useAction.ts"
import type { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { DeliveryTable, noticeOf } from "./DeliveryTable.tsx"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../SettingsMessages.ts"
import { WebhookForm } from "./WebhookForm.tsx"

type Webhook = Schemas["Webhook"]
type Change = Omit<Parameters<SheafClient["updateWebhook"]>[0], "id">

interface WebhookPageProps {
  readonly store: WorkspaceStore
  readonly id: string
}

/** A webhook with its deliveries. */
export const WebhookPage = ({ id, store }: WebhookPageProps) => {
  const { client } = store
  const [webhook, setWebhook] = useState<Webhook>()
  const [isRemoving, setIsRemoving] = useState(false)
  /** The number of tests that were sent, whose deliveries the table then reads. */
  const [tests, setTests] = useState(0)
  const { failure, run } = useAction()
  useEffect(() => {
    // Again when the server is reached, if it was away.
    if (webhook === undefined) void run(async () => setWebhook(await client.getWebhook({ id })))
  }, [store.connections.value])
  const change = async (input: Change) => {
    setWebhook(await client.updateWebhook({ id, ...input }))
    notify(words.saved)
  }
  const test = async () => {
    notify(noticeOf(await client.testWebhook({ id })))
    setTests((count) => count + 1)
  }
  return (
    <>
      <p>
        <a href={pageAddress("settings", "webhooks")}>{texts.webhooks.back}</a>
      </p>
      <Failure failure={failure} />
      {webhook !== undefined && (
        <>
          {webhook.secret !== null && (
            <Secret
              label={texts.webhooks.secret}
              hint={[
                texts.webhooks.secretHint,
                ...(webhook.previous_secret_expires_at === null
                  ? []
                  : [texts.webhooks.rotated(longDate(webhook.previous_secret_expires_at))])
              ].join(" ")}
              value={webhook.secret}
              onDone={() => setWebhook({ ...webhook, secret: null })}
            />
          )}
          <Section title={webhook.url}>
            <p>
              <span class={`badge ${webhook.active ? "" : "failed"}`}>
                {webhook.active ? texts.webhooks.active : texts.webhooks.paused}
              </span>{" "}
              {webhook.disabled_reason !== null && texts.webhooks.reasons[webhook.disabled_reason]}
            </p>
            <p class="actions start">
              <Button isOnce onClick={() => void run(test)}>
                {texts.webhooks.test}
              </Button>
              <Button isOnce onClick={() => void run(() => change({ active: !webhook.active }))}>
                {webhook.active ? texts.webhooks.pause : texts.webhooks.resume}
              </Button>
              <Button isOnce onClick={() => void run(() => change({ rotate_secret: true }))}>
                {texts.webhooks.rotate}
              </Button>
              <Button kind="danger" onClick={() => setIsRemoving(true)}>
                {words.delete}
              </Button>
            </p>
          </Section>
          <DeliveryTable key={tests} store={store} webhook_id={id} />
          <Section title={texts.webhooks.settings}>
            <WebhookForm webhook={webhook} action={texts.webhooks.save} onSubmit={change} />
          </Section>
        </>
      )}
      {isRemoving && (
        <Question
          title={texts.webhooks.removeTitle}
          lead={texts.webhooks.removeConfirm}
          action={texts.webhooks.removeTitle}
          onConfirm={async () => {
            await client.deleteWebhook({ id })
            openPage("settings", "webhooks")
          }}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </>
  )
}
