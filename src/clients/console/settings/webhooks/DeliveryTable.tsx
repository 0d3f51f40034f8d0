import { useMemo, useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { exactDate } from "../../Dates.ts"
import { Button } from "../../ui/Button.tsx"
import { type Column, DataTable, type Detail } from "../../ui/tables/DataTable.tsx"
import { Failure } from "../../ui/Failure.tsx"
import { notify } from "../../ui/Notices.tsx"
import { Section } from "../../ui/Section.tsx"
import { Select } from "../../ui/Select.tsx"
import { useAction } from "../../ui/useAction.ts"
import { usePages } from "../../ui/tables/usePages.ts"
import type { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { DeliveryDetail } from "./DeliveryDetail.tsx"
import { actionColumn } from "../../ui/tables/TableColumns.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../SettingsMessages.ts"

type Delivery = Schemas["Delivery"]
type Shown = keyof typeof texts.deliveries.shown

const shown = Object.entries(texts.deliveries.shown) as ReadonlyArray<[Shown, string]>

/** A sentence about the result of an attempt. */
export const noticeOf = ({ error, status, status_code }: Delivery): string => {
  if (status === "succeeded") return texts.deliveries.succeeded(status_code)
  return status === "failed" ? texts.deliveries.failed(error ?? String(status_code)) : texts.deliveries.waiting
}

const detail: Detail<Delivery> = {
  about: ({ attempt, event_type }) => texts.deliveries.aboutOf(event_type, attempt),
  of: (delivery) => <DeliveryDetail delivery={delivery} />
}

interface DeliveryTableProps {
  readonly store: WorkspaceStore
  readonly webhook_id: string
}

/** The attempts to send events to a webhook. */
export const DeliveryTable = ({ store, webhook_id }: DeliveryTableProps) => {
  const { client } = store
  const [status, setStatus] = useState<Shown>("all")
  const { failure, run } = useAction()
  const list = usePages(
    (page) =>
      client.listDeliveries({ id: webhook_id, ...page, ...(status === "all" ? {} : { filter: `status = ${status}` }) }),
    [client, status]
  )
  const columns = useMemo((): ReadonlyArray<Column<Delivery>> => {
    const resend = async ({ id }: Delivery) => {
      notify(noticeOf(await client.retryDelivery({ webhook_id, id })))
      await list.reload()
    }
    return [
      { label: texts.deliveries.event, of: ({ event_type }) => event_type },
      { label: texts.deliveries.attempt, of: ({ attempt }) => attempt },
      {
        label: words.result,
        of: ({ status, status_code }) => (
          <span class={`badge ${status === "failed" ? "failed" : ""}`}>
            {texts.deliveries.statuses[status]} {status_code}
          </span>
        )
      },
      {
        label: texts.deliveries.latency,
        of: ({ latency_ms }) => (latency_ms === null ? "" : texts.deliveries.milliseconds(latency_ms))
      },
      {
        label: words.when,
        of: ({ created_at, next_attempt_at }) =>
          next_attempt_at === null ? exactDate(created_at) : words.due(exactDate(next_attempt_at))
      },
      actionColumn((delivery) => (
        <Button
          isOnce
          label={texts.deliveries.resendOf(delivery.event_type, delivery.attempt)}
          onClick={() => void run(() => resend(delivery))}
        >
          {words.sendAgain}
        </Button>
      ))
    ]
  }, [client, status])
  return (
    <Section title={texts.deliveries.title} lead={texts.deliveries.lead}>
      <div class="filters">
        <Select label={words.show} options={shown} value={status} onValue={setStatus} />
        <p class="actions start">
          <Button onClick={() => void list.reload()}>{words.refresh}</Button>
        </p>
      </div>
      <Failure failure={failure} />
      <DataTable
        label={texts.deliveries.title}
        empty={texts.deliveries.none}
        list={list}
        keyOf={({ id }) => id}
        columns={columns}
        detail={detail}
      />
    </Section>
  )
}
