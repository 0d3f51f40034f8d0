import { useMemo, useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { exactDate } from "../../Dates.ts"
import { pageAddress } from "../../Navigation.ts"
import { administrationTexts, words } from "../../ui/AdministrationMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { copyText } from "../../ui/copyText.ts"
import { Section } from "../../ui/Section.tsx"
import { Select } from "../../ui/Select.tsx"
import { type Column, DataTable, type Detail } from "../../ui/tables/DataTable.tsx"
import { useReading } from "../../ui/useReading.ts"
import type { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { texts } from "../SettingsMessages.ts"
import { leadOf } from "./RequestMessages.ts"

type Request = Schemas["KeyRequest"]

/** Milliseconds between two readings while the newest requests are shown. */
const beforeReading = 2_000

const nameOf = ({ method, path }: Request): string => `${method} ${path}`

const { deliveries } = texts
const { all, failed } = deliveries.shown

const columns: ReadonlyArray<Column<Request>> = [
  { label: deliveries.request, isLong: true, of: nameOf },
  {
    label: words.result,
    of: ({ code, status }) => (
      <span class={`badge ${status === null || status >= 400 ? "failed" : ""}`}>
        {status ?? deliveries.noResponse} {code}
      </span>
    )
  },
  { label: deliveries.latency, of: ({ duration_ms }) => deliveries.milliseconds(duration_ms) },
  { label: words.when, of: ({ created_at }) => exactDate(created_at) }
]

const detail: Detail<Request> = {
  about: nameOf,
  of: (request) => (
    <>
      <p>Request-Id: {request.request_id}</p>
      {request.curl !== null && (
        <>
          <pre class="code" role="region" aria-label={`curl: ${nameOf(request)}`} tabIndex={0}>
            {request.curl}
          </pre>
          {isSecureContext && (
            <p class="actions start">
              <Button onClick={() => void copyText(request.curl!)}>{administrationTexts.copy} (curl)</Button>
            </p>
          )}
        </>
      )}
    </>
  )
}

interface RequestsPageProps {
  readonly store: WorkspaceStore
  readonly id: string
}

/** The last requests of an API key. The newest are read again all the time, until older ones are shown. */
export const RequestsPage = ({ id, store }: RequestsPageProps) => {
  const { client } = store
  const [status, setStatus] = useState<"all" | "failed">("all")
  const [count, setCount] = useState(1)
  const key = useReading(() => client.getApiKey({ id }), [client, id])
  const { failure, reload, value } = useReading(
    async () => {
      const pages: Array<ReadonlyArray<Request>> = []
      let cursor: string | null | undefined
      while (pages.length < count && cursor !== null) {
        const page = await client.listKeyRequests({
          id,
          limit: 100,
          ...(cursor === undefined ? {} : { cursor }),
          ...(status === "all" ? {} : { filter: "status >= 400" })
        })
        pages.push(page.data)
        cursor = page.next_cursor
      }
      return { pages, hasMore: cursor !== null }
    },
    [client, id, status, count],
    () => (count === 1 ? beforeReading : undefined)
  )
  const list = useMemo(
    () => ({
      pages: value?.pages,
      hasMore: value?.hasMore ?? false,
      isBusy: value === undefined,
      failure: failure ?? key.failure,
      more: async () => setCount(count + 1),
      reload
    }),
    [value, failure, key.failure]
  )
  return (
    <>
      <p>
        <a href={pageAddress("settings", "keys")}>{texts.pages.keys}</a>
      </p>
      <Section title={texts.usage.requests} lead={key.value === undefined ? "" : leadOf(key.value.name)}>
        <div class="filters">
          <Select
            label={words.show}
            options={[
              ["all", all],
              ["failed", failed]
            ]}
            value={status}
            onValue={setStatus}
          />
          {count > 1 && (
            <p class="actions start">
              <Button onClick={() => setCount(1)}>{words.refresh}</Button>
            </p>
          )}
        </div>
        <DataTable
          label={texts.usage.requests}
          empty={texts.usage.noDays}
          list={list}
          keyOf={({ id }) => id}
          columns={columns}
          detail={detail}
        />
      </Section>
    </>
  )
}
