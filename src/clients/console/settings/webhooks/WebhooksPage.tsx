import { useRef, useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { RequestKey } from "../../drafts/RequestKey.ts"
import { pageAddress } from "../../Navigation.ts"
import { DataTable } from "../../ui/tables/DataTable.tsx"
import { withPassword } from "../../ui/PasswordRequest.tsx"
import { Secret } from "../../ui/Secret.tsx"
import { Section } from "../../ui/Section.tsx"
import { usePages } from "../../ui/tables/usePages.ts"
import type { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { dateOrNever } from "../../ui/tables/TableColumns.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../SettingsMessages.ts"
import type { SettingsProps } from "../SettingsProps.ts"
import { WebhookForm } from "./WebhookForm.tsx"
import { WebhookPage } from "./WebhookPage.tsx"

type Webhook = Schemas["Webhook"]

const stateOf = ({ active }: Webhook) => (
  <span class={`badge ${active ? "" : "failed"}`}>{active ? texts.webhooks.active : texts.webhooks.paused}</span>
)

const WebhookList = ({ store }: { readonly store: WorkspaceStore }) => {
  const { client } = store
  const list = usePages((page) => client.listWebhooks(page), [client])
  const [made, setMade] = useState<Webhook>()
  const requestKey = useRef(new RequestKey()).current
  const create = async (input: Pick<Webhook, "events" | "url">) => {
    const webhook = await withPassword((password) => {
      const whole = { ...input, ...password }
      return client.createWebhook(whole, { idempotencyKey: requestKey.of(whole) })
    })
    requestKey.succeeded()
    setMade(webhook)
    await list.reload()
  }
  return (
    <>
      {made !== undefined && (
        <Secret
          label={texts.webhooks.secret}
          hint={texts.webhooks.secretHint}
          value={made.secret ?? ""}
          onDone={() => setMade(undefined)}
        />
      )}
      <Section title={texts.webhooks.title} lead={texts.webhooks.lead}>
        <DataTable
          label={texts.webhooks.title}
          empty={texts.webhooks.none}
          list={list}
          keyOf={({ id }) => id}
          columns={[
            {
              label: words.address,
              of: ({ id, url }) => <a href={pageAddress("settings", "webhooks", id)}>{url}</a>
            },
            { label: texts.webhooks.events, isLong: true, of: ({ events }) => events.join(", ") },
            { label: words.state, of: stateOf },
            { label: texts.webhooks.used, of: ({ last_used_at }) => dateOrNever(last_used_at) }
          ]}
        />
      </Section>
      {/* Another secret would replace one that is not copied yet. */}
      {made === undefined && (
        <Section title={texts.webhooks.create}>
          <WebhookForm action={texts.webhooks.submit} onSubmit={create} />
        </Section>
      )}
    </>
  )
}

/** The webhooks of the workspace, or one of them with its deliveries. */
export const WebhooksPage = ({ id, store }: SettingsProps) =>
  id === undefined ? <WebhookList store={store} /> : <WebhookPage store={store} id={id} />
