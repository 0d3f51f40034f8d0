import { useMemo } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { exactDate } from "../Dates.ts"
import { pageAddress } from "../Navigation.ts"
import { Section } from "../ui/Section.tsx"
import { type Column, DataTable, type Detail } from "../ui/tables/DataTable.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useReading } from "../ui/useReading.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"

type Entry = Schemas["AuditEntry"]

const detail: Detail<Entry> = {
  about: ({ action, occurred_at }) => words.actionOf(action, exactDate(occurred_at)),
  of: ({ metadata, resource_id }) => (
    <>
      <p>{resource_id}</p>
      <pre class="code" tabIndex={0} role="region" aria-label={words.details}>
        {JSON.stringify(metadata, null, 2)}
      </pre>
    </>
  )
}

const keyOf = ({ id }: Entry): string => id

/** Actions of operators, with their names. */
export const OperatorActions = ({ admin }: Pick<ServerProps, "admin">) => {
  const list = usePages((page) => admin.adminListAuditEntries(page), [admin])
  const operators = useReading(
    async () => (await admin.adminListUsers({ filter: "operator = true", limit: 100 })).data,
    [admin]
  ).value
  const columns = useMemo(
    (): ReadonlyArray<Column<Entry>> => [
      { label: words.when, of: ({ occurred_at }) => exactDate(occurred_at) },
      { label: words.action, of: ({ action }) => action },
      {
        label: texts.audit.actor,
        isLong: true,
        of: ({ actor_id }) =>
          actor_id === null ? (
            texts.audit.command
          ) : (
            <a href={pageAddress("server", "users", actor_id)}>
              {operators?.find(({ id }) => id === actor_id)?.email ?? actor_id}
            </a>
          )
      },
      { label: words.about, of: ({ resource_type }) => resource_type },
      { label: words.address, of: ({ ip }) => ip ?? "" }
    ],
    [operators]
  )
  return (
    <Section title={texts.audit.title} lead={texts.audit.lead}>
      <DataTable
        label={texts.audit.title}
        empty={texts.audit.none}
        list={list}
        keyOf={keyOf}
        columns={columns}
        detail={detail}
      />
    </Section>
  )
}
