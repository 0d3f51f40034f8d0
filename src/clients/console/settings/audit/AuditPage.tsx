import { useMemo, useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { exactDate } from "../../Dates.ts"
import { Button } from "../../ui/Button.tsx"
import { type Column, DataTable, type Detail } from "../../ui/tables/DataTable.tsx"
import { Field } from "../../ui/Field.tsx"
import { Form } from "../../ui/Form.tsx"
import { Section } from "../../ui/Section.tsx"
import { Select } from "../../ui/Select.tsx"
import { usePages } from "../../ui/tables/usePages.ts"
import { loadUndoing } from "../../undoing/Undo.ts"
import type { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { type AuditFilter, auditQueryOf, noFilter } from "./AuditFilter.ts"
import { AuditSave } from "./AuditSave.tsx"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../SettingsMessages.ts"
import type { SettingsProps } from "../SettingsProps.ts"

type Entry = Schemas["AuditEntry"]

/** Actions that are offered; others can be typed. */
const actions = [
  "auth.*",
  "auth.logged_in",
  "auth.login_failed",
  "auth.password_changed",
  "member.*",
  "member.role_changed",
  "member.removed",
  "invitation.*",
  "api_key.*",
  "webhook.*",
  "share.*",
  "export.*",
  "import.*",
  "session.*",
  "device.*",
  "workspace.*",
  "notebook.deleted",
  "note.purged",
  "tool.called",
  "change_set.reverted"
]

interface FilterFormProps {
  readonly store: WorkspaceStore
  readonly onFilter: (filter: AuditFilter) => void
}

const FilterForm = ({ onFilter, store }: FilterFormProps) => {
  const [filter, setFilter] = useState(noFilter)
  const change = (part: Partial<AuditFilter>) => setFilter({ ...filter, ...part })
  return (
    <Form class="filters" onSubmit={() => onFilter(filter)}>
      <Select
        label={texts.people.person}
        options={[
          ["", texts.audit.anyone],
          ...store.members.value.map(({ email, name, user_id }) => [user_id, name || email] as const)
        ]}
        value={filter.actor_id}
        onValue={(actor_id) => change({ actor_id })}
      />
      <Field
        label={words.action}
        autocomplete="off"
        choices={actions}
        value={filter.action}
        onValue={(action) => change({ action })}
      />
      <Field label={words.address} autocomplete="off" value={filter.ip} onValue={(ip) => change({ ip })} />
      <Field label={texts.audit.from} type="datetime-local" value={filter.from} onValue={(from) => change({ from })} />
      <Field label={texts.audit.to} type="datetime-local" value={filter.to} onValue={(to) => change({ to })} />
      <p class="actions start">
        <Button kind="main" type="submit">
          {texts.audit.apply}
        </Button>
      </p>
    </Form>
  )
}

/** The change set that an entry is about; undefined if it is about none. */
const setOf = ({ metadata, resource_id, resource_type }: Entry): string | undefined => {
  const set = resource_type === "change_set" ? resource_id : metadata["change_set_id"]
  return typeof set === "string" ? set : undefined
}

const detailOf = (store: WorkspaceStore): Detail<Entry> => ({
  about: ({ action, occurred_at }) => words.actionOf(action, exactDate(occurred_at)),
  of: (entry) => {
    const { metadata, resource_id, user_agent } = entry
    const set = setOf(entry)
    return (
      <div class="detail-parts">
        <div>
          <h3>{words.details}</h3>
          <pre class="code" tabIndex={0} role="region" aria-label={words.details}>
            {JSON.stringify(metadata, null, 2)}
          </pre>
        </div>
        <div>
          <h3>{words.about}</h3>
          <p>{resource_id}</p>
          <h3>{texts.audit.program}</h3>
          <p>{user_agent ?? texts.unknown}</p>
          {set !== undefined && (
            <p class="actions start">
              <Button onClick={() => void loadUndoing().then((all) => all?.showUndo(store, { set }))}>
                {texts.audit.undo}
              </Button>
            </p>
          )}
        </div>
      </div>
    )
  }
})

/** The audit log of the workspace. */
export const AuditPage = ({ store }: SettingsProps) => {
  const { client } = store
  const [filter, setFilter] = useState<string>()
  const list = usePages(
    (page) => client.listAuditEntries({ ...page, ...(filter === undefined ? {} : { filter }) }),
    [client, filter]
  )
  const members = store.members.value
  const columns = useMemo(
    (): ReadonlyArray<Column<Entry>> => [
      { label: words.when, of: ({ occurred_at }) => exactDate(occurred_at) },
      { label: words.action, of: ({ action }) => action },
      {
        label: texts.people.person,
        of: ({ actor_id }) => (actor_id === null ? texts.audit.server : (store.nameOf(actor_id) ?? actor_id))
      },
      { label: words.about, of: ({ resource_type }) => resource_type },
      { label: words.address, of: ({ ip }) => ip ?? "" }
    ],
    [members]
  )
  const detail = useMemo(() => detailOf(store), [store])
  return (
    <>
      <Section title={texts.audit.title} lead={texts.audit.lead}>
        <FilterForm store={store} onFilter={(chosen) => setFilter(auditQueryOf(chosen))} />
        <DataTable
          label={texts.audit.title}
          empty={texts.audit.none}
          list={list}
          keyOf={({ id }) => id}
          columns={columns}
          detail={detail}
        />
      </Section>
      <AuditSave store={store} filter={filter} />
    </>
  )
}
